/**
 * `npm run torture -- --rounds N --seed S`: submissions over every facade while the daemon and its children are
 * killed at random instants. After each restart: what was accepted ends, the ledger adds up, nothing is left behind,
 * an answer from the cache equals a fresh one. A seed repeats the choices (not the kernel's timing).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TestDaemon } from '../daemon.ts';
import { jobInputs, uploadFiles } from '../faults/rounds/data-folder.ts';
import { childrenOf, isAlive } from '../faults/rounds/processes.ts';
import {
  awaitIdle,
  distinctPicture,
  KEY_HEADERS,
  pidOf,
  setPicturePrice,
  until,
} from '../faults/rounds/submissions.ts';
import { readBooks } from './books.ts';
import { numberArgument, Random } from './random.ts';
import { WAYS } from './submit.ts';

const ROUNDS_DEFAULT = 20;
const PRICE = 3;
const SUBMISSIONS_MAX = 8;
/** How long after the first submission the end comes; an analysis takes a good part of it. */
const KILL_AFTER_MS_MAX = 2500;
const SIDES = [160, 240, 320, 640];
/** Share of media that were sent before: the cache is a path of its own. */
const REPEAT_SHARE = 0.25;
const CONFIDENCE_TOLERANCE = 1e-4;
/** Deadlines for hundreds of starts, on a machine that may be busy with other things. */
const READY_TIMEOUT_MS = 300_000;
const END_TIMEOUT_MS = 300_000;

interface Totals {
  submitted: number;
  accepted: number;
  refused: number;
  cached: number;
  kills: Record<string, number>;
  readyMs: number[];
}

interface Run {
  random: Random;
  folder: string;
  accepted: Set<string>;
  /** Pictures by the seed that makes them, with a record of each that ended. */
  sent: number[];
  totals: Totals;
  problems: string[];
}

async function torture(rounds: number, seed: number): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-torture-'));
  const run: Run = {
    random: new Random(seed),
    folder,
    accepted: new Set(),
    sent: [],
    totals: { submitted: 0, accepted: 0, refused: 0, cached: 0, kills: {}, readyMs: [] },
    problems: [],
  };
  process.stdout.write(`torture: ${rounds} rounds, --seed ${seed}, in ${folder}\n`);
  {
    await using daemon = await TestDaemon.start({ folder, awaitReady: false });
    await setPicturePrice(daemon, PRICE);
  }
  for (let round = 1; round <= rounds && run.problems.length === 0; round++) {
    await playRound(run, round).catch((error: unknown) => run.problems.push(`round ${round}: ${error}`));
    if (round % 10 === 0) process.stdout.write(`  ${round} rounds, ${run.accepted.size} accepted\n`);
  }
  await settle(run);
  const isGood = run.problems.length === 0;
  report(run);
  if (isGood) rmSync(folder, { recursive: true, force: true });
  else
    process.stdout.write(
      `${run.problems.join('\n')}\nthe folder is kept: ${folder}; repeat with --seed ${seed}\n`,
    );
  return isGood;
}

async function playRound(run: Run, round: number): Promise<void> {
  const { random, folder, totals } = run;
  const startedAt = performance.now();
  const daemon = await TestDaemon.start({ folder, readyTimeoutMs: READY_TIMEOUT_MS });
  totals.readyMs.push(performance.now() - startedAt);
  await assertAllEnd(run, daemon);
  if (run.sent.length > 0 && random.chance(0.5)) await compareCache(run, daemon);
  const { decode, inference } = childrenOf(pidOf(daemon));
  const submissions = submitSome(run, daemon);
  await killAtRandom(run, daemon);
  await submissions;
  await until(() => ![...decode, ...inference].some(isAlive), 'the children to end with their daemon');
  const { problems } = await readBooks(folder, run.accepted, PRICE);
  run.problems.push(...problems.map((problem) => `round ${round}: ${problem}`));
}

async function submitSome(run: Run, daemon: TestDaemon): Promise<void> {
  const { random, totals } = run;
  const orders = Array.from({ length: random.whole(1, SUBMISSIONS_MAX) }, () => {
    const isRepeat = run.sent.length > 0 && random.chance(REPEAT_SHARE);
    const seed = isRepeat ? random.pick(run.sent) : random.whole(1, 1_000_000);
    return { seed, way: random.pick(WAYS), waitMs: random.whole(0, KILL_AFTER_MS_MAX / 2) };
  });
  await Promise.all(
    orders.map(async ({ seed, way, waitMs }) => {
      const bytes = await pictureOf(seed);
      await delay(waitMs);
      totals.submitted += 1;
      try {
        const identifier = await way.submit(daemon, bytes);
        run.accepted.add(identifier);
        run.sent.push(seed);
        totals.accepted += 1;
      } catch {
        // Cut off by the kill, or refused by a daemon that ends: either way nothing was promised.
        totals.refused += 1;
      }
    }),
  );
}

function pictureOf(seed: number): Promise<Buffer> {
  return distinctPicture(seed, SIDES[seed % SIDES.length] ?? 320);
}

/** Kills a child at times, then always the daemon: mostly without warning, sometimes in order. */
async function killAtRandom({ random, totals }: Run, daemon: TestDaemon): Promise<void> {
  const noteKill = (what: string) => {
    totals.kills[what] = (totals.kills[what] ?? 0) + 1;
  };
  await delay(random.whole(0, KILL_AFTER_MS_MAX));
  if (random.chance(0.4)) {
    const kind = random.pick(['decode', 'inference'] as const);
    const [victim] = childrenOf(pidOf(daemon))[kind];
    if (victim !== undefined) {
      process.kill(victim, 'SIGKILL');
      noteKill(kind);
    }
    await delay(random.whole(0, KILL_AFTER_MS_MAX / 2));
  }
  const signal = random.chance(0.15) ? 'SIGTERM' : 'SIGKILL';
  const code = await daemon.kill(signal);
  noteKill(signal);
  if (signal === 'SIGTERM' && code !== 0)
    throw new Error(`SIGTERM ended with ${code}: ${daemon.stderr.join('\n')}`);
}

/** What a restart owes: every promise kept, and nothing of the dead daemon left. */
async function assertAllEnd(run: Run, daemon: TestDaemon): Promise<void> {
  await until(async () => (await openIdentifiers(daemon)) === 0, 'every record to end', END_TIMEOUT_MS);
  await awaitIdle(daemon);
  await until(() => jobInputs(run.folder).length === 0, 'the slots to be emptied');
  if (uploadFiles(run.folder).length > 0) run.problems.push('temporary uploads outlived a start');
}

async function openIdentifiers({ http }: TestDaemon): Promise<number> {
  const response = await fetch(`${http}/api/classifications`, { headers: KEY_HEADERS });
  const records = (await response.json()) as { status: string }[];
  return records.filter(({ status }) => status === 'new').length;
}

interface Answer {
  status: string;
  verdict?: { classification: string; confidence: number };
  results: { model: string; classification: unknown }[];
}

/** The same bytes, once from the cache and once forced to be analysed anew. */
async function compareCache(run: Run, daemon: TestDaemon): Promise<void> {
  const bytes = await pictureOf(run.random.pick(run.sent));
  const [cached, fresh] = [await ask(daemon, bytes, false), await ask(daemon, bytes, true)];
  run.accepted.add(cached.identifier).add(fresh.identifier);
  run.totals.cached += 1;
  const [left, right] = [cached.answer.verdict, fresh.answer.verdict];
  const gap = Math.abs((left?.confidence ?? 0) - (right?.confidence ?? 0));
  if (left?.classification !== right?.classification || gap > CONFIDENCE_TOLERANCE) {
    run.problems.push(`the cache says ${JSON.stringify(left)}, a fresh analysis ${JSON.stringify(right)}`);
  }
}

async function ask(
  { http }: TestDaemon,
  bytes: Buffer,
  isFresh: boolean,
): Promise<{ identifier: string; answer: Answer }> {
  const body = new FormData();
  if (isFresh) body.set('no_cache', '1');
  body.set('image', new Blob([new Uint8Array(bytes)]), 'picture.jpg');
  const response = await fetch(`${http}/api/classification`, { method: 'POST', headers: KEY_HEADERS, body });
  const identifier = await response.text();
  if (response.status !== 200) throw new Error(`refused: ${response.status} ${identifier}`);
  let answer: Answer = { status: 'new', results: [] };
  const read = async () => {
    const found = await fetch(`${http}/api/classification/${identifier}`, { headers: KEY_HEADERS });
    answer = (await found.json()) as Answer;
    return answer.status !== 'new';
  };
  await until(read, `${identifier} to end`, END_TIMEOUT_MS);
  return { identifier, answer };
}

/** The last round's promises are kept too, and a clean stop leaves the books in order. */
async function settle(run: Run): Promise<void> {
  if (run.problems.length > 0) return;
  const daemon = await TestDaemon.start({ folder: run.folder, readyTimeoutMs: READY_TIMEOUT_MS });
  await assertAllEnd(run, daemon);
  await daemon.kill('SIGTERM');
  const { problems, open, records, errored } = await readBooks(run.folder, run.accepted, PRICE);
  run.problems.push(...problems);
  if (open > 0) run.problems.push(`${open} records did not end`);
  process.stdout.write(`${records} records in the store, ${errored} of them errored\n`);
}

function report({ totals, accepted, problems }: Run): void {
  const { kills, readyMs, ...counts } = totals;
  const sorted = readyMs.toSorted((left, right) => left - right);
  const ready = `${(sorted[sorted.length >> 1] ?? 0).toFixed(0)} ms median, ${(sorted.at(-1) ?? 0).toFixed(0)} ms most`;
  console.table([{ ...counts, 'answered identifiers': accepted.size, ...kills, problems: problems.length }]);
  process.stdout.write(`from start to ready: ${ready}\n`);
}

const rounds = numberArgument('rounds', ROUNDS_DEFAULT);
const seed = numberArgument('seed', Date.now() % 1_000_000);
if (!(await torture(rounds, seed))) process.exitCode = 1;
