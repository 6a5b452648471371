/** Notes when a key was last used, after the request, so that no answer waits for the disk. */
import type { ApiKey } from '../../domain/accounts/account.ts';
import type { Core } from '../core.ts';

/** To the minute: a write per request would cost more than the request. */
const USE_NOTED_EVERY_US = 60 * 1_000_000;

export class KeyUses {
  readonly #core: Pick<Core, 'store' | 'clock' | 'log'>;
  /** Hashes of keys whose use is about to be written, so that a burst writes once. */
  readonly #pending = new Set<string>();

  constructor(core: Pick<Core, 'store' | 'clock' | 'log'>) {
    this.#core = core;
  }

  note({ hash, lastUsedAt }: ApiKey): void {
    if (lastUsedAt !== null && this.#core.clock.now() - lastUsedAt < USE_NOTED_EVERY_US) return;
    if (this.#pending.has(hash)) return;
    this.#pending.add(hash);
    this.#core.clock.soon(() => this.#write(hash));
  }

  async #write(hash: string): Promise<void> {
    const { store, clock, log } = this.#core;
    try {
      await store.transact((tx) => {
        // Read again: a key revoked meanwhile must not come back.
        const key = tx.accounts.apiKey(hash);
        if (key !== undefined) tx.accounts.putApiKey({ ...key, lastUsedAt: clock.now() });
      });
    } catch (error) {
      log.debug({ err: error }, 'the last use of a key was not noted');
    } finally {
      this.#pending.delete(hash);
    }
  }
}
