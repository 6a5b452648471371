/** Frames of a film's rendition: upright, square, progressive, SDR, in milliseconds; one filter graph for each shape. */
import {
  AV_BUFFERSRC_FLAG_KEEP_REF,
  AV_FRAME_FLAG_CORRUPT,
  AV_FRAME_FLAG_INTERLACED,
  AVCOL_SPC_UNSPECIFIED,
} from 'node-av/constants';
import { type FilterContext, FilterGraph, Frame } from 'node-av/lib';
import type { DecodeLimits } from '../protocol/decode-protocol.ts';
import { assertDone, assertMedia } from './av-fault.ts';
import { NO_TIME } from './container.ts';
import { type Display, displayOf, shownSides, squareSides, turnFilters } from './display.ts';
import { assertFrameBounds, HD_HEIGHT_MIN, standardRange } from './frame-picture.ts';
import type { PlayedFile } from './played-file.ts';
import { CLOCK_JUMP_SECONDS_MIN } from './steady-clock.ts';
import { StreamDecoder } from './stream-decoder.ts';
import { playedSeconds, stampAt } from './time-span.ts';

const FRAME_MS_DEFAULT = 40;

export class FilmFrames implements Disposable {
  readonly #frames: Generator<Frame, void, undefined>;
  #decoder: StreamDecoder | null = null;
  readonly #limits: DecodeLimits;
  readonly #shortSideMax: number;
  readonly #shown = new Frame();
  #chain: Chain | null = null;
  /** Decoded, not yet filtered. */
  #pending: Frame | null;
  #isInterlaced = false;
  #lastMs = -1;
  #display: Display = { turn: 'none', pixelAspect: 1 };
  /** Size of the film, even numbers. */
  readonly width: number;
  readonly height: number;

  constructor(file: PlayedFile, options: { limits: DecodeLimits; shortSideMax: number }) {
    this.#limits = options.limits;
    this.#shortSideMax = options.shortSideMax;
    this.#shown.alloc();
    this.#frames = this.#readFrames(file);
    this.#pending = this.#readFrame();
    const { width, height } = this.#pending === null ? { width: 2, height: 2 } : this.#sides(this.#pending);
    this.width = width;
    this.height = height;
  }

  get isEmpty(): boolean {
    return this.#pending === null && this.#chain === null;
  }

  /** The next picture, valid until the next call; null at the end. */
  next(): Frame | null {
    for (;;) {
      const frame = this.#take();
      if (frame !== null) return frame;
      if (this.#pending !== null) this.#feed(this.#pending);
      else if (this.#retireChain()) return null;
    }
  }

  [Symbol.dispose](): void {
    this.#chain?.graph.free();
    this.#shown.free();
    this.#decoder?.[Symbol.dispose]();
  }

  /** Ends the filters at the first call, and drops them once they are empty. False while they may hold a frame. */
  #retireChain(): boolean {
    if (this.#chain === null) return true;
    if (!this.#chain.isEnded) {
      this.#chain.end();
      return false;
    }
    this.#chain.graph.free();
    this.#chain = null;
    return true;
  }

  #take(): Frame | null {
    if (this.#chain === null) return null;
    this.#shown.unref();
    return this.#chain.sink.buffersinkGetFrameSync(this.#shown) >= 0 ? this.#shown : null;
  }

  /** A frame of another shape waits until the filters before it are empty. */
  #feed(frame: Frame): void {
    if (frame.hasFlags(AV_FRAME_FLAG_INTERLACED)) this.#isInterlaced = true;
    const filters = this.#filtersFor(frame);
    if (this.#chain !== null && this.#chain.filters !== filters && !this.#retireChain()) return;
    this.#chain ??= new Chain(filters);
    this.#chain.feed(frame);
    this.#pending = this.#readFrame();
  }

  #filtersFor(frame: Frame): string {
    const { width, height, format, colorSpace, colorRange } = frame;
    assertFrameBounds(frame, this.#display, this.#limits);
    const isTurned = /clockwise/.test(this.#display.turn);
    const [w, h] = isTurned ? [this.height, this.width] : [this.width, this.height];
    const isUnsaidHd = colorSpace === AVCOL_SPC_UNSPECIFIED && height >= HD_HEIGHT_MIN;
    const matrix = isUnsaidHd ? ':in_color_matrix=bt709' : '';
    const source = `buffer@in=video_size=${width}x${height}:pix_fmt=${format}:time_base=1/1000:pixel_aspect=1/1`;
    const hdr = standardRange(frame);
    const toSdr = ':out_color_matrix=smpte170m:out_range=tv';
    return [
      `${source}:colorspace=${colorSpace}:range=${colorRange}`,
      // The deinterlacer counts in half of the unit that it gets.
      ...(this.#isInterlaced ? ['yadif=mode=send_frame:deint=interlaced', 'settb=1/1000'] : []),
      `scale=${w}:${h}:flags=bilinear${hdr.length > 0 ? '' : `${matrix}${toSdr}`}`,
      ...hdr,
      ...(hdr.length > 0 ? [`scale=flags=bilinear${toSdr}`] : []),
      'format=yuv420p',
      ...turnFilters(this.#display.turn),
      'buffersink@out',
    ].join(',');
  }

  #readFrame(): Frame | null {
    const next = this.#frames.next();
    return next.done === true ? null : next.value;
  }

  /** Stamped in milliseconds; a damaged frame is stepped over. */
  *#readFrames(file: PlayedFile): Generator<Frame, void, undefined> {
    for (const [index, { span, beginSeconds }] of file.parts.entries()) {
      const reading = file.read(index, 'video');
      if (reading === null || span === null) continue;
      const { container, stream } = reading;
      const latest = stampAt(span, span.seconds + CLOCK_JUMP_SECONDS_MIN, stream);
      container.readOnly(stream);
      const decoder = new StreamDecoder(container, stream);
      this.#decoder = decoder;
      for (let frame = decoder.next(); frame !== null; frame = decoder.next()) {
        if (frame.hasFlags(AV_FRAME_FLAG_CORRUPT) || frame.decodeErrorFlags !== 0) continue;
        const { bestEffortTimestamp: stamp } = frame;
        const isStamped = stamp !== NO_TIME && stamp <= latest;
        if (isStamped && stamp < span.start) continue;
        const ms = isStamped
          ? Math.round((beginSeconds + playedSeconds(span, stamp, stream)) * 1000)
          : this.#lastMs + FRAME_MS_DEFAULT;
        if (this.#lastMs < 0) this.#display = displayOf(stream, frame);
        this.#lastMs = ms;
        frame.pts = BigInt(ms);
        yield frame;
      }
      decoder[Symbol.dispose]();
      this.#decoder = null;
    }
  }

  #sides(frame: Frame): { width: number; height: number } {
    assertFrameBounds(frame, this.#display, this.#limits);
    const shown = shownSides(frame, this.#display);
    const square = squareSides(frame, this.#display);
    const shrink = Math.min(1, this.#shortSideMax / Math.min(square.width, square.height));
    return { width: even(shown.width * shrink), height: even(shown.height * shrink) };
  }
}

const even = (pixels: number): number => Math.max(2, Math.round(pixels / 2) * 2);

class Chain {
  readonly graph = new FilterGraph();
  readonly filters: string;
  readonly sink: FilterContext;
  readonly #source: FilterContext;
  isEnded = false;

  constructor(filters: string) {
    this.filters = filters;
    this.graph.alloc();
    this.graph.nbThreads = 1;
    assertMedia(this.graph.parse2(filters), 'a frame names a colour space or sides that do not exist');
    assertMedia(this.graph.configSync(), 'a frame has a pixel format that cannot be shown');
    const source = this.graph.getFilter('buffer@in');
    const sink = this.graph.getFilter('buffersink@out');
    if (source === null || sink === null) throw new Error('the filters have no ends');
    this.#source = source;
    this.sink = sink;
  }

  feed(frame: Frame): void {
    assertMedia(
      this.#source.buffersrcAddFrameSync(frame, AV_BUFFERSRC_FLAG_KEEP_REF),
      'a frame cannot be shown',
    );
  }

  /** The deinterlacer holds one frame back until it sees the next one or the end. */
  end(): void {
    this.isEnded = true;
    assertDone(this.#source.buffersrcAddFrameSync(null), 'the filters take no end');
  }
}
