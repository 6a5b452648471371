/** One part of a file that is read several times. Opening a container costs 15 ms, so it is rewound if that is exact. */
import type { Stream } from 'node-av/lib';
import { type ByteRange, Container, NO_TIME, WHOLE } from './container.ts';
import { toTimestamp } from './time-span.ts';

/** Demuxers whose index leads to the first packet of a stream itself; others land near it. */
const EXACT_REWIND = /^(mov|matroska|avi)/;

/** Samples before the first time prime the decoder, and are never heard. */
const PRIMING_SECONDS_MAX = 1;

export interface Reading {
  /** Stands at the beginning. */
  container: Container;
  stream: Stream;
}

export class MediaFile implements Disposable {
  readonly #path: string;
  readonly #type: { mime: string; name: string };
  readonly #range: ByteRange;
  #container: Container;
  #isFresh = true;

  constructor(path: string, type: { mime: string; name: string }, range: ByteRange = WHOLE) {
    this.#path = path;
    this.#type = type;
    this.#range = range;
    this.#container = Container.open(path, type, range);
  }

  get container(): Container {
    return this.#container;
  }

  /** A picture or a track, 0 being the first, from its beginning; this ends earlier readers. Null if there is none. */
  from(kind: 'video' | 'audio', number = 0): Reading | null {
    if (!this.#isFresh && !this.#rewind(this.#streamOf(kind, number))) {
      this.#container[Symbol.dispose]();
      this.#container = Container.open(this.#path, this.#type, this.#range);
    }
    this.#isFresh = false;
    const stream = this.#streamOf(kind, number);
    return stream === null ? null : { container: this.#container, stream };
  }

  [Symbol.dispose](): void {
    this.#container[Symbol.dispose]();
  }

  #streamOf(kind: 'video' | 'audio', number: number): Stream | null {
    const { pictures, sounds } = this.#container;
    return (kind === 'video' ? pictures : sounds)[number] ?? null;
  }

  #rewind(stream: Stream | null): boolean {
    if (stream === null) return true;
    if (!EXACT_REWIND.test(this.#container.formatName)) return false;
    this.#container.readOnly(stream);
    this.#container.isReadBroken = false;
    const start = stream.startTime === NO_TIME ? 0n : stream.startTime;
    return this.#container.seek(stream, start - toTimestamp(PRIMING_SECONDS_MAX, stream));
  }
}
