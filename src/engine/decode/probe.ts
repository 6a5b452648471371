/** A look at a file's type and size in a decode child. */
import type { Probe } from '../../worker/protocol.ts';
import { toProbeError } from '../engine-errors.ts';
import { WorkerLostError } from '../worker-errors.ts';
import { DECODE_LIMITS } from './decode-limits.ts';
import type { DecodePool } from './decode-pool.ts';
import type { DecodeSlot, RequestOptions } from './decode-slot.ts';

/** A child may die for reasons of its own once; twice over the same file, it is the file. */
const TRIES_MAX = 2;

export async function probeInSlot(
  slot: DecodeSlot,
  path: string,
  bounds: Pick<RequestOptions, 'signal' | 'timeoutMs'>,
): Promise<Probe> {
  const input = await slot.placeInput(path, { signal: bounds.signal });
  const { probe } = await slot.request({ type: 'probe', input, limits: DECODE_LIMITS }, bounds);
  return probe;
}

/** For a submission that waits: with what it throws already turned into AppErrors. */
export async function probeForCaller(
  pool: Pick<DecodePool, 'run'>,
  path: string,
  {
    timeoutMs,
    ...wait
  }: { signal: AbortSignal; waitTimeoutMs: number; timeoutMs: number; accountId?: number | undefined },
): Promise<Probe> {
  const { signal } = wait;
  for (let tries = 1; ; tries += 1) {
    try {
      return await pool.run('probe', (slot) => probeInSlot(slot, path, { signal, timeoutMs }), wait);
    } catch (error) {
      const isWorthAgain =
        error instanceof WorkerLostError && error.loss !== 'stopped' && error.loss !== 'deadline';
      if (!isWorthAgain || tries >= TRIES_MAX) throw toProbeError(error);
    }
  }
}
