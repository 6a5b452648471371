/** What a worker says that cannot be true, and how figures are compared with those that follow from others. Pure. */

/** The sentence names the place and what is wrong there. */
export class Contradiction extends Error {
  override readonly name = 'Contradiction';
}

/** Throws the sentence as a Contradiction unless the condition holds. */
export function must(holds: boolean, sentence: () => string): asserts holds {
  if (!holds) throw new Contradiction(sentence());
}

/** The sentence of the first Contradiction; null if there is none. */
export function firstContradiction(check: () => void): string | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof Contradiction) return error.message;
    throw error;
  }
}

/** Both boxes compute the same formulas on the same doubles; a processor may round the last digits otherwise. */
const TOLERANCE = 1e-9;

export function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) <= TOLERANCE * Math.max(1, Math.abs(one), Math.abs(other));
}

/** Whether two values of plain data are the same but for the rounding of numbers. */
export function agree(one: unknown, other: unknown): boolean {
  if (typeof one === 'number' && typeof other === 'number') return isNear(one, other);
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    return one === other;
  }
  const [left, right] = [Object.entries(one), Object.entries(other)];
  return (
    left.length === right.length &&
    left.every(([key, value]) => Object.hasOwn(other, key) && agree(value, Reflect.get(other, key)))
  );
}
