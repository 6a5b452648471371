/** The present state and identity of each watched folder. In memory only: a start finds it out anew within a pass. */
import type { WatchState } from '../../domain/automation/watch-folder.ts';

export interface WatchStatus {
  state: WatchState;
  /** Why it is in that state; may be empty. */
  reason: string;
  /** When the last complete pass ended; null before the first. */
  lookedAt: number | null;
  /** Seen files that are not taken yet: still being written, or waiting for room. */
  waiting: number;
  /** Folders that could not be entered, with the reason. */
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
  /** Identity of each folder when it was last opened: one that is away for a while stays the same. */
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

  /** The first rule that watches the same folder, perhaps under another path. `but`: the asking one. */
  watcherOf(identity: string, but: number): number | undefined {
    const others = [...this.#identities].filter(([id, known]) => id !== but && known === identity);
    return others.length === 0 ? undefined : Math.min(...others.map(([id]) => id));
  }

  states(): WatchState[] {
    return Array.from(this.#statuses.values(), ({ state }) => state);
  }
}
