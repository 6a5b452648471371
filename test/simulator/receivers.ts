/** Receivers of webhooks, behind the HTTP of the outbox: they take, refuse, ask for patience or say nothing. */

import type { PostWebhook } from '../../src/app/webhooks/post.ts';
import { pause } from '../../src/domain/clock.ts';
import type { Random } from '../heavy/random.ts';
import type { VirtualClock } from './virtual-clock.ts';

export interface ReceiverFaults {
  /** Shares of the messages that are refused with 503, and that no answer comes to although they were taken. */
  refuses: number;
  silent: number;
}

export interface TakenMessage {
  /** `webhook-id` */
  id: string;
  identifier: string;
  state: string;
}

export class Receivers {
  /** Every message that a receiver took, in order; it may have come more than once. */
  readonly taken: TakenMessage[] = [];
  faults: ReceiverFaults = { refuses: 0, silent: 0 };

  /** The way to them for one life of the process; what is sent after its death does not arrive. */
  post(clock: VirtualClock, random: Random, isAlive: () => boolean): PostWebhook {
    return async ({ message, timeoutMs }, signal) => {
      const { refuses, silent } = this.faults;
      const answer = { error: '', retryAfterSeconds: null };
      await pause(clock, random.whole(1, 500), signal);
      signal.throwIfAborted();
      if (random.chance(refuses)) {
        const retryAfterSeconds = random.chance(0.3) ? random.whole(1, 100) : null;
        return { status: 503, error: 'the receiver answered with status 503', retryAfterSeconds };
      }
      if (isAlive()) this.#take(message.id, message.body);
      if (!random.chance(silent)) return { ...answer, status: 204 };
      await pause(clock, timeoutMs, signal);
      signal.throwIfAborted();
      return { ...answer, status: null, error: 'no answer' };
    };
  }

  #take(id: string, body: string): void {
    const { identifier = '', status = '' } = JSON.parse(body) as { identifier?: string; status?: string };
    this.taken.push({ id, identifier, state: status });
  }
}
