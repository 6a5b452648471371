/** Writes one chosen frame: a PNG, which is a picture with a hash of its own, and the patches for the models. */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { Picture } from '../pictures/picture.ts';
import type { DecodedFrame, DecodeVideoRequest, PatchSet } from '../protocol.ts';
import { writePatchSet } from './patches.ts';
import { writeViewSet } from './views.ts';

/** Frames are noise to a PNG encoder: the next level takes up to three times as long for a seventh less. */
const COMPRESSION_LEVEL = 1;

export interface ChosenPicture {
  index: number;
  timeSeconds: number;
  picture: Picture;
}

type WantedSets = Pick<DecodeVideoRequest, 'patchSets' | 'viewSets'>;

export async function writeFrame(
  { index, timeSeconds, picture }: ChosenPicture,
  sets: WantedSets,
  outFolder: string,
): Promise<DecodedFrame> {
  const { width, height, rgb } = picture;
  const png = await sharp(rgb, { raw: { width, height, channels: 3 } })
    .png({ compressionLevel: COMPRESSION_LEVEL, adaptiveFiltering: false })
    .toBuffer();
  const file = `${index}.png`;
  await writeFile(join(outFolder, file), png);
  return {
    timeSeconds,
    file,
    hash: createHash('sha256').update(png).digest('hex'),
    sizeBytes: png.length,
    width,
    height,
    patchSets: await writePatchSets(picture, sets, outFolder, `${index}-`),
  };
}

async function writePatchSets(
  picture: Picture,
  { patchSets, viewSets = [] }: WantedSets,
  outFolder: string,
  filePrefix: string,
): Promise<PatchSet[]> {
  const written: PatchSet[] = [];
  for (const set of patchSets) {
    const patches = await writePatchSet(picture, set, outFolder, filePrefix);
    if (patches !== null) written.push(patches);
  }
  for (const set of viewSets) written.push(await writeViewSet(picture, set, outFolder, filePrefix));
  return written;
}
