/** The thread of a decode child that encodes frames: what it answers, and that a failure ends neither the child nor the next frame. */
import { deepEqual, equal, ok, rejects, throws } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import sharp from 'sharp';
import { encodeFrame } from '../../../src/worker/frames/frame-encoder.ts';
import type { Picture } from '../../../src/worker/media/picture.ts';
import { hashPicture } from '../../../src/worker/steps/perceptual-hash.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

const folder = await makeTemporaryFolder();
// The thread holds no process: in a child its channel does.
const holding = setInterval(() => {}, 1000);
after(async () => {
  clearInterval(holding);
  await folder[Symbol.asyncDispose]();
});

function paint(seed: number): Picture {
  const [width, height] = [200, 120];
  const rgb = Buffer.from(
    Uint8Array.from({ length: width * height * 3 }, (_, at) => (at >> 5) * seed + (at % (7 + seed))),
  );
  return { width, height, rgb };
}

test('frames are hashed and lie there as PNG files, in their order, each with its own pixels', async () => {
  const pictures = [1, 2, 3].map(paint);
  const before = pictures.map(({ rgb }) => Buffer.from(rgb));
  const likenesses = pictures.map(hashPicture);
  const paths = pictures.map((_, index) => join(folder.path, `${index}.png`));
  const encoded = await Promise.all(
    pictures.map((picture, index) => encodeFrame(picture, paths[index] as string)),
  );
  for (const [index, { likeness, hash, sizeBytes }] of encoded.entries()) {
    const png = await readFile(paths[index] as string);
    ok((await sharp(png).raw().toBuffer()).equals(before[index] as Buffer));
    deepEqual(likeness, likenesses[index]);
    equal(hash, createHash('sha256').update(png).digest('hex'));
    equal(sizeBytes, png.length);
  }
  throws(() => pictures[0]?.rgb, /given back/);
});

test('a frame that cannot be written fails alone', async () => {
  await rejects(encodeFrame(paint(4), join(folder.path, 'absent', '0.png')), { code: 'ENOENT' });
  const path = join(folder.path, 'next.png');
  const { sizeBytes } = await encodeFrame(paint(5), path);
  equal((await readFile(path)).length, sizeBytes);
});
