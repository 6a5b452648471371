/** What holds at the end of a history: everything accepted is answered and reported, and nothing is left over. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pause } from '../../src/domain/clock.ts';
import { verifyCustody } from '../../src/store/custody/verify.ts';
import type { ActionParts } from './clients/action.ts';
import { checkDrops, layFile } from './drops.ts';
import { checkInvariants, recordsOf } from './invariants.ts';
import { dataFolderOf } from './life.ts';
import type { Receivers } from './receivers.ts';
import type { SimulatedExecutor } from './simulated-executor.ts';

export interface EndParts extends ActionParts {
  receivers: Receivers;
  executor: SimulatedExecutor;
  drive: <T>(work: Promise<T>, what: string) => Promise<T>;
}

/** Looks while something is waited for. */
const LOOKS = 2000;
const NEVER = new AbortController().signal;
/** Attempts and their pauses take minutes; what is still open after an hour never ends. */
const WORK_MS_MAX = 1_800_000;
/** A delivery's retries take a day. */
const DELIVERIES_MS_MAX = 30 * 3_600_000;

export async function checkEnd(parts: EndParts): Promise<void> {
  const { life, drive } = parts;
  await drive(
    until(parts, WORK_MS_MAX, 'every analysis ends', () => openAnalyses(parts) === 0),
    'the work',
  );
  await drive(latecomerIsTaken(parts), 'the latecomer');
  await drive(
    until(parts, WORK_MS_MAX, 'every analysis ends', () => openAnalyses(parts) === 0),
    'the work',
  );
  await drive(pause(life.app.clock, FINISH_MS), 'the finishing of files');
  checkDrops(parts);
  await life.stopWatching();
  // A file that was being taken at the stop gets its analysis, too.
  await drive(
    until(parts, WORK_MS_MAX, 'every analysis ends', () => openAnalyses(parts) === 0),
    'the last work',
  );
  await drive(
    until(parts, DELIVERIES_MS_MAX, 'every delivery ends', () => nextDelivery(parts) === undefined),
    'the deliveries',
  );
  checkInvariants({ app: life.app, book: parts.book });
  everythingIsAnswered(parts);
  everythingIsReported(parts);
  await nothingIsLeft(parts);
  const report = await verifyCustody(life.app.store.read.custody, { publicKeys: null, signal: NEVER });
  if (!report.isWhole) throw new Error(`the chain is whole: ${JSON.stringify(report.faults)}`);
}

/** A large drop keeps the folder busy; when it is taken, what comes next is seen as soon as ever. */
async function latecomerIsTaken(parts: EndParts): Promise<void> {
  const { life, random, executor } = parts;
  const { clock, store } = life.app;
  const [rule] = store.read.automation.watchFolders();
  if (rule === undefined || !random.chance(LARGE_DROPS_SHARE)) return;
  const isTaken = (name: string) => store.read.automation.watchedFile(rule.id, name) !== undefined;
  const names = Array.from({ length: LARGE_DROP }, (_, index) => `large-${index}.png`);
  executor.takesMsMax = 6000;
  for (const name of names) layFile(parts, name, 1);
  await until(parts, WORK_MS_MAX, 'a drop is taken', () => names.every(isTaken));
  executor.takesMsMax = 100;
  layFile(parts, 'late.png', 1);
  const laidMs = clock.elapsedMs();
  await until(parts, WORK_MS_MAX, 'a latecomer is taken', () => isTaken('late.png'));
  const seconds = (clock.elapsedMs() - laidMs) / 1000;
  if (seconds > LATE_SECONDS_MAX)
    throw new Error(`a folder sleeps no longer than its pauses: a file was taken after ${seconds} s`);
}

const LARGE_DROPS_SHARE = 0.3;
const LARGE_DROP = 40;
/** Time for two looks and for a file to lie still. */
const LATE_SECONDS_MAX = 15;
const FINISH_MS = 90_000;

async function until({ life }: EndParts, withinMs: number, what: string, isSo: () => boolean): Promise<void> {
  const { clock } = life.app;
  const startedMs = clock.elapsedMs();
  while (!isSo()) {
    if (clock.elapsedMs() - startedMs > withinMs) throw new Error(`${what}: not within ${withinMs / 1000} s`);
    await pause(clock, Math.max(1000, withinMs / LOOKS));
  }
}

function openAnalyses({ life }: EndParts): number {
  return [...life.app.store.read.openAnalyses()].length;
}

function nextDelivery({ life }: EndParts): number | undefined {
  return life.app.store.read.nextDeliveryAt();
}

function everythingIsAnswered({ life, book }: EndParts): void {
  const { read } = life.app.store;
  for (const { identifier, mayBeCancelled, mayBeDeleted } of book.accepted.values()) {
    const record = read.records.get(identifier);
    if (record === undefined || mayBeDeleted) continue;
    const state = read.analyses.get(record.analysisId)?.state;
    const isAnswered = state === 'done' || state === 'errored';
    if (!isAnswered && !mayBeCancelled) throw new Error(`accepted is answered: ${identifier} is ${state}`);
  }
}

/** Each record with a webhook was reported at least once, under one identifier, after it ended. */
function everythingIsReported({ life, receivers }: EndParts): void {
  const { read } = life.app.store;
  for (const record of recordsOf(life.app)) {
    const { identifier, webhookUrl, origin, cancelled } = record;
    const state = read.analyses.get(record.analysisId)?.state;
    if (webhookUrl === null || origin === 'cached' || cancelled || state === 'cancelled') continue;
    const received = receivers.taken.filter((message) => message.identifier === identifier);
    const deliveries = read.deliveries(record.accountId, { limit: 1000 });
    const own = deliveries.filter((delivery) => delivery.identifier === identifier);
    if (own.some((delivery) => delivery.state === 'failed')) continue;
    if (received.length === 0)
      throw new Error(
        `accepted is reported: no receiver heard of ${identifier} (${state}, ${origin}): ${JSON.stringify(own)} ${JSON.stringify(receivers.taken)}`,
      );
  }
}

async function nothingIsLeft({ life, folder, executor }: EndParts): Promise<void> {
  const { store } = life.app;
  await store.sweepOrphans(NEVER);
  const data = dataFolderOf(folder);
  const uploads = readdirSync(join(data, 'uploads'));
  if (uploads.length > 0)
    throw new Error(`every place is freed: ${uploads.length} uploads are left: ${uploads}`);
  const open = store.unfinishedUploads.list().filter(({ identifier }) => identifier === null);
  const partial = readdirSync(join(data, 'partial')).filter((name) => !name.endsWith('.json'));
  if (partial.length !== open.length)
    throw new Error(`every place is freed: ${open.length} unfinished uploads have ${partial.length} files`);
  if (executor.busy > 0) throw new Error(`every place is freed: ${executor.busy} children are busy`);
  const kept = readdirSync(join(data, 'blobs')).flatMap((prefix) => readdirSync(join(data, 'blobs', prefix)));
  for (const hash of kept) {
    if (!store.read.hasBlobReference(hash)) throw new Error(`bytes are bounded: no record names ${hash}`);
  }
}
