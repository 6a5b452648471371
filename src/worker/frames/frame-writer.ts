/**
 * Writes chosen frames while the next ones are decoded, and reports each in its order as soon as it lies there: a PNG,
 * which is a picture with a hash of its own, and the patches for the models.
 */
import { join } from 'node:path';
import { FRAME_KEYPOINTS_MAX, type Keypoints, STORED_SIDE } from '../../domain/media/keypoints.ts';
import { findKeypoints } from '../keypoints/find-keypoints.ts';
import type { Picture } from '../media/picture.ts';
import type { DecodedFrame, DecodeVideoRequest, PatchSet } from '../protocol/decode-protocol.ts';
import { withKeypoints } from '../steps/likeness.ts';
import { writePatchSet } from '../steps/patches.ts';
import { writeViewSet } from '../steps/views.ts';
import { type EncodedFrame, encodeFrame } from './frame-encoder.ts';

/**
 * One is with the thread that encodes while the next is cut here: more would only hold memory. Each takes 3 bytes a pixel, up
 * to 28 MB, and while it is encoded up to 1.5 times as much again.
 */
const IN_FLIGHT_MAX = 2;
/** Above 4K each picture in flight takes 100 MB. */
const LARGE_PIXELS = 4096 * 2304;

type WantedSets = Pick<DecodeVideoRequest, 'patchSets' | 'viewSets'>;

export class FrameWriter {
  readonly #sets: WantedSets;
  readonly #outFolder: string;
  readonly #onFrame: (frame: DecodedFrame) => void;
  readonly #inFlight: Promise<DecodedFrame>[] = [];
  /** Settled when the last frame is with the thread; never rejected. */
  #handedOver: Promise<unknown> = Promise.resolve();
  #count = 0;
  /** Null before the first one is written. */
  first: DecodedFrame | null = null;

  constructor(sets: WantedSets, outFolder: string, onFrame: (frame: DecodedFrame) => void) {
    this.#sets = sets;
    this.#outFolder = outFolder;
    this.#onFrame = onFrame;
  }

  /** Begins to write; waits only while too many are in flight. */
  async take(timeSeconds: number, picture: Picture): Promise<void> {
    // What decodes blocks this thread: the frame before would not be encoded meanwhile.
    await this.#handedOver;
    const max = picture.width * picture.height > LARGE_PIXELS ? 1 : IN_FLIGHT_MAX;
    while (this.#inFlight.length >= max) await this.#settleOldest();
    const cutting = cutFrame({ index: this.#count, timeSeconds, picture }, this.#sets, this.#outFolder);
    const writing = cutting.then(finishFrame);
    // Its failure is met when its turn comes; until then no one waits for it.
    this.#handedOver = cutting.catch(() => {});
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
    this.first ??= frame;
    this.#onFrame(frame);
  }
}

interface ChosenPicture {
  index: number;
  timeSeconds: number;
  picture: Picture;
}

interface CutFrame {
  frame: Omit<DecodedFrame, 'hash' | 'sizeBytes' | 'likeness'>;
  keypoints: Keypoints;
  encoding: Promise<EncodedFrame>;
}

async function cutFrame(
  { index, timeSeconds, picture }: ChosenPicture,
  sets: WantedSets,
  outFolder: string,
): Promise<CutFrame> {
  const { width, height } = picture;
  // Another thread makes it smaller while this one cuts.
  const finding = findKeypoints(picture, { side: STORED_SIDE, countMax: FRAME_KEYPOINTS_MAX });
  // Awaited below; this keeps a failure from being unhandled if the patches fail first.
  finding.catch(() => {});
  const patchSets = await writePatchSets(picture, sets, outFolder, `${index}-`);
  const keypoints = await finding;
  const file = `${index}.png`;
  const encoding = encodeFrame(picture, join(outFolder, file));
  encoding.catch(() => {});
  return { frame: { timeSeconds, file, width, height, patchSets }, keypoints, encoding };
}

async function finishFrame({ frame, keypoints, encoding }: CutFrame): Promise<DecodedFrame> {
  const { likeness, hash, sizeBytes } = await encoding;
  return { ...frame, hash, sizeBytes, likeness: withKeypoints(likeness, keypoints) };
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
