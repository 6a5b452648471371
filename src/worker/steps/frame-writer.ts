/** Writes chosen frames while the next ones are decoded, and tells of each in its order as soon as it lies there. */

import type { Picture } from '../pictures/picture.ts';
import type { DecodedFrame, DecodeVideoRequest } from '../protocol.ts';
import { writeFrame } from './frame-file.ts';

/** Encoding a frame takes a core about as long as finding and decoding it: more in flight would only hold memory. */
const IN_FLIGHT_MAX = 2;
/** Above 4K each picture in flight takes 100 MB. */
const LARGE_PIXELS = 4096 * 2304;

type WantedSets = Pick<DecodeVideoRequest, 'patchSets' | 'viewSets'>;

export class FrameWriter {
  readonly #sets: WantedSets;
  readonly #outFolder: string;
  readonly #tell: (frame: DecodedFrame) => void;
  readonly #inFlight: Promise<DecodedFrame>[] = [];
  #count = 0;
  /** Null before the first one is written. */
  first: DecodedFrame | null = null;

  constructor(sets: WantedSets, outFolder: string, tell: (frame: DecodedFrame) => void) {
    this.#sets = sets;
    this.#outFolder = outFolder;
    this.#tell = tell;
  }

  /** Begins to write; waits only while too many are in flight. */
  async take(timeSeconds: number, picture: Picture): Promise<void> {
    const max = picture.width * picture.height > LARGE_PIXELS ? 1 : IN_FLIGHT_MAX;
    while (this.#inFlight.length >= max) await this.#settleOldest();
    const writing = writeFrame({ index: this.#count, timeSeconds, picture }, this.#sets, this.#outFolder);
    // Its failure is met when its turn comes; until then nobody waits for it.
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
    this.#tell(frame);
  }
}
