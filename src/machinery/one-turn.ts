/** Makes a value once for all who ask in one turn of the event loop, such as thousands of watchers; never grows stale. */

/** More values than this in a turn are made without being kept. */
const VALUES_MAX = 1000;

export interface TurnQuestion {
  /** Changes as soon as the answer may change within the turn. */
  stamp: number;
  /** The very object that the value is made of. */
  about: object;
  /** Distinguishes several answers about one object. */
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

  /** What `make` returned to the same question in this turn. Nothing is kept if it throws. */
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
