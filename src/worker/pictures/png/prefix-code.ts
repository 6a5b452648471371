/** Prefix codes as deflate has them (RFC 1951, 3.2.2): a length of each symbol, from which its bits follow. */

/**
 * Lengths of a whole code, 0 for a symbol that does not occur; at least two must. Where Huffman's code is longer than
 * `lengthMax` bits it is made anew with the rarest symbols taken for less rare ones, which costs next to nothing.
 */
export function codeLengths(counts: Uint32Array, lengthMax: number): Uint8Array {
  const symbols = [...counts.keys()].filter((symbol) => (counts[symbol] as number) > 0);
  if (symbols.length < 2 || symbols.length > 2 ** lengthMax) {
    throw new RangeError(`${symbols.length} symbols have no code of at most ${lengthMax} bits`);
  }
  symbols.sort((a, b) => (counts[a] as number) - (counts[b] as number));
  const weights = Float64Array.from(symbols, (symbol) => counts[symbol] as number);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const lengths = new Uint8Array(counts.length);
  for (let floor = Math.max(1, total / 2 ** lengthMax); ; floor *= 2) {
    const depths = huffmanDepths(weights.map((weight) => Math.max(weight, floor)));
    if ((depths[0] as number) > lengthMax) continue;
    for (const [index, symbol] of symbols.entries()) lengths[symbol] = depths[index] as number;
    return lengths;
  }
}

/** `weights` ascend, so the first one lies deepest. Sums ascend too: the two smallest are always at the front of one of both. */
function huffmanDepths(weights: Float64Array): Uint8Array {
  const { length } = weights;
  const sums = new Float64Array(2 * length - 1);
  sums.set(weights);
  const parents = new Uint16Array(sums.length);
  let [leaf, inner] = [0, length];
  for (let next = length; next < sums.length; next++) {
    for (let child = 0; child < 2; child++) {
      const isLeaf = inner >= next || (leaf < length && (sums[leaf] as number) <= (sums[inner] as number));
      const taken = isLeaf ? leaf++ : inner++;
      sums[next] = (sums[next] as number) + (sums[taken] as number);
      parents[taken] = next;
    }
  }
  const depths = new Uint8Array(sums.length);
  for (let node = sums.length - 2; node >= 0; node--)
    depths[node] = (depths[parents[node] as number] as number) + 1;
  return depths.subarray(0, length);
}

/** The bits of each symbol, the first one lowest, as deflate writes them. */
export function codeBits(lengths: Uint8Array): Uint16Array {
  const next = new Uint16Array(17);
  for (const length of lengths) if (length > 0) next[length + 1] = (next[length + 1] as number) + 1;
  for (let length = 1; length < 17; length++)
    next[length] = ((next[length] as number) + (next[length - 1] as number)) << 1;
  const bits = new Uint16Array(lengths.length);
  for (const [symbol, length] of lengths.entries()) {
    if (length === 0) continue;
    const code = next[length] as number;
    next[length] = code + 1;
    bits[symbol] = reversed(code, length);
  }
  return bits;
}

function reversed(code: number, length: number): number {
  let bits = 0;
  for (let at = 0; at < length; at++) bits |= ((code >> at) & 1) << (length - 1 - at);
  return bits;
}
