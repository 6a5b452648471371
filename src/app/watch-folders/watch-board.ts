/** What each watched folder does now, and which one it is. In memory only: a start finds it out anew within a look. */
import type { WatchState } from '../../domain/automation/watch-folder.ts';

export interface WatchStatus {
  state: WatchState;
  /** Why it is in that state; empty if there is nothing to say. */
  reason: string;
  /** When the last look at all of it ended; null before the first. */
  lookedAt: number | null;
  /** Files that are seen and not taken yet: they are still being written, or wait for room. */
  waiting: number;
  /** What could not be gone into, with the reason. */
  obstacles: readonly string[];
}

const BEFORE_FIRST_LOOK: WatchStatus = {
  state: 'waiting',
  reason: 'it was not looked at yet',
  lookedAt: null,
  waiting: 0,
  obstacles: [],
};

export class WatchBoard {
  /** Called after folders were added, changed or removed. */
  onChange: () => void = () => undefined;
  readonly #statuses = new Map<number, WatchStatus>();
  /** Identity of each folder when it was opened last: one that is away for a while stays the same. */
  readonly #identities = new Map<number, string>();

  statusOf(id: number): WatchStatus {
    return this.#statuses.get(id) ?? BEFORE_FIRST_LOOK;
  }

  put(id: number, change: Partial<WatchStatus>): void {
    this.#statuses.set(id, { ...this.statusOf(id), ...change });
  }

  forget(id: number): void {
    this.#statuses.delete(id);
    this.#identities.delete(id);
  }

  identify(id: number, identity: string): void {
    this.#identities.set(id, identity);
  }

  /** Which rule watches the same folder, perhaps under another path; of several the first. `but`: one that asks. */
  watcherOf(identity: string, but: number): number | undefined {
    const others = [...this.#identities].filter(([id, known]) => id !== but && known === identity);
    return others.length === 0 ? undefined : Math.min(...others.map(([id]) => id));
  }

  states(): WatchState[] {
    return Array.from(this.#statuses.values(), ({ state }) => state);
  }
}
