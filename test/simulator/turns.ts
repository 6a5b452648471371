/** The work of a simulated process, made repeatable by one thread: each end of a piece is a turn at which it can die. */
import { createHook } from 'node:async_hooks';
import { existsSync, mkdir, rmdirSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';

/** What ends by the machine's timers, within one turn, or comes from the runtime's own measurements. */
const NO_TURNS = new Set(['TickObject', 'Timeout', 'Immediate', 'Microtask', 'PROMISE']);

export class Turns implements Disposable {
  readonly #hook;
  readonly #ids = new Set<number>();
  readonly #folder: string;
  #isOwn = false;
  #count = 0;
  #marks = 0;
  /** Called before each turn, with how many there were. */
  onTurn: (count: number) => void = () => undefined;

  /** `folder`: an empty one of its own. */
  constructor(folder: string) {
    this.#folder = folder;
    const options = { trackPromises: false };
    this.#hook = createHook({
      ...options,
      init: (id, type) => {
        if (!this.#isOwn && !NO_TURNS.has(type)) this.#ids.add(id);
      },
      before: (id) => {
        if (this.#ids.has(id)) this.#turn();
      },
      destroy: (id) => {
        this.#ids.delete(id);
      },
    }).enable();
  }

  get count(): number {
    return this.#count;
  }

  #turn(): void {
    this.#count += 1;
    this.onTurn(this.#count);
  }

  /** Resolves when nothing real is under way any more. */
  async quiet(): Promise<void> {
    for (;;) {
      const before = this.#count;
      await this.#ownWork(() => access('/'));
      // What was asked for earlier has ended by now; if it asked for more, that is waited for too.
      if (this.#count === before) return;
    }
  }

  /** Returns when what was asked for so far is done, before anybody hears of it: what a dying process has under way. */
  settleSync(): void {
    this.#marks += 1;
    const mark = join(this.#folder, String(this.#marks));
    this.#ownWork(() => mkdir(mark, () => undefined));
    while (!existsSync(mark)) Atomics.wait(SLEEP, 0, 0, 0.05);
    rmdirSync(mark);
  }

  #ownWork<T>(work: () => T): T {
    this.#isOwn = true;
    try {
      return work();
    } finally {
      this.#isOwn = false;
    }
  }

  [Symbol.dispose](): void {
    this.#hook.disable();
  }
}

const SLEEP = new Int32Array(new SharedArrayBuffer(4));
