/** The Merkle tree of RFC 9162 2.1 over the log; the caller stores whole subtrees, of which proofs read some twenty. */
import { hash } from 'node:crypto';

export const HASH_BYTES = 32;

const LEAF_PREFIX = Buffer.of(0);
const NODE_PREFIX = Buffer.of(1);

export function leafHashOf(entry: Uint8Array | string): Buffer {
  return hash('sha256', Buffer.concat([LEAF_PREFIX, Buffer.from(entry)]), 'buffer');
}

export function nodeHashOf(left: Uint8Array, right: Uint8Array): Buffer {
  return hash('sha256', Buffer.concat([NODE_PREFIX, left, right]), 'buffer');
}

/** The complete subtree over the leaves from `index * 2 ** level` on, `2 ** level` of them. */
export type ReadSubtree = (level: number, index: number) => Buffer;

/** The roots of a tree's complete subtrees, the largest first. */
export interface Frontier {
  size: number;
  peaks: readonly Buffer[];
}

export const EMPTY_FRONTIER: Frontier = { size: 0, peaks: [] };

/** `onSubtree` is called with each subtree that the leaf completes, without the leaf: one for each leaf on average. */
export function appendLeaf(
  { size, peaks }: Frontier,
  leaf: Buffer,
  onSubtree: (level: number, index: number, hash: Buffer) => void,
): Frontier {
  const grown = [...peaks];
  let hash = leaf;
  let index = size;
  for (let level = 0; index % 2 === 1; level += 1) {
    const left = grown.pop();
    if (left === undefined) throw new Error(`a tree of ${size} leaves lacks a peak`);
    hash = nodeHashOf(left, hash);
    index = (index - 1) / 2;
    onSubtree(level + 1, index, hash);
  }
  grown.push(hash);
  return { size: size + 1, peaks: grown };
}

/** Root hash of the tree; without leaves, the hash of nothing. */
export function rootOf(peaks: readonly Buffer[]): Buffer {
  const last = peaks.at(-1);
  if (last === undefined) return hash('sha256', '', 'buffer');
  return peaks.slice(0, -1).reduceRight((right, left) => nodeHashOf(left, right), last);
}

/** The frontier of the tree when it had so many leaves. */
export function readFrontier(size: number, read: ReadSubtree): Frontier {
  return { size, peaks: peaksOf(0, size, read) };
}

/** The peaks of the leaves from `start` on; `start` is a multiple of the least power of two that holds `size`. */
function peaksOf(start: number, size: number, read: ReadSubtree): Buffer[] {
  const peaks: Buffer[] = [];
  let from = start;
  let left = size;
  while (left > 0) {
    const level = Math.floor(Math.log2(left));
    const leaves = 2 ** level;
    peaks.push(read(level, from / leaves));
    from += leaves;
    left -= leaves;
  }
  return peaks;
}

function rangeRoot(start: number, size: number, read: ReadSubtree): Buffer {
  return rootOf(peaksOf(start, size, read));
}

export const readRoot = (size: number, read: ReadSubtree): Buffer => rangeRoot(0, size, read);

/** The largest power of two below the number, which is at least 2. */
function splitOf(size: number): number {
  const power = 2 ** Math.floor(Math.log2(size));
  return power === size ? power / 2 : power;
}

/** Proves that the leaf `index` is in the tree of the first `size` leaves (RFC 9162, 2.1.3.1). */
export function proveInclusion(index: number, size: number, read: ReadSubtree): Buffer[] {
  if (index < 0 || index >= size) throw new RangeError(`no leaf ${index} among ${size}`);
  const path: Buffer[] = [];
  let start = 0;
  let place = index;
  let width = size;
  while (width > 1) {
    const split = splitOf(width);
    if (place < split) {
      path.push(rangeRoot(start + split, width - split, read));
      width = split;
    } else {
      path.push(rangeRoot(start, split, read));
      start += split;
      place -= split;
      width -= split;
    }
  }
  return path.reverse();
}

/** Proves that the tree of `from` leaves is the beginning of the tree of `to` leaves (RFC 9162, 2.1.4.1). */
export function proveConsistency(from: number, to: number, read: ReadSubtree): Buffer[] {
  if (from < 0 || from > to) throw new RangeError(`a tree of ${to} leaves had never ${from}`);
  if (from === 0 || from === to) return [];
  const path: Buffer[] = [];
  let start = 0;
  let place = from;
  let width = to;
  let isWhole = true;
  while (place !== width) {
    const split = splitOf(width);
    if (place <= split) {
      path.push(rangeRoot(start + split, width - split, read));
      width = split;
    } else {
      path.push(rangeRoot(start, split, read));
      start += split;
      place -= split;
      width -= split;
      isWhole = false;
    }
  }
  if (!isWhole) path.push(rangeRoot(start, width, read));
  return path.reverse();
}

export interface Inclusion {
  index: number;
  size: number;
  leaf: Uint8Array;
  root: Uint8Array;
  proof: readonly Uint8Array[];
}

/** RFC 9162, 2.1.3.2. */
export function holdsInclusion({ index, size, leaf, root, proof }: Inclusion): boolean {
  if (index < 0 || index >= size) return false;
  let place = index;
  let last = size - 1;
  let hash: Buffer = Buffer.from(leaf);
  for (const sibling of proof) {
    if (last === 0) return false;
    if (isOdd(place) || place === last) {
      hash = nodeHashOf(sibling, hash);
      while (!isOdd(place) && place !== 0) [place, last] = [half(place), half(last)];
    } else {
      hash = nodeHashOf(hash, sibling);
    }
    [place, last] = [half(place), half(last)];
  }
  return last === 0 && hash.equals(root);
}

export interface Consistency {
  from: number;
  to: number;
  fromRoot: Uint8Array;
  toRoot: Uint8Array;
  proof: readonly Uint8Array[];
}

/** RFC 9162, 2.1.4.2; every tree continues an empty one. */
export function holdsConsistency({ from, to, fromRoot, toRoot, proof }: Consistency): boolean {
  if (from < 0 || from > to) return false;
  if (from === 0) return proof.length === 0;
  if (from === to) return proof.length === 0 && Buffer.from(fromRoot).equals(toRoot);
  const path = Number.isInteger(Math.log2(from)) ? [fromRoot, ...proof] : [...proof];
  const [first, ...siblings] = path;
  if (first === undefined) return false;
  let place = from - 1;
  let last = to - 1;
  while (isOdd(place)) [place, last] = [half(place), half(last)];
  let earlier: Buffer = Buffer.from(first);
  let later: Buffer = Buffer.from(first);
  for (const sibling of siblings) {
    if (last === 0) return false;
    if (isOdd(place) || place === last) {
      earlier = nodeHashOf(sibling, earlier);
      later = nodeHashOf(sibling, later);
      while (!isOdd(place) && place !== 0) [place, last] = [half(place), half(last)];
    } else {
      later = nodeHashOf(later, sibling);
    }
    [place, last] = [half(place), half(last)];
  }
  return last === 0 && earlier.equals(fromRoot) && later.equals(toRoot);
}

const isOdd = (number: number): boolean => number % 2 === 1;
const half = (number: number): number => Math.floor(number / 2);
