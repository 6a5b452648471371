/** All watched folders: one watch for each stored rule, begun and ended as rules come and go. */
import { LookPace } from '../../machinery/look-pace.ts';
import { FolderWatch } from './folder-watch.ts';
import type { WatchFolderParts } from './parts.ts';
import { forgetRemoved } from './watch-folders.ts';

/** Looks in a second over all folders: ten thousand files take some seconds, and a share hardly notices. */
const LOOKS_PER_SECOND_MAX = 2000;

export class WatchLoop implements AsyncDisposable {
  readonly #app: WatchFolderParts;
  readonly #pace: LookPace;
  readonly #watches = new Map<number, FolderWatch>();
  readonly #stopped = new AbortController();
  #syncing: Promise<void> = Promise.resolve();

  constructor(app: WatchFolderParts) {
    this.#app = app;
    this.#pace = new LookPace(LOOKS_PER_SECOND_MAX, app.clock);
  }

  start(): void {
    this.#app.watching.onChange = () => this.#syncSoon();
    this.#syncSoon();
  }

  /** Takes no more files, and ends running copies; their rows say whether they became records. */
  async stop(): Promise<void> {
    this.#app.watching.onChange = () => undefined;
    this.#stopped.abort();
    await this.#syncing;
    await Promise.all(Array.from(this.#watches.values(), (watch) => watch[Symbol.asyncDispose]()));
    this.#watches.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #syncSoon(): void {
    this.#syncing = this.#syncing
      .then(() => this.#sync())
      .catch((error: unknown) => this.#app.log.error({ err: error }, 'watched folders could not be begun'));
  }

  async #sync(): Promise<void> {
    const { store, watching, config } = this.#app;
    for (const { id, isRemoved } of store.read.automation.watchFolders()) {
      if (this.#stopped.signal.aborted) return;
      if (isRemoved) await this.#end(id);
      else if (config.watchRoots.length === 0) {
        watching.put(id, { state: 'off', reason: 'the setting watch.roots is empty' });
      } else this.#begin(id);
    }
    this.#count();
  }

  #begin(id: number): void {
    const known = this.#watches.get(id);
    if (known === undefined) {
      this.#watches.set(id, new FolderWatch(this.#app, id, this.#pace, () => this.#count()));
    } else known.wake();
  }

  async #end(id: number): Promise<void> {
    await this.#watches.get(id)?.[Symbol.asyncDispose]();
    this.#watches.delete(id);
    this.#app.watching.forget(id);
    await forgetRemoved(this.#app, id, this.#stopped.signal);
  }

  #count(): void {
    const { metrics, watching } = this.#app;
    metrics.watchFolders.reset();
    for (const state of watching.states()) metrics.watchFolders.inc({ state });
  }
}
