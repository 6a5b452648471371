/** Damages files the way that finds faults in decoders: sizes that lie, parts that repeat, ends that are missing. */
import type { Random } from '../random.ts';

/** Edges of integer types, where counts and sizes overflow. */
const EDGES = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff];
const MUTATIONS_MAX = 6;
const RUN_BYTES_MAX = 64;
/** Most of what a decoder trusts stands at the beginning. */
const HEAD_BYTES = 512;

type Mutation = (bytes: Buffer, random: Random, other: Buffer) => Buffer;

const MUTATIONS: readonly Mutation[] = [
  flipBits,
  flipBits,
  writeEdge,
  writeEdge,
  fillRun,
  cutEnd,
  repeatPart,
  removePart,
  spliceOther,
];

/** One to six mutations of a copy; `other` is a file to take parts from. */
export function mutate(bytes: Buffer, other: Buffer, random: Random): Buffer {
  let mutated: Buffer = Buffer.from(bytes);
  for (let count = random.whole(1, MUTATIONS_MAX); count > 0 && mutated.length > 1; count--) {
    mutated = random.pick(MUTATIONS)(mutated, random, other);
  }
  return mutated;
}

function placeIn(bytes: Buffer, random: Random): number {
  const end = random.chance(0.5) ? Math.min(HEAD_BYTES, bytes.length) : bytes.length;
  return random.whole(0, end - 1);
}

function flipBits(bytes: Buffer, random: Random): Buffer {
  for (let count = random.whole(1, 8); count > 0; count--) {
    const at = placeIn(bytes, random);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.whole(0, 7));
  }
  return bytes;
}

function writeEdge(bytes: Buffer, random: Random): Buffer {
  const width = random.pick([1, 2, 4]);
  const at = Math.min(placeIn(bytes, random), bytes.length - width);
  if (at < 0) return bytes;
  const value = random.pick(EDGES) % 2 ** (8 * width);
  if (random.chance(0.5)) bytes.writeUIntBE(value, at, width);
  else bytes.writeUIntLE(value, at, width);
  return bytes;
}

function fillRun(bytes: Buffer, random: Random): Buffer {
  const at = placeIn(bytes, random);
  return bytes.fill(random.whole(0, 255), at, Math.min(bytes.length, at + random.whole(1, RUN_BYTES_MAX)));
}

function cutEnd(bytes: Buffer, random: Random): Buffer {
  return bytes.subarray(0, random.whole(1, bytes.length));
}

function repeatPart(bytes: Buffer, random: Random): Buffer {
  const at = placeIn(bytes, random);
  const part = bytes.subarray(at, at + random.whole(1, RUN_BYTES_MAX));
  const parts = Array.from({ length: random.whole(1, 8) }, () => part);
  return Buffer.concat([bytes.subarray(0, at), ...parts, bytes.subarray(at)]);
}

function removePart(bytes: Buffer, random: Random): Buffer {
  const at = placeIn(bytes, random);
  return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + random.whole(1, RUN_BYTES_MAX))]);
}

function spliceOther(bytes: Buffer, random: Random, other: Buffer): Buffer {
  const from = random.whole(0, other.length - 1);
  const part = other.subarray(from, from + random.whole(1, 4 * RUN_BYTES_MAX));
  const at = placeIn(bytes, random);
  return Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at + part.length)]);
}
