/** FLAC of 16 bits, stereo and 48 kHz at most, to bound its size; equal sound gives equal bytes, for the hash. */
import {
  AV_CODEC_FLAG_BITEXACT,
  AV_SAMPLE_FMT_S16,
  AVFMT_FLAG_BITEXACT,
  type FFEncoderCodec,
} from 'node-av/constants';
import {
  avChannelLayoutDefault,
  Codec,
  CodecContext,
  FormatContext,
  Frame,
  Packet,
  Rational,
} from 'node-av/lib';
import { assertDone } from './av-fault.ts';
import { Resampler, type SoundShape } from './resampler.ts';

const FLAC = 'flac' as FFEncoderCodec;
const CHANNELS_MAX = 2;
const RATE_MAX = 48_000;
const RATE_MIN = 8000;
const SAMPLE_BYTES = 2;

export class FlacFile implements Disposable {
  readonly #shape: SoundShape;
  readonly #resampler: Resampler;
  readonly #format = new FormatContext();
  readonly #context = new CodecContext();
  readonly #packet = new Packet();
  readonly #blockBytes: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #samplesWritten = 0n;

  constructor(path: string, source: Frame) {
    const channels = Math.min(source.channels, CHANNELS_MAX);
    const rate = Math.min(Math.max(source.sampleRate, RATE_MIN), RATE_MAX);
    this.#shape = { rate, layout: avChannelLayoutDefault(channels), format: AV_SAMPLE_FMT_S16 };
    this.#resampler = new Resampler(this.#shape);
    this.#packet.alloc();
    this.#open(path);
    this.#blockBytes = this.#context.frameSize * channels * SAMPLE_BYTES;
  }

  write(frame: Frame): void {
    this.#resampler.feed(frame, (samples) => this.#take(samples));
  }

  rest(seconds: number): void {
    this.#resampler.rest(seconds, (samples) => this.#take(samples));
  }

  /** Ends the file; only then is it whole. */
  finish(): void {
    this.#resampler.flush((samples) => this.#take(samples));
    if (this.#pendingBytes > 0) this.#encode(Buffer.concat(this.#pending));
    this.#context.sendFrameSync(null);
    this.#drain();
    assertDone(this.#format.writeTrailerSync(), 'the FLAC file cannot be ended');
    this.#format.closeOutputSync();
  }

  [Symbol.dispose](): void {
    this.#resampler[Symbol.dispose]();
    this.#packet.free();
    this.#context.freeContext();
    this.#format.freeContext();
  }

  #open(path: string): void {
    const codec = Codec.findEncoderByName(FLAC);
    if (codec === null) throw new Error('the media library has no FLAC encoder');
    const { rate, layout, format } = this.#shape;
    this.#context.allocContext3(codec);
    this.#context.sampleRate = rate;
    this.#context.channelLayout = layout;
    this.#context.sampleFormat = format;
    this.#context.timeBase = new Rational(1, rate);
    this.#context.setFlags(AV_CODEC_FLAG_BITEXACT);
    assertDone(this.#context.open2Sync(codec, null), 'the FLAC encoder cannot be opened');
    assertDone(this.#format.allocOutputContext2(null, 'flac', path), 'a FLAC file cannot be written');
    this.#format.setFlags(AVFMT_FLAG_BITEXACT);
    const stream = this.#format.newStream(null);
    assertDone(stream.codecpar.fromContext(this.#context), 'the FLAC stream cannot be described');
    stream.timeBase = this.#context.timeBase;
    assertDone(this.#format.openOutputSync(), 'the FLAC file cannot be opened');
    assertDone(this.#format.writeHeaderSync(), 'the FLAC header cannot be written');
  }

  /** The encoder takes blocks of one size, only the last may be shorter. */
  #take(samples: Buffer): void {
    this.#pending.push(Buffer.from(samples));
    this.#pendingBytes += samples.length;
    if (this.#pendingBytes < this.#blockBytes) return;
    const whole = Buffer.concat(this.#pending);
    let at = 0;
    for (; whole.length - at >= this.#blockBytes; at += this.#blockBytes)
      this.#encode(whole.subarray(at, at + this.#blockBytes));
    this.#pending = [whole.subarray(at)];
    this.#pendingBytes = whole.length - at;
  }

  #encode(samples: Buffer): void {
    const { rate: sampleRate, layout: channelLayout, format } = this.#shape;
    const nbSamples = samples.length / SAMPLE_BYTES / channelLayout.nbChannels;
    using frame = Frame.fromAudioBuffer(samples, { nbSamples, format, sampleRate, channelLayout });
    frame.pts = this.#samplesWritten;
    this.#samplesWritten += BigInt(nbSamples);
    assertDone(this.#context.sendFrameSync(frame), 'the FLAC encoder refuses a block');
    this.#drain();
  }

  #drain(): void {
    while (this.#context.receivePacketSync(this.#packet) >= 0) {
      this.#packet.streamIndex = 0;
      assertDone(this.#format.writeFrameSync(this.#packet), 'the FLAC file cannot be written on');
      this.#packet.unref();
    }
  }
}
