/** Asks the timestamp authorities, one package after the other. A question that a kill cuts off is repeated. */
import {
  afterTimestampAttempt,
  type PackageTimestamps,
  TIMESTAMP_PAUSE_SECONDS_MAX,
  type TimestampAnswer,
} from '../../domain/records/package-timestamps.ts';
import { MICROSECONDS_PER_SECOND } from '../../domain/time.ts';
import { DueLoop } from '../../machinery/due-loop.ts';
import type { Core } from '../core.ts';
import { askForTimestamp } from './timestamps.ts';

export interface TimestampLoopParts extends Pick<Core, 'store' | 'clock' | 'log' | 'metrics' | 'config'> {
  /** 0 ≤ x < 1, for the spread of retries. */
  random: () => number;
  /** Called when tokens of this package have come. */
  onStamped: (packageSha256: string) => void;
}

export function openTimestampLoop(parts: TimestampLoopParts): DueLoop<string> {
  return new DueLoop(
    { inFlightMax: 1, inFlightPerGroupMax: 1 },
    {
      due: () => duePackages(parts),
      nextAt: () => [...parts.store.read.timestampsDue()][0]?.dueAt,
      keyOf: (packageSha256) => packageSha256,
      groupOf: () => '',
      carryOut: (packageSha256, signal) => askForPackage(parts, packageSha256, signal),
      fault: 'what timestamp authorities answered could not be written down',
    },
    parts,
  );
}

/** A wait longer than any pause comes from a clock that was ahead, and is over. */
function duePackages({ store, clock }: TimestampLoopParts): string[] {
  const now = clock.now();
  const latest = now + TIMESTAMP_PAUSE_SECONDS_MAX * MICROSECONDS_PER_SECOND;
  return [...store.read.timestampsDue()].flatMap(({ dueAt, packageSha256 }) =>
    dueAt <= now || dueAt > latest ? packageSha256 : [],
  );
}

async function askForPackage(
  parts: TimestampLoopParts,
  packageSha256: string,
  signal: AbortSignal,
): Promise<void> {
  const { store, clock, config, random, onStamped } = parts;
  const found = store.read.timestampsOf(packageSha256);
  if (found === undefined) return;
  const { signature } = found;
  const waiting = found.requests.filter(({ state }) => state === 'waiting');
  const answered = waiting.map(async ({ authority }) => {
    const answer = await askForTimestamp(config, authority, signature, signal);
    return [authority, answer] as const;
  });
  const answers = new Map(await Promise.all(answered));
  const next = await store.transact((tx) => {
    const current = tx.timestampsOf(packageSha256);
    // The last of its records was deleted meanwhile.
    if (current === undefined) return undefined;
    const made = afterTimestampAttempt(current, answers, clock.now(), random());
    tx.putTimestamps(made);
    return made;
  });
  if (next !== undefined) report(parts, next, answers);
  if ([...answers.values()].some((answer) => 'reply' in answer)) onStamped(packageSha256);
}

function report(
  { log, metrics }: TimestampLoopParts,
  { packageSha256, requests }: PackageTimestamps,
  answers: ReadonlyMap<string, TimestampAnswer>,
): void {
  for (const { authority, state, error } of requests) {
    if (!answers.has(authority)) continue;
    metrics.timestamps.inc({ outcome: state === 'waiting' ? 'retried' : state });
    const about = { authority, package: packageSha256, ...(error === '' ? {} : { error }) };
    if (state === 'stamped') log.info(about, 'a timestamp authority has stamped a package');
    else if (state === 'waiting') log.warn(about, 'a timestamp authority gave no token; it is asked again');
    else log.error(about, 'a timestamp authority gave no token for a week; it is not asked any more');
  }
}
