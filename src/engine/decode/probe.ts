/** Looks at a file in a decode child while somebody waits, for its type and size, or its marks. */
import type { TrustMaterial } from '../../domain/provenance/trust-list.ts';
import type { Probe, ReadMarks } from '../../worker/protocol/decoded-media.ts';
import { toProbeError } from '../children/engine-errors.ts';
import { type WorkerLoss, WorkerLostError } from '../children/worker-errors.ts';
import { DECODE_LIMITS } from './decode-limits.ts';
import type { DecodePool } from './decode-pool.ts';
import type { DecodeSlot, RequestOptions } from './decode-slot.ts';

/** A child may die or hang once for reasons of its own; twice over the same file, the file is the cause. */
const TRIES_MAX = 2;
/** A start takes half a second, and ten times as long on a fully loaded box. */
const CHILD_START_MS_MAX = 15_000;

type Bounds = Pick<RequestOptions, 'signal' | 'timeoutMs'>;

export async function probeInSlot(slot: DecodeSlot, path: string, bounds: Bounds): Promise<Probe> {
  const input = await slot.placeInput(path, { signal: bounds.signal });
  const { probe } = await slot.request({ type: 'probe', input, limits: DECODE_LIMITS }, bounds);
  return probe;
}

export interface CallerBounds {
  signal: AbortSignal;
  waitTimeoutMs: number;
  timeoutMs: number;
  accountId?: number | undefined;
}

export type Pool = Pick<DecodePool, 'run'>;

export async function probeForCaller(pool: Pool, path: string, bounds: CallerBounds): Promise<Probe> {
  return await lookForCaller(pool, (slot, within) => probeInSlot(slot, path, within), bounds);
}

export async function readMarksForCaller(
  pool: Pool,
  file: { path: string; trust: TrustMaterial },
  bounds: CallerBounds,
): Promise<ReadMarks> {
  return await lookForCaller(pool, (slot, within) => readMarksInSlot(slot, file, within), bounds);
}

async function readMarksInSlot(
  slot: DecodeSlot,
  { path, trust }: { path: string; trust: TrustMaterial },
  bounds: Bounds,
): Promise<ReadMarks> {
  const input = await slot.placeInput(path, { signal: bounds.signal });
  const work = { type: 'read-marks', input, limits: DECODE_LIMITS, trust } as const;
  return (await slot.request(work, bounds)).read;
}

/** Runs a look; its faults become AppErrors. */
export async function lookForCaller<T>(
  pool: Pool,
  look: (slot: DecodeSlot, bounds: Bounds) => Promise<T>,
  { timeoutMs, ...wait }: CallerBounds,
): Promise<T> {
  const { signal } = wait;
  const losses: WorkerLoss[] = [];
  for (;;) {
    try {
      const options = { ...wait, startTimeoutMs: CHILD_START_MS_MAX };
      return await pool.run('probe', (slot) => look(slot, { signal, timeoutMs }), options);
    } catch (error) {
      if (error instanceof WorkerLostError) losses.push(error.loss);
      // After a deadline the pool keeps no idle child: the next try has a fresh one, or one that has just answered.
      const isWorthAgain = error instanceof WorkerLostError && error.loss !== 'stopped';
      if (!isWorthAgain || losses.length >= TRIES_MAX) throw toProbeError(error, losses, { timeoutMs });
    }
  }
}
