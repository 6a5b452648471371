/** A value that must not reach a log, an error or a terminal: it prints as dots until `reveal` is called. */
import { inspect } from 'node:util';

const HIDDEN = '(hidden)';

export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return HIDDEN;
  }
}
