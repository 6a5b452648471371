/** Sends again after a busy daemon's refusal, at the time that it asks for. */
import { setTimeout as sleep } from 'node:timers/promises';
import { CliFailure } from '../terminal/failure.ts';
import { Interrupted } from './classify-file.ts';

/** Attempts at a busy daemon before the file counts as failed. */
const ATTEMPTS_MAX = 8;
const WAIT_SECONDS_MAX = 30;

/** A source that cannot be read twice, such as standard input, is not repeated. */
export async function withRetries<T>(
  interrupted: AbortSignal,
  canRepeat: boolean,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      const wait = error instanceof CliFailure ? error.retryAfterSeconds : null;
      if (wait === null || !canRepeat || attempts === ATTEMPTS_MAX) throw error;
      const seconds = Math.min(WAIT_SECONDS_MAX, Math.max(wait, 0.5) * attempts);
      await sleep(seconds * 1000, undefined, { signal: interrupted }).catch(() => {
        throw new Interrupted(null);
      });
    }
  }
}
