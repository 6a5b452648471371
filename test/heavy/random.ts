/** Random choices that a seed repeats: a failed run is run again as it was. */
import { makeRandom } from '../../evaluate/random.ts';

export class Random {
  /** 0 to 1, without 1. */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = makeRandom(seed);
  }

  /** A whole number from `minimum` to `maximum`, both possible. */
  whole(minimum: number, maximum: number): number {
    return minimum + Math.floor(this.next() * (maximum - minimum + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[Math.floor(this.next() * choices.length)];
    if (choice === undefined) throw new Error('there is nothing to pick from');
    return choice;
  }
}

/** `--name value` from the command line, a whole number, or the default. */
export function numberArgument(name: string, initial: number): number {
  const at = process.argv.indexOf(`--${name}`);
  if (at === -1) return initial;
  const value = Number(process.argv[at + 1]);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new Error(`--${name}: expected a whole number, found ${process.argv[at + 1] ?? 'nothing'}`);
}
