/**
 * Kill -9 amid exports: the custody log verifies after each, a package that came whole has its entry, and what the record tells of
 * its packages is what the log tells. Then the memory of a case of fifty pictures.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { credentials, Metadata } from '@grpc/grpc-js';
import { CustodyService } from '../../src/grpc/gen/assay/v1/custody_service_pb.ts';
import { EvidenceService } from '../../src/grpc/gen/assay/v1/evidence_service_pb.ts';
import { TEST_KEY, TestDaemon } from '../daemon.ts';
import { awaitEnds, distinctPicture, submitPicture } from '../faults/rounds/submissions.ts';
import { openServiceClient } from '../service-client.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { memoryOf } from './measure.ts';
import { numberArgument } from './random.ts';

const ROUNDS_DEFAULT = 200;
const CASE_PICTURES = 50;
/** An export of one record takes one to two seconds. */
const KILL_WITHIN_MS = 1800;
const MEMORY_BYTES_MAX = 50 * 1024 ** 2;
const SAMPLE_MS = 20;

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
async function look({ grpc, http }: TestDaemon, identifier: string): Promise<Found & { told: number }> {
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
    return { faults: Number(report.faultCount), exported, told: data.classification.exports.length };
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
    const { faults, exported, told } = await look(after, identifier);
    const came = whole.get(identifier) ?? 0;
    if (faults > 0 || exported !== told || came > exported) {
      misses.push(`round ${round}: ${faults} faults, ${came} came, ${exported} entries, ${told} told`);
    }
  }
  return misses;
}

/** Most that the daemon held above what it held before. */
async function measureCase(folder: string): Promise<number> {
  await using daemon = await TestDaemon.start({ folder });
  const identifiers: string[] = [];
  for (let seed = 0; seed < CASE_PICTURES; seed++) {
    identifiers.push(await submitPicture(daemon, await distinctPicture(10_000 + seed, 1200)));
  }
  await awaitEnds(daemon, identifiers);
  // Once alone, so that what is loaded once is not counted.
  await exportOnce(daemon, identifiers.slice(0, 1));
  const before = memoryOf(daemon);
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, memoryOf(daemon));
  }, SAMPLE_MS);
  const startedAt = performance.now();
  const isWhole = await exportOnce(daemon, identifiers);
  clearInterval(timer);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(
    `a case of ${CASE_PICTURES} pictures: ${isWhole ? 'whole' : 'NOT whole'} in ${seconds} s\n`,
  );
  return most - before;
}

await using folder = await makeTemporaryFolder();
const rounds = numberArgument('rounds', ROUNDS_DEFAULT);
const misses = await playKills(folder.path, rounds);
process.stdout.write(
  `${rounds} kills amid exports: ${misses.length} misses\n${misses.map((miss) => `  ${miss}\n`).join('')}`,
);
const grown = await measureCase(folder.path);
process.stdout.write(`memory above that before: ${(grown / 1024 ** 2).toFixed(0)} MiB\n`);
if (misses.length > 0 || grown > MEMORY_BYTES_MAX) process.exitCode = 1;
