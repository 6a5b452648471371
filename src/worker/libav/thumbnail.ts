/** Frames shrunk to a few pixels, hundreds a second, to compare one with the next. */
import { type AVPixelFormat, SWS_FAST_BILINEAR } from 'node-av/constants';
import { Frame, SoftwareScaleContext } from 'node-av/lib';
import { assertDone, assertMedia } from './av-fault.ts';

export class Thumbnails implements Disposable {
  readonly #width: number;
  readonly #height: number;
  readonly #format: AVPixelFormat;
  readonly #small = new Frame();
  #scaler: SoftwareScaleContext | null = null;
  #source = '';

  constructor(width: number, height: number, format: AVPixelFormat) {
    this.#width = width;
    this.#height = height;
    this.#format = format;
    this.#small.alloc();
    Object.assign(this.#small, { width, height, format });
    assertDone(this.#small.getBuffer(), 'a thumbnail cannot be made');
  }

  shrink(frame: Frame): Buffer {
    assertMedia(this.#scalerFor(frame).scaleFrameSync(this.#small, frame), 'a frame cannot be scaled');
    return this.#small.toBuffer();
  }

  [Symbol.dispose](): void {
    this.#scaler?.freeContext();
    this.#small.free();
  }

  #scalerFor({ width, height, format }: Frame): SoftwareScaleContext {
    const source = `${width} ${height} ${format}`;
    if (this.#scaler !== null && source === this.#source) return this.#scaler;
    this.#scaler?.freeContext();
    this.#scaler = new SoftwareScaleContext();
    const from = format as AVPixelFormat;
    this.#scaler.getContext(width, height, from, this.#width, this.#height, this.#format, SWS_FAST_BILINEAR);
    this.#source = source;
    return this.#scaler;
  }
}
