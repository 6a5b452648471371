/** Keypoints of real pixels: a picture shares places with its cuts, turns, inlays and copies, and with no other picture. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sharp } from 'sharp';
import {
  ASKED_KEYPOINTS_MAX,
  ASKED_SIDE,
  type AskedKeypoints,
  DESCRIPTOR_WORDS,
  type Keypoints,
  packAskedKeypoints,
  packKeypoints,
  STORED_KEYPOINTS_MAX,
  STORED_SIDE,
  UNSURE_BITS,
  unpackAskedKeypoints,
  unpackKeypoints,
  WORD_BITS,
} from '../../src/domain/media/keypoints.ts';
import { findSharedPart } from '../../src/domain/media/shared-part.ts';
import { isSharedPart, SHARED_PLACES_MIN } from '../../src/domain/records/found-picture.ts';
import { findAskedKeypoints, findKeypoints } from '../../src/worker/keypoints/find-keypoints.ts';
import { scene } from '../media/scene.ts';

const STORED = { side: STORED_SIDE, countMax: STORED_KEYPOINTS_MAX };
const ASKED = { side: ASKED_SIDE, countMax: ASKED_KEYPOINTS_MAX };

async function keypointsOf(picture: Sharp, wanted: typeof STORED, mirrored = false): Promise<Keypoints> {
  const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true });
  const pixels = { width: info.width, height: info.height, rgb: data };
  return wanted === ASKED
    ? await findAskedKeypoints(pixels, wanted, mirrored)
    : await findKeypoints(pixels, wanted);
}

const sharpOf = async (picture: Sharp): Promise<Buffer> => await picture.png().toBuffer();

test('a picture shares places with its cuts, turns, inlays and copies', async () => {
  const { default: sharp } = await import('sharp');
  const whole = await sharpOf(scene(1));
  const kept = await keypointsOf(sharp(whole), STORED);
  const small = await sharp(whole).resize(300).toBuffer();
  const copies: Readonly<Record<string, Sharp>> = {
    cut: sharp(await sharp(whole).extract({ left: 120, top: 60, width: 405, height: 303 }).jpeg().toBuffer()),
    turned: sharp(await sharp(whole).rotate(90).toBuffer()),
    tilted: sharp(await sharp(whole).rotate(11, { background: 'black' }).removeAlpha().toBuffer()),
    recompressed: sharp(await sharp(whole).resize(320).jpeg({ quality: 30 }).toBuffer()),
    inlaid: sharp(
      await scene(2)
        .composite([{ input: small, left: 200, top: 120 }])
        .png()
        .toBuffer(),
    ),
  };
  for (const [name, copy] of Object.entries(copies)) {
    const shared = findSharedPart(await keypointsOf(copy.removeAlpha(), ASKED), kept);
    assert.ok(isSharedPart(shared), `${name}: ${shared.places} places, ${shared.exactPlaces} exact`);
  }
  const flipped = sharp(await sharp(whole).flop().toBuffer());
  const shared = findSharedPart(await keypointsOf(flipped, ASKED, true), kept);
  assert.ok(shared.places >= SHARED_PLACES_MIN, `mirrored: ${shared.places} places`);
});

test('the place of the part is given in both pictures', async () => {
  const { default: sharp } = await import('sharp');
  const whole = await sharpOf(scene(3));
  const kept = await keypointsOf(sharp(whole), STORED);
  const right = sharp(await sharp(whole).extract({ left: 320, top: 0, width: 320, height: 480 }).toBuffer());
  const shared = findSharedPart(await keypointsOf(right, ASKED), kept);
  assert.ok(shared.kept.left > 0.48, `the kept part begins at ${shared.kept.left}`);
  assert.ok(shared.asked.right - shared.asked.left > 0.6, 'nearly all of the cut is the part');
});

test('unlike pictures share no part, and plain ones nothing', async () => {
  const kept = await Promise.all(
    Array.from({ length: 12 }, (_, seed) => keypointsOf(scene(100 + seed), STORED)),
  );
  const asked = await Promise.all(
    Array.from({ length: 6 }, (_, seed) => keypointsOf(scene(200 + seed), ASKED)),
  );
  const parts = asked.flatMap((one) => kept.map((other) => findSharedPart(one, other)));
  assert.deepEqual(parts.filter(isSharedPart), []);
  const plain = { width: 400, height: 300, rgb: Buffer.alloc(400 * 300 * 3, 90) };
  assert.equal((await findKeypoints(plain, STORED)).count, 0);
  assert.equal((await findKeypoints({ width: 20, height: 20, rgb: Buffer.alloc(1200, 9) }, STORED)).count, 0);
});

test('packed keypoints are what they were, and other bytes are none', async () => {
  const keypoints = await keypointsOf(scene(4), STORED);
  assert.ok(keypoints.count > 100 && keypoints.count <= STORED_KEYPOINTS_MAX, `${keypoints.count} keypoints`);
  const packed = packKeypoints(keypoints);
  const read = unpackKeypoints(packed);
  assert.deepEqual(read?.words, keypoints.words);
  assert.deepEqual(read?.angle, keypoints.angle);
  assert.ok(Math.abs((read?.x[7] ?? 0) - (keypoints.x[7] ?? 0)) <= 1 / 32);
  assert.equal(unpackKeypoints(packed.subarray(0, packed.length - 1)), undefined, 'a part of a keypoint');
  assert.equal(unpackKeypoints(new Uint8Array(2)), undefined, 'no head');
  const outside = packed.slice();
  outside.fill(0xff, 4, 6);
  assert.equal(unpackKeypoints(outside), undefined, 'a place outside the picture');
});

test('noise turns the unsure bits of a word more often than the others', async () => {
  const asked = (await keypointsOf(scene(4), ASKED)) as AskedKeypoints;
  const { default: sharp } = await import('sharp');
  const noisy = await scene(4).jpeg({ quality: 12 }).toBuffer();
  const copy = await keypointsOf(sharp(noisy), ASKED);
  const [unsure, others] = [
    { turned: 0, bits: 0 },
    { turned: 0, bits: 0 },
  ];
  for (let index = 0; index < asked.count; index++) {
    const same = sameAs(asked, index, copy);
    if (same === null) continue;
    const word = asked.words[index * DESCRIPTOR_WORDS] ?? 0;
    const turned = (word ^ (copy.words[same * DESCRIPTOR_WORDS] ?? 0)) >>> (32 - WORD_BITS);
    const bits = asked.unsure.subarray(index * UNSURE_BITS, (index + 1) * UNSURE_BITS);
    for (let bit = 0; bit < WORD_BITS; bit++) {
      const kind = bits.includes(bit) ? unsure : others;
      kind.turned += (turned >>> (WORD_BITS - 1 - bit)) & 1;
      kind.bits += 1;
    }
  }
  const share = ({ turned, bits }: typeof unsure) => turned / bits;
  assert.ok(others.turned > 0, 'noise turns some of them too');
  assert.ok(share(unsure) > 3 * share(others), `${share(unsure)} of unsure bits, ${share(others)} of others`);
  assert.deepEqual(unpackAskedKeypoints(packAskedKeypoints(asked))?.unsure, asked.unsure);
});

/** The keypoint of a copy of the same size that stands at the same place, in the same size and direction. */
function sameAs(asked: Keypoints, index: number, copy: Keypoints): number | null {
  for (let other = 0; other < copy.count; other++) {
    const isSame =
      asked.level[index] === copy.level[other] &&
      Math.abs((asked.angle[index] ?? 0) - (copy.angle[other] ?? 0)) < 8 &&
      Math.hypot((asked.x[index] ?? 0) - (copy.x[other] ?? 0), (asked.y[index] ?? 0) - (copy.y[other] ?? 0)) <
        1;
    if (isSame) return other;
  }
  return null;
}
