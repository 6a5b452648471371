/** The tree against the recursive definitions of RFC 9162, for trees and proofs of every shape. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  appendLeaf,
  EMPTY_FRONTIER,
  type Frontier,
  holdsConsistency,
  holdsInclusion,
  leafHashOf,
  proveConsistency,
  proveInclusion,
  type ReadSubtree,
  readFrontier,
  readRoot,
  rootOf,
} from '../../../src/domain/custody/merkle-tree.ts';

const sha256 = (...parts: Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();

/** RFC 9162, 2.1.1, word for word. */
function mth(leaves: readonly Buffer[]): Buffer {
  const [first] = leaves;
  if (first === undefined) return sha256();
  if (leaves.length === 1) return sha256(Buffer.of(0), first);
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return sha256(Buffer.of(1), mth(leaves.slice(0, split)), mth(leaves.slice(split)));
}

/** RFC 9162, 2.1.3.1. */
function path(index: number, leaves: readonly Buffer[]): Buffer[] {
  if (leaves.length <= 1) return [];
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  if (index < split) return [...path(index, leaves.slice(0, split)), mth(leaves.slice(split))];
  return [...path(index - split, leaves.slice(split)), mth(leaves.slice(0, split))];
}

/** RFC 9162, 2.1.4.1. */
function subproof(from: number, leaves: readonly Buffer[], isWhole: boolean): Buffer[] {
  if (from === leaves.length) return isWhole ? [] : [mth(leaves)];
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  if (from <= split) return [...subproof(from, leaves.slice(0, split), isWhole), mth(leaves.slice(split))];
  return [...subproof(from - split, leaves.slice(split), false), mth(leaves.slice(0, split))];
}

/** A tree as the store keeps it: complete subtrees by level and index. */
function grow(leaves: readonly Buffer[]): { frontier: Frontier; read: ReadSubtree; reads: () => number } {
  const nodes = new Map<string, Buffer>();
  let frontier = EMPTY_FRONTIER;
  let reads = 0;
  for (const leaf of leaves) {
    frontier = appendLeaf(frontier, leafHashOf(leaf), (level, index, hash) =>
      nodes.set(`${level}/${index}`, hash),
    );
  }
  const read: ReadSubtree = (level, index) => {
    reads += 1;
    const found = level === 0 ? leafHashOf(leaves[index] ?? Buffer.of()) : nodes.get(`${level}/${index}`);
    if (found === undefined) throw new Error(`no subtree ${level}/${index}`);
    return found;
  };
  return { frontier, read, reads: () => reads };
}

const leavesOf = (count: number): Buffer[] =>
  Array.from({ length: count }, (_, index) => Buffer.from(`entry ${index}`));

test('roots and proofs are those of the definition, and hold', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), fc.nat(), fc.nat(), (count, indexSeed, fromSeed) => {
      const leaves = leavesOf(count);
      const { frontier, read } = grow(leaves);
      const [index, from] = [indexSeed % count, fromSeed % (count + 1)];
      const root = rootOf(frontier.peaks);
      assert.deepEqual(root, mth(leaves));
      assert.deepEqual(readRoot(from, read), mth(leaves.slice(0, from)));
      assert.deepEqual(readFrontier(count, read), frontier);
      const inclusion = proveInclusion(index, count, read);
      assert.deepEqual(inclusion, path(index, leaves));
      const leaf = leafHashOf(leaves[index] ?? Buffer.of());
      assert.ok(holdsInclusion({ index, size: count, leaf, root, proof: inclusion }));
      const consistency = proveConsistency(from, count, read);
      assert.deepEqual(consistency, from === 0 ? [] : subproof(from, leaves, true));
      const fromRoot = mth(leaves.slice(0, from));
      assert.ok(holdsConsistency({ from, to: count, fromRoot, toRoot: root, proof: consistency }));
    }),
    { numRuns: 300 },
  );
});

test('a proof with one changed part does not hold', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 120 }), fc.nat(), fc.nat(), fc.nat(), (count, a, b, bit) => {
      const leaves = leavesOf(count);
      const { read } = grow(leaves);
      const [index, from] = [a % count, 1 + (b % (count - 1))];
      const root = mth(leaves);
      const flip = (proof: Buffer[]): Buffer[] => {
        const at = bit % proof.length;
        return proof.map((hash, place) => {
          const copy = Buffer.from(hash);
          if (place === at) copy.writeUInt8(copy.readUInt8(bit % 32) ^ (1 << (bit % 8)), bit % 32);
          return copy;
        });
      };
      const leaf = leafHashOf(leaves[index] ?? Buffer.of());
      const inclusion = proveInclusion(index, count, read);
      const given = { index, size: count, leaf, root, proof: inclusion };
      assert.ok(!holdsInclusion({ ...given, proof: flip(inclusion) }));
      assert.ok(!holdsInclusion({ ...given, proof: inclusion.slice(1) }));
      assert.ok(!holdsInclusion({ ...given, proof: [...inclusion, root] }));
      assert.ok(!holdsInclusion({ ...given, leaf: leafHashOf('another entry') }));
      const fromRoot = mth(leaves.slice(0, from));
      const proof = proveConsistency(from, count, read);
      const both = { from, to: count, fromRoot, toRoot: root, proof };
      assert.ok(!holdsConsistency({ ...both, proof: flip(proof) }));
      assert.ok(!holdsConsistency({ ...both, proof: proof.slice(1) }));
      assert.ok(!holdsConsistency({ ...both, fromRoot: mth([...leaves.slice(1, from), Buffer.of(7)]) }));
    }),
    { numRuns: 300 },
  );
});

test('a proof in a large tree reads a bounded number of subtrees', () => {
  const count = 100_003;
  const { read, reads } = grow(leavesOf(count));
  proveInclusion(70_001, count, read);
  proveConsistency(65_537, count, read);
  assert.ok(reads() < 200, `${reads()} reads`);
});
