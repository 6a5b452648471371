/** Kill -9 amid exports: the log verifies, whole packages have entries. Then the memory of a case of fifty pictures. */
import { setTimeout as delay } from 'node:timers/promises';
import { credentials, Metadata } from '@grpc/grpc-js';
import { readMemory } from '../../bench/memory.ts';
import { padJpeg } from '../../bench/photos.ts';
import { CustodyService } from '../../src/grpc/gen/assay/v1/custody_service_pb.ts';
import { EvidenceService } from '../../src/grpc/gen/assay/v1/evidence_service_pb.ts';
import { Store } from '../../src/store/store.ts';
import { TEST_KEY, TestDaemon } from '../daemon.ts';
import { awaitEnds, distinctPicture, submitPicture } from '../faults/rounds/submissions.ts';
import { seedRecords } from '../seeded-records.ts';
import { openServiceClient } from '../service-client.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { numberArgument } from './random.ts';

const ROUNDS_DEFAULT = 200;
const CASE_PICTURES = 50;
/** An export of one record takes one to two seconds. */
const KILL_WITHIN_MS = 1800;
/** Bound for the daemon's growth: the process that lays the report out ends with it, and is measured apart. */
const MEMORY_MIB_MAX = 50;
const SAMPLE_MS = 50;
const RECORDS = 10_000;
const PICTURE_BYTES = 4_000_000;

function metadata(): Metadata {
  const made = new Metadata();
  made.set('x-api-key', TEST_KEY);
  return made;
}

/** Whether the whole package came. */
async function exportOnce({ grpc }: TestDaemon, identifiers: string[]): Promise<boolean> {
  const client = openServiceClient(EvidenceService, grpc, credentials.createInsecure());
  try {
    const stream = client.exportEvidence({ identifiers, title: '', notes: '', language: 'en' }, metadata());
    for await (const _ of stream as AsyncIterable<unknown>);
    return true;
  } catch {
    return false;
  } finally {
    client.close();
  }
}

interface Found {
  faults: number;
  exported: number;
}

/** What the log says: of its own wholeness, and of how often the record went out. */
async function look({ grpc, http }: TestDaemon, identifier: string): Promise<Found & { listed: number }> {
  const client = openServiceClient(CustodyService, grpc, credentials.createInsecure());
  const ask = <T>(call: (answer: (error: Error | null, value?: T) => void) => unknown): Promise<T> =>
    new Promise((resolve, reject) =>
      call((error, value) => (error === null && value !== undefined ? resolve(value) : reject(error))),
    );
  try {
    const report = await ask<{ faultCount: bigint }>((done) =>
      client.verifyCustody({}, metadata(), {}, done),
    );
    const { entries } = await ask<{ entries: { kind: string }[] }>((done) =>
      client.listCustodyEntries({ identifier, pageSize: 100 }, metadata(), {}, done),
    );
    const query = `{ classification(identifier: "${identifier}") { exports { at } } }`;
    const response = await fetch(`${http}/graphql`, {
      method: 'POST',
      headers: { 'x-api-key': TEST_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    const { data } = (await response.json()) as { data: { classification: { exports: unknown[] } } };
    const exported = entries.filter(({ kind }) => kind === 'exported').length;
    return { faults: Number(report.faultCount), exported, listed: data.classification.exports.length };
  } finally {
    client.close();
  }
}

async function playKills(folder: string, rounds: number): Promise<string[]> {
  const misses: string[] = [];
  const whole = new Map<string, number>();
  let identifier = '';
  for (let round = 0; round < rounds; round++) {
    await using daemon = await TestDaemon.start({ folder });
    // A record of its own for some rounds: what is kept of one record's packages is bounded.
    if (round % 20 === 0) {
      identifier = await submitPicture(daemon, await distinctPicture(round));
      await awaitEnds(daemon, [identifier]);
    }
    const exporting = exportOnce(daemon, [identifier]);
    const before = Math.floor((KILL_WITHIN_MS * (round % 18)) / 17);
    const isWhole = await Promise.race([exporting, delay(before).then(() => false)]);
    await daemon.kill('SIGKILL');
    await exporting;
    if (isWhole) whole.set(identifier, (whole.get(identifier) ?? 0) + 1);
    await using after = await TestDaemon.start({ folder });
    const { faults, exported, listed } = await look(after, identifier);
    const came = whole.get(identifier) ?? 0;
    if (faults > 0 || exported !== listed || came > exported) {
      misses.push(`round ${round}: ${faults} faults, ${came} came, ${exported} entries, ${listed} listed`);
    }
  }
  return misses;
}

/** A store as a newsroom's after some months. */
async function fill(folder: string): Promise<void> {
  {
    // Makes the account that the records are of.
    await using _daemon = await TestDaemon.start({ folder });
  }
  await using store = await Store.open({ folder });
  await seedRecords(store, RECORDS, (index) => ({ name: `picture-${index}.jpg`, probability: 0.05 }));
}

interface Grown {
  daemon: number;
  /** With all that it started: decoders, models and the process that lays the report out. */
  tree: number;
}

/** Most that was held above what was held before, MiB of anonymous memory. */
async function measureCase(folder: string): Promise<Grown> {
  await fill(folder);
  await using daemon = await TestDaemon.start({ folder });
  const identifiers: string[] = [];
  for (let seed = 0; seed < CASE_PICTURES; seed++) {
    const picture = padJpeg(await distinctPicture(10_000 + seed, 1200), PICTURE_BYTES);
    identifiers.push(await submitPicture(daemon, picture));
  }
  await awaitEnds(daemon, identifiers);
  // Once alone, so that what is loaded once is not counted.
  await exportOnce(daemon, identifiers.slice(0, 1));
  const pid = daemon.process.pid ?? 0;
  const before = readMemory(pid);
  const most = { ...before };
  const timer = setInterval(() => {
    const now = readMemory(pid);
    for (const part of ['daemon', 'tree'] as const) most[part] = Math.max(most[part], now[part]);
  }, SAMPLE_MS);
  const startedAt = performance.now();
  const isWhole = await exportOnce(daemon, identifiers);
  clearInterval(timer);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(
    `a case of ${CASE_PICTURES} pictures: ${isWhole ? 'whole' : 'NOT whole'} in ${seconds} s\n`,
  );
  return { daemon: most.daemon - before.daemon, tree: most.tree - before.tree };
}

await using folder = await makeTemporaryFolder();
const rounds = numberArgument('rounds', ROUNDS_DEFAULT);
const misses = await playKills(folder.path, rounds);
process.stdout.write(
  `${rounds} kills amid exports: ${misses.length} misses\n${misses.map((miss) => `  ${miss}\n`).join('')}`,
);
const grown = await measureCase(folder.path);
process.stdout.write(
  `memory above that before: daemon ${grown.daemon.toFixed(0)} MiB, with its children ${grown.tree.toFixed(0)} MiB\n`,
);
if (misses.length > 0 || grown.daemon > MEMORY_MIB_MAX) process.exitCode = 1;
