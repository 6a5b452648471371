import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { decode, encode, ending, lease, packSetOf } from '../../../src/engine/remote/messages.ts';

test('a small message that would inflate to a large one is refused', async () => {
  const bomb = deflateSync(Buffer.alloc(64 * 1024 ** 2, 0x20));
  assert.ok(bomb.length < 1024 ** 2, 'what NATS carries');
  await assert.rejects(decode(lease, bomb), /larger than 16777216 bytes/);
});

test('more than was asked, less than a message, and figures that are none are refused', async () => {
  await assert.rejects(decode(lease, new Uint8Array([1, 2, 3])));
  await assert.rejects(decode(lease, await encode({ lease: 'a.1.1', more: 1 })), /more/);
  await assert.rejects(decode(lease, await encode({ lease: 'a'.repeat(201) })));
  await assert.rejects(decode(ending, await encode({ lease: 'a.1.1', outcome: { type: 'done' } })));
});

test('another version of the program, a pack more or another byte in one is another set of packs', () => {
  const packs = [
    { key: 'a@1.0.0', sha256: '0'.repeat(64) },
    { key: 'b@1.0.0', sha256: '1'.repeat(64) },
  ];
  const sets = [
    packSetOf(packs, '1.0.0'),
    packSetOf(packs, '1.0.1'),
    packSetOf(packs.slice(1), '1.0.0'),
    packSetOf([...packs.slice(1), { key: 'a@1.0.0', sha256: '2'.repeat(64) }], '1.0.0'),
  ];
  assert.equal(new Set(sets).size, sets.length);
  assert.equal(packSetOf(packs.toReversed(), '1.0.0'), sets[0]);
});
