/** Kills amid custody writes (`--rounds N`, 200): the chain verifies, and facts and entries match, or exit code 1. */
import { deepEqual, equal } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { open } from 'lmdb';
import { verifyCustody } from '../../src/store/custody/verify.ts';
import { Store } from '../../src/store/store.ts';
import { openTables, TABLES_MAX } from '../../src/store/tables/schema.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { numberArgument, Random } from './random.ts';

const NEVER = new AbortController().signal;
const ROUNDS = 200;
const LIFE_MS_MAX = 250;
const WRITER = join(import.meta.dirname, 'custody-writer.ts');

const rounds = numberArgument('rounds', ROUNDS);
const random = new Random(11);
await using folder = await makeTemporaryFolder();
let entries = 0;
let verifyMs = 0;
for (let round = 0; round < rounds; round += 1) {
  await writeAndKill(round);
  const overridden = await judge(round);
  equal(await countFindings(), overridden, `round ${round}: findings and their entries`);
}
process.stdout.write(
  `${rounds} kills, ${entries} entries: whole; the last verification took ${Math.round(verifyMs)} ms\n`,
);

async function writeAndKill(round: number): Promise<void> {
  const child = spawn(process.execPath, [WRITER, folder.path, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  await delay(random.whole(0, LIFE_MS_MAX));
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Resolves with the entries of a person's finding. */
async function judge(round: number): Promise<number> {
  await using store = await Store.open({ folder: folder.path });
  const began = performance.now();
  const report = await verifyCustody(store.read.custody, { publicKeys: null, signal: NEVER });
  verifyMs = performance.now() - began;
  deepEqual(report.faults, [], `round ${round}`);
  equal(report.epochs.length, 1, 'a killed daemon is the same box');
  entries = report.size;
  return compare(store, round);
}

/** What the tables hold against what the log says. */
function compare({ read }: Store, round: number): number {
  const said = new Map<string, Set<string>>();
  let overridden = 0;
  for (let sequence = 0; sequence < read.custody.size; sequence += 1) {
    const entry = read.custody.entry(sequence);
    if (entry === undefined) throw new Error(`round ${round}: no entry ${sequence}`);
    const { kind, subject } = entry;
    if (kind === 'overridden') overridden += 1;
    else said.set(subject, (said.get(subject) ?? new Set()).add(kind));
  }
  let records = 0;
  for (const { identifier, analysisId } of read.records.scan({ accountId: 1 })) {
    records += 1;
    const kinds = said.get(identifier);
    const ended = read.analyses.get(analysisId)?.state;
    const found = ['received', 'deleted', 'analysed', 'failed'].map((kind) => kinds?.has(kind) ?? false);
    deepEqual(found, [true, false, ended === 'done', ended === 'errored'], `round ${round}: ${identifier}`);
  }
  const open = [...said.values()].filter((kinds) => kinds.has('received') && !kinds.has('deleted'));
  equal(open.length, records, `round ${round}: entries without their record`);
  return overridden;
}

async function countFindings(): Promise<number> {
  const root = open({ path: join(folder.path, 'records'), readOnly: true, maxDbs: TABLES_MAX });
  const { count } = openTables(root).overrideHistory;
  await root.close();
  return count;
}
