/** Writes chosen frames while the next are decoded, each as a PNG with its hash and patches, and reports them in order. */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { Picture } from '../media/picture.ts';
import { giveBackPicture } from '../media/scratch.ts';
import type { DecodeVideoRequest } from '../protocol/decode-protocol.ts';
import type { DecodedFrame, PatchSet } from '../protocol/decoded-media.ts';
import { writePatchSet } from './patches.ts';
import { hashPicture } from './perceptual-hash.ts';
import { writeViewSet } from './views.ts';

/** Encoding a frame takes a core about as long as finding and decoding it: more in flight would only hold memory. */
const IN_FLIGHT_MAX = 2;
/** Above 4K each picture in flight takes 100 MB. */
const LARGE_PIXELS = 4096 * 2304;
/** Frames are noise to a PNG encoder: the next level takes up to three times as long for a seventh less. */
export const PNG_OPTIONS = { compressionLevel: 1, adaptiveFiltering: false } as const;

type WantedSets = Pick<DecodeVideoRequest, 'patchSets' | 'viewSets'>;

export class FrameWriter {
  readonly #sets: WantedSets;
  readonly #outFolder: string;
  readonly #onFrame: (frame: DecodedFrame) => void;
  readonly #inFlight: Promise<DecodedFrame>[] = [];
  #count = 0;
  /** The first frame of the picture that players show first; null before it is written. */
  first: DecodedFrame | null = null;

  constructor(sets: WantedSets, outFolder: string, onFrame: (frame: DecodedFrame) => void) {
    this.#sets = sets;
    this.#outFolder = outFolder;
    this.#onFrame = onFrame;
  }

  /** Begins to write; waits only while too many are in flight. */
  async take(place: FramePlace, picture: Picture): Promise<void> {
    const max = picture.width * picture.height > LARGE_PIXELS ? 1 : IN_FLIGHT_MAX;
    while (this.#inFlight.length >= max) await this.#settleOldest();
    const writing = writeFrame({ index: this.#count, place, picture }, this.#sets, this.#outFolder);
    // Its fault is met when its turn comes.
    writing.catch(() => {});
    this.#inFlight.push(writing);
    this.#count += 1;
  }

  async finish(): Promise<void> {
    while (this.#inFlight.length > 0) await this.#settleOldest();
  }

  async #settleOldest(): Promise<void> {
    const frame = await this.#inFlight.shift();
    if (frame === undefined) return;
    if (frame.picture === undefined) this.first ??= frame;
    this.#onFrame(frame);
  }
}

interface FramePlace {
  timeSeconds: number;
  /** 0 is the picture that players show first. */
  picture: number;
}

interface ChosenPicture {
  index: number;
  place: FramePlace;
  picture: Picture;
}

async function writeFrame(
  { index, place: { timeSeconds, picture: number }, picture }: ChosenPicture,
  sets: WantedSets,
  outFolder: string,
): Promise<DecodedFrame> {
  const { width, height, rgb } = picture;
  // A thread encodes while this one measures and cuts.
  const encoding = sharp(rgb, { raw: { width, height, channels: 3 } })
    .png(PNG_OPTIONS)
    .toBuffer();
  // Awaited below; this catches a fault if the patches fail first.
  encoding.catch(() => {});
  const likeness = hashPicture(picture);
  const patchSets = await writePatchSets(picture, sets, outFolder, `${index}-`);
  const png = await encoding;
  const file = `${index}.png`;
  await writeFile(join(outFolder, file), png);
  const hash = createHash('sha256').update(png).digest('hex');
  giveBackPicture(picture);
  const further = number === 0 ? {} : { picture: number + 1 };
  return { ...further, timeSeconds, file, hash, sizeBytes: png.length, width, height, likeness, patchSets };
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
