/** PDQ against vectors that Meta's own implementation gave for pictures made by a rule. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hammingDistance } from '../../src/domain/media/perceptual-hash.ts';
import type { Picture } from '../../src/worker/media/picture.ts';
import { hashPicture } from '../../src/worker/steps/perceptual-hash.ts';

/** Blocks of brightness that do not repeat, so that there is something at every frequency. Whole numbers only. */
function blockPicture(width: number, height: number, block: number): Picture {
  const rgb = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [column, row] = [Math.floor(x / block), Math.floor(y / block)];
      const wave = Math.floor((x * x + y * 3) / (block * block)) % 53;
      const value = (column * 73 + row * 151 + ((column * row) % 97) * 29 + wave * 11) % 256;
      rgb.set([value, (value + x) % 256, (value * 3 + y) % 256], (y * width + x) * 3);
    }
  }
  return { width, height, rgb };
}

const VECTORS = [
  { size: [64, 64, 5], hash: '27ff1fff5924e16cb6d3e24dc000991b6403ed491decb0183f808f83b8f13b8e' },
  { size: [256, 256, 17], hash: '90cffe03fef7e002240092ff181fb00feba8aee6c6f85c01bd055f41e383bc3c' },
  { size: [300, 200, 9], hash: 'ffff4a7eb4ff08fb5f01fb8aff5f65043f00000f805c1005c027e00f0ff00f3c' },
  { size: [640, 480, 40], hash: 'f3b889fdffffdc88fff633640000f6630c6780473b80e7d6ee100c215ae06961' },
  { size: [511, 777, 31], hash: '8fa6802fccc27fda86e06980b7ffe1d8ee078fa3e800ecc0cf032f82f060d7f2' },
] as const;

const MIRRORED = [
  '72aa4aaa0c71b4396386f7189555cc4e3156b01c48b9e5456ad5dad6eda46edb',
  'c51a7555ab6495555555c5aa555ae55abe7573b197ad0954e8540a14b6d4e169',
  'eaa85f0371eb55ae4a55de5faa0274556b55555ad51955509550b55a52a55665',
  'a5cd5488aaaa995df31176315555a3775912d5126ed5b2839b5559740fb51d34',
  '5155d57a999730c751953cd5c2aab48db3525bf4955591951a555a55a5758687',
];

for (const [index, { size, hash }] of VECTORS.entries()) {
  test(`a picture of ${size[0]} × ${size[1]} has the hash of the reference`, () => {
    const hashed = hashPicture(blockPicture(size[0], size[1], size[2]));
    assert.ok(hashed !== null);
    // Sums of floats in another order may move one frequency across the median, and with it one back.
    assert.ok(hammingDistance(hashed.hash, hash) <= 2, hashed.hash);
    assert.ok(hammingDistance(hashed.mirrored, MIRRORED[index] ?? '') <= 2, hashed.mirrored);
    assert.equal(hashed.quality, 100);
  });
}

test('the mirrored hash is near that of the mirrored picture', () => {
  const { width, height, rgb } = blockPicture(640, 480, 40);
  const turned = Buffer.alloc(rgb.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = (y * width + width - 1 - x) * 3;
      rgb.copy(turned, (y * width + x) * 3, from, from + 3);
    }
  }
  const [first, second] = [
    { width, height, rgb },
    { width, height, rgb: turned },
  ].map(hashPicture);
  assert.ok(hammingDistance(first?.mirrored ?? '', second?.hash ?? '') <= 20);
  assert.ok(hammingDistance(first?.hash ?? '', second?.hash ?? '') > 80);
});

function doubled({ width, height, rgb }: Picture): Picture {
  const large = Buffer.alloc(rgb.length * 4);
  for (let y = 0; y < height * 2; y++) {
    for (let x = 0; x < width * 2; x++) {
      const from = ((y >> 1) * width + (x >> 1)) * 3;
      rgb.copy(large, (y * width * 2 + x) * 3, from, from + 3);
    }
  }
  return { width: width * 2, height: height * 2, rgb: large };
}

test('a large picture is averaged down and keeps its hash, a plain one says it is plain, a tiny one has none', () => {
  const picture = blockPicture(640, 600, 40);
  const small = hashPicture(picture);
  const double = hashPicture(doubled(picture));
  assert.ok(hammingDistance(small?.hash ?? '', double?.hash ?? '') <= 10);
  assert.equal(hashPicture({ width: 100, height: 100, rgb: Buffer.alloc(30_000, 90) })?.quality, 0);
  assert.equal(hashPicture({ width: 4, height: 100, rgb: Buffer.alloc(1200) }), null);
});
