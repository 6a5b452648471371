/** Converts decoded sound of any rate, format and layout, which may change on the way, to a fixed one. */
import { AV_CHANNEL_LAYOUT_MONO, AV_SAMPLE_FMT_FLT, type AVSampleFormat } from 'node-av/constants';
import {
  avChannelLayoutDefault,
  avGetBytesPerSample,
  avSampleFmtIsPlanar,
  type ChannelLayout,
  type Frame,
  SoftwareResampleContext,
} from 'node-av/lib';
import { MediaFaultFound } from '../media/media-fault.ts';
import { assertDone, assertMedia } from './av-fault.ts';

export interface SoundShape {
  rate: number;
  layout: ChannelLayout;
  /** Interleaved. */
  format: AVSampleFormat;
}

/** How channels become one: all of them mixed, or a single one by its number from 0. */
export type ChannelChoice = 'mix' | number;

/** Every sample of each channel at once, in a row. */
export type TakeSamples = (samples: Buffer) => void;

/** node-av 6.1.1 crashes if it passes on more planes: only the first channels are used. */
const NAMED_CHANNELS_MAX = 8;

/** Rates beyond any recorder's come from a damaged header, and would ask for filters of gigabytes. */
const SOURCE_RATE_MIN = 1000;
const SOURCE_RATE_MAX = 768_000;

export class Resampler implements Disposable {
  readonly #shape: SoundShape;
  readonly #choice: ChannelChoice;
  #context: SoftwareResampleContext | null = null;
  #source = '';
  #buffer = Buffer.alloc(0);

  constructor(shape: SoundShape, choice: ChannelChoice = 'mix') {
    this.#shape = shape;
    this.#choice = choice;
  }

  feed(frame: Frame, take: TakeSamples): void {
    const { sampleRate, format, nbSamples } = frame;
    const isPlanar = avSampleFmtIsPlanar(format as AVSampleFormat);
    const channels = isPlanar ? Math.min(frame.channels, NAMED_CHANNELS_MAX) : frame.channels;
    const source = `${sampleRate} ${format} ${channels}`;
    if (source !== this.#source) {
      this.flush(take);
      this.#open(frame, channels);
      this.#source = source;
    }
    this.#convert(frame.extendedData?.slice(0, channels) ?? null, nbSamples, take);
  }

  /** Silence for so many seconds, a second at a time. */
  rest(seconds: number, take: TakeSamples): void {
    this.flush(take);
    const { rate, layout, format } = this.#shape;
    const sampleBytes = avGetBytesPerSample(format) * layout.nbChannels;
    for (let left = Math.round(seconds * rate); left > 0; left -= rate) {
      take(Buffer.alloc(Math.min(left, rate) * sampleBytes));
    }
  }

  /** Gives what the filter still holds. */
  flush(take: TakeSamples): void {
    if (this.#context === null) return;
    this.#convert(null, 0, take);
    this.#context.free();
    this.#context = null;
    this.#source = '';
  }

  [Symbol.dispose](): void {
    this.#context?.free();
    this.#context = null;
  }

  #open({ sampleRate, format, channelLayout }: Frame, channels: number): void {
    const { rate, layout, format: outFormat } = this.#shape;
    const isNamed = channelLayout.order !== 0 && channelLayout.nbChannels === channels;
    const inLayout = isNamed ? channelLayout : avChannelLayoutDefault(channels);
    const what = `sound of ${channels} channels at ${sampleRate} Hz cannot be read`;
    if (sampleRate < SOURCE_RATE_MIN || sampleRate > SOURCE_RATE_MAX)
      throw new MediaFaultFound('corrupt', what);
    const context = new SoftwareResampleContext();
    assertMedia(
      context.allocSetOpts2(layout, outFormat, rate, inLayout, format as AVSampleFormat, sampleRate),
      what,
    );
    // Otherwise floats of loud channels add up beyond 1.
    assertDone(context.setOption('rematrix_maxval', 1), 'the resampler refuses an option');
    const matrix = this.#matrixFor(channels);
    if (matrix !== null) assertMedia(context.setMatrix(matrix, channels), what);
    assertMedia(context.init(), what);
    this.#context = context;
  }

  /** Null leaves the mix to the library, which knows how a centre or a subwoofer counts. */
  #matrixFor(channels: number): number[] | null {
    const choice = this.#choice;
    if (choice !== 'mix') return Array.from({ length: channels }, (_, at) => (at === choice ? 1 : 0));
    if (this.#shape.layout.nbChannels !== 1) return null;
    const isEven = channels === 2 || channels > NAMED_CHANNELS_MAX;
    return isEven ? Array.from({ length: channels }, () => 1 / channels) : null;
  }

  #convert(data: Buffer[] | null, count: number, take: TakeSamples): void {
    const context = this.#context;
    if (context === null) return;
    const { layout, format } = this.#shape;
    const sampleBytes = avGetBytesPerSample(format) * layout.nbChannels;
    const capacity = Math.max(1, context.getOutSamples(count));
    if (this.#buffer.length < capacity * sampleBytes) this.#buffer = Buffer.alloc(capacity * sampleBytes);
    const got = assertMedia(
      context.convertSync([this.#buffer], capacity, data, count),
      'sound cannot be converted',
    );
    if (got > 0) take(this.#buffer.subarray(0, got * sampleBytes));
  }
}

export function monoFloats(rate: number): SoundShape {
  return { rate, layout: AV_CHANNEL_LAYOUT_MONO, format: AV_SAMPLE_FMT_FLT };
}
