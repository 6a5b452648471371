/** The next token: the likeliest, or at a temperature one drawn by chance that is the same on every run. */

export interface ChosenToken {
  token: number;
  /** Natural logarithm of its probability among those that may follow, at temperature 1. */
  logProbability: number;
}

export function chooseToken(logits: Float32Array, temperature: number, chance: () => number): ChosenToken {
  let best = 0;
  for (let token = 1; token < logits.length; token++) {
    if ((logits[token] ?? 0) > (logits[best] ?? 0)) best = token;
  }
  const token = temperature === 0 ? best : draw(logits, temperature, chance());
  const top = logits[best] ?? 0;
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - top);
  return { token, logProbability: (logits[token] ?? 0) - top - Math.log(sum) };
}

function draw(logits: Float32Array, temperature: number, at: number): number {
  let top = Number.NEGATIVE_INFINITY;
  for (const logit of logits) top = Math.max(top, logit);
  let sum = 0;
  for (const logit of logits) sum += Math.exp((logit - top) / temperature);
  let left = at * sum;
  for (let token = 0; token < logits.length; token++) {
    left -= Math.exp(((logits[token] ?? 0) - top) / temperature);
    if (left < 0) return token;
  }
  return logits.indexOf(top);
}

/** Mulberry32: enough to vary a text, and the same text again for the same sound. */
export function seededChance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Probabilities of some tokens among themselves. */
export function shareOf(logits: Float32Array, tokens: Iterable<number>): Map<number, number> {
  const entries = [...tokens].map((token): [number, number] => [token, Math.exp(logits[token] ?? -1e9)]);
  const sum = entries.reduce((total, [, value]) => total + value, 0);
  return new Map(entries.map(([token, value]) => [token, value / sum]));
}
