import type { Frame, Stream } from 'node-av/lib';
import type { VideoDecoder } from '../protocol/decoded-media.ts';
import type { Container } from './container.ts';
import { type Display, displayOf } from './display.ts';
import { FrameWalk } from './frame-walk.ts';
import { openGpu } from './gpu.ts';
import type { PlayedFile } from './played-file.ts';
import { StreamDecoder } from './stream-decoder.ts';

export interface PlayedFrame {
  /** Valid until the next one is asked for. */
  frame: Frame;
  display: Display;
  /** From the file's beginning. */
  timeSeconds: number;
}

interface OpenPart {
  index: number;
  walk: FrameWalk | null;
  decoder: StreamDecoder | null;
}

export class PlayedFrames implements Disposable {
  readonly #file: PlayedFile;
  readonly #wanted: VideoDecoder;
  readonly #picture: number;
  #open: OpenPart | null = null;
  #damagedFrames = 0;
  #decoder: VideoDecoder = 'cpu';

  /** `picture`: 0 is the one that players show first; `wanted`: on the GPU if there is one. */
  constructor(
    file: PlayedFile,
    { wanted = 'cpu', picture = 0 }: { wanted?: VideoDecoder; picture?: number } = {},
  ) {
    this.#file = file;
    this.#wanted = wanted;
    this.#picture = picture;
  }

  /** Null if it was given before or cannot be decoded. */
  frameAt(seconds: number): PlayedFrame | null {
    const { parts } = this.#file;
    const index = Math.max(
      0,
      parts.findLastIndex(({ beginSeconds }) => beginSeconds <= seconds),
    );
    const beginSeconds = parts[index]?.beginSeconds ?? 0;
    const shown = this.#walkOf(index)?.frameAt(seconds - beginSeconds) ?? null;
    if (shown === null) return null;
    const { frame, stream, timeSeconds } = shown;
    return { frame, display: displayOf(stream, frame), timeSeconds: beginSeconds + timeSeconds };
  }

  get damagedFrames(): number {
    return this.#damagedFrames + (this.#open?.walk?.damagedFrames ?? 0);
  }

  get decoder(): VideoDecoder {
    return this.#open?.decoder?.decoder === 'nvdec' ? 'nvdec' : this.#decoder;
  }

  [Symbol.dispose](): void {
    this.#damagedFrames = this.damagedFrames;
    this.#decoder = this.decoder;
    this.#open?.walk?.[Symbol.dispose]();
    this.#open?.decoder?.[Symbol.dispose]();
    this.#open = null;
  }

  #walkOf(index: number): FrameWalk | null {
    if (this.#open?.index === index) return this.#open.walk;
    this[Symbol.dispose]();
    const span = this.#file.spanOf(index, this.#picture);
    const reading = this.#file.read(index, 'video', this.#picture);
    if (reading === null || span === null) {
      this.#open = { index, walk: null, decoder: null };
      return null;
    }
    const { container, stream } = reading;
    const decoder = openDecoder(container, stream, this.#wanted);
    this.#open = { index, decoder, walk: new FrameWalk(container, stream, decoder, span) };
    return this.#open.walk;
  }
}

function openDecoder(container: Container, stream: Stream, wanted: VideoDecoder): StreamDecoder {
  return new StreamDecoder(container, stream, wanted === 'nvdec' ? openGpu().device : null);
}
