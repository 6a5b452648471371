/** A look at a file's type and size in a decode child. */
import type { Probe } from '../worker/protocol.ts';
import { DECODE_LIMITS } from './decode-limits.ts';
import type { DecodePool } from './decode-pool.ts';
import type { DecodeSlot } from './decode-slot.ts';
import { toProbeError } from './engine-errors.ts';
import { WorkerLostError } from './worker-errors.ts';

/** A child may die for reasons of its own once; twice over the same file, it is the file. */
const TRIES_MAX = 2;

export async function probeInSlot(slot: DecodeSlot, path: string, signal: AbortSignal): Promise<Probe> {
  const input = await slot.placeInput(path);
  const { probe } = await slot.request({ type: 'probe', input, limits: DECODE_LIMITS }, { signal });
  return probe;
}

/** For a submission that waits: with what it throws already turned into AppErrors. */
export async function probeForCaller(
  pool: Pick<DecodePool, 'run'>,
  path: string,
  wait: { signal: AbortSignal; waitTimeoutMs: number; accountId?: number | undefined },
): Promise<Probe> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await pool.run('probe', (slot) => probeInSlot(slot, path, wait.signal), wait);
    } catch (error) {
      const isWorthAgain =
        error instanceof WorkerLostError && error.loss !== 'stopped' && error.loss !== 'deadline';
      if (!isWorthAgain || tries >= TRIES_MAX) throw toProbeError(error);
    }
  }
}
