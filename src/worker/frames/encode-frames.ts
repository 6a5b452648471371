/** The thread of `frame-encoder.ts`: one frame after the other. What it throws ends it, and is met by who waits. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { giveBack, giveBackPicture } from '../media/scratch.ts';
import { encodeFramePng } from '../pictures/png/frame-png.ts';
import { hashPicture } from '../steps/perceptual-hash.ts';
import type { EncodedFrame, FrameOrder } from './frame-encoder.ts';

parentPort?.on('message', (order: FrameOrder) => parentPort?.postMessage(encode(order)));

function encode({ width, height, pixels, path }: FrameOrder): EncodedFrame {
  const picture = { width, height, rgb: Buffer.from(pixels) };
  const likeness = hashPicture(picture);
  const png = encodeFramePng(picture);
  giveBackPicture(picture);
  writeFileSync(path, png);
  const hash = createHash('sha256').update(png).digest('hex');
  const sizeBytes = png.length;
  giveBack(png);
  return { likeness, hash, sizeBytes };
}
