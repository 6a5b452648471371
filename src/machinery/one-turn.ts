/**
 * What is the same for all who ask for it in one turn of the event loop, made once: thousands of watchers are given a change
 * one after the other before anything else runs. Forgotten behind the turn, so that nothing grows stale or stays.
 */

/** A turn that makes more things than that shares less of them, and keeps no more. */
const VALUES_MAX = 1000;

export interface TurnQuestion {
  /** Another number as soon as the answer may be another one within the turn. */
  stamp: number;
  /** What it is made of: the very object. */
  about: object;
  /** Parts several answers about the same. */
  by: string;
}

export class OneTurn<Value> {
  readonly #made = new Map<object, Map<string, Value>>();
  readonly #valuesMax: number;
  #count = 0;
  #stamp = 0;

  constructor(valuesMax: number = VALUES_MAX) {
    this.#valuesMax = valuesMax;
  }

  /** How many are kept until the turn ends. */
  get size(): number {
    return this.#count;
  }

  /** What `make` returned in this turn to the same question. Nothing is kept of one that throws. */
  get({ stamp, about, by }: TurnQuestion, make: () => Value): Value {
    if (stamp !== this.#stamp) this.#forget();
    this.#stamp = stamp;
    const known = this.#made.get(about)?.get(by);
    if (known !== undefined) return known;
    const value = make();
    if (this.#count >= this.#valuesMax) this.#forget();
    if (this.#count === 0) setImmediate(() => this.#forget());
    this.#count += 1;
    const answers = this.#made.get(about);
    if (answers === undefined) this.#made.set(about, new Map([[by, value]]));
    else answers.set(by, value);
    return value;
  }

  #forget(): void {
    this.#made.clear();
    this.#count = 0;
  }
}
