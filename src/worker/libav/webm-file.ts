/** Writes a WebM for browsers: VP8 and Opus, which need no licence. Times are the original's own, in milliseconds. */
import {
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_OPT_SEARCH_CHILDREN,
  AV_OPT_TYPE_STRING,
  AV_PICTURE_TYPE_NONE,
  AV_PIX_FMT_YUV420P,
  AV_SAMPLE_FMT_FLT,
  AVCOL_RANGE_MPEG,
  AVCOL_SPC_SMPTE170M,
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
  type Stream,
} from 'node-av/lib';
import { assertDone } from './av-fault.ts';
import type { SoundShape } from './resampler.ts';

export interface WebmRecipe {
  /** Null for sound alone; even numbers. */
  picture: { width: number; height: number } | null;
  /** 1 or 2; null for a silent film. */
  channels: number | null;
}

interface Track {
  context: CodecContext;
  stream: Stream;
}

export const OPUS_RATE = 48_000;
const SOUND_BITS_PER_CHANNEL = 64_000n;
/** Good quality at 720p and 30 frames a second. */
const BITS_PER_PIXEL = 1.9;
const PICTURE_BITS_MIN = 150_000;
/** A player that jumps decodes at most this many frames. */
const KEY_FRAME_DISTANCE = 90;
/** The fast mode, on one thread. A positive speed would follow measured time: a busy box would get a worse film. */
const PICTURE_OPTIONS = { deadline: 'realtime', 'cpu-used': '-8', 'lag-in-frames': '0' } as const;

export function opusShape(channels: number): SoundShape {
  return { rate: OPUS_RATE, layout: avChannelLayoutDefault(channels), format: AV_SAMPLE_FMT_FLT };
}

export class WebmFile implements Disposable {
  readonly #format = new FormatContext();
  readonly #packet = new Packet();
  readonly #picture: Track | null;
  readonly #sound: Track | null;
  readonly #shape: SoundShape | null;
  #lastMs = -1n;

  constructor(path: string, { picture, channels }: WebmRecipe) {
    this.#packet.alloc();
    assertDone(this.#format.allocOutputContext2(null, 'webm', path), 'a WebM file cannot be written');
    this.#picture = picture === null ? null : this.#addPicture(picture);
    this.#shape = channels === null ? null : opusShape(channels);
    this.#sound = this.#shape === null ? null : this.#addSound(this.#shape);
    assertDone(this.#format.openOutputSync(), 'the WebM file cannot be opened');
    assertDone(this.#format.writeHeaderSync(), 'the WebM header cannot be written');
  }

  /** A frame in YUV 4:2:0 of the recipe's sides, its `pts` in milliseconds; one that is not later is left out. */
  writePicture(frame: Frame): void {
    if (this.#picture === null) throw new Error('the film has no picture');
    if (frame.pts <= this.#lastMs) return;
    this.#lastMs = frame.pts;
    // A key frame of the original need not be one here.
    frame.pictType = AV_PICTURE_TYPE_NONE;
    assertDone(this.#picture.context.sendFrameSync(frame), 'the VP8 encoder refuses a frame');
    this.#drain(this.#picture);
  }

  /** Interleaved floats at OPUS_RATE, at most `soundFrameSamples` of each channel; `at` counts samples. */
  writeSound(samples: Buffer, at: number): void {
    if (this.#sound === null || this.#shape === null) throw new Error('the film has no sound');
    const { rate: sampleRate, layout: channelLayout, format } = this.#shape;
    const nbSamples = samples.length / 4 / channelLayout.nbChannels;
    using frame = Frame.fromAudioBuffer(samples, { nbSamples, format, sampleRate, channelLayout });
    frame.pts = BigInt(at);
    assertDone(this.#sound.context.sendFrameSync(frame), 'the Opus encoder refuses a block');
    this.#drain(this.#sound);
  }

  /** Samples of each channel that the encoder takes at once; only the last block may be shorter. */
  get soundFrameSamples(): number {
    return this.#sound?.context.frameSize ?? 0;
  }

  /** Ends the file; only then is it whole. */
  finish(): void {
    for (const track of [this.#picture, this.#sound]) {
      if (track === null) continue;
      track.context.sendFrameSync(null);
      this.#drain(track);
    }
    assertDone(this.#format.writeTrailerSync(), 'the WebM file cannot be ended');
    this.#format.closeOutputSync();
  }

  [Symbol.dispose](): void {
    this.#packet.free();
    this.#picture?.context.freeContext();
    this.#sound?.context.freeContext();
    this.#format.freeContext();
  }

  #addPicture({ width, height }: { width: number; height: number }): Track {
    const { codec, context } = openCodec('libvpx');
    Object.assign(context, { width, height, pixelFormat: AV_PIX_FMT_YUV420P });
    context.timeBase = new Rational(1, 1000);
    context.gopSize = KEY_FRAME_DISTANCE;
    context.bitRate = BigInt(Math.max(PICTURE_BITS_MIN, Math.round(width * height * BITS_PER_PIXEL)));
    // The only colours that VP8 knows.
    context.colorSpace = AVCOL_SPC_SMPTE170M;
    context.colorRange = AVCOL_RANGE_MPEG;
    for (const [name, value] of Object.entries(PICTURE_OPTIONS)) {
      const code = context.setOption(name, value, AV_OPT_TYPE_STRING, AV_OPT_SEARCH_CHILDREN);
      assertDone(code, `the VP8 encoder has no option ${name}`);
    }
    return this.#addTrack(codec, context);
  }

  #addSound({ rate, layout, format }: SoundShape): Track {
    const { codec, context } = openCodec('libopus');
    context.sampleRate = rate;
    context.channelLayout = layout;
    context.sampleFormat = format;
    context.timeBase = new Rational(1, rate);
    context.bitRate = SOUND_BITS_PER_CHANNEL * BigInt(layout.nbChannels);
    return this.#addTrack(codec, context);
  }

  #addTrack(codec: Codec, context: CodecContext): Track {
    assertDone(context.open2Sync(codec, null), `the ${codec.name} encoder cannot be opened`);
    const stream = this.#format.newStream(null);
    assertDone(stream.codecpar.fromContext(context), 'a WebM track cannot be described');
    stream.timeBase = context.timeBase;
    return { context, stream };
  }

  #drain({ context, stream }: Track): void {
    while (context.receivePacketSync(this.#packet) >= 0) {
      this.#packet.streamIndex = stream.index;
      this.#packet.rescaleTs(context.timeBase, stream.timeBase);
      assertDone(this.#format.interleavedWriteFrameSync(this.#packet), 'the WebM file cannot be written on');
      this.#packet.unref();
    }
  }
}

function openCodec(name: string): { codec: Codec; context: CodecContext } {
  const codec = Codec.findEncoderByName(name as FFEncoderCodec);
  if (codec === null) throw new Error(`the media library has no encoder ${name}`);
  const context = new CodecContext();
  context.allocContext3(codec);
  context.threadCount = 1;
  context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER);
  return { codec, context };
}
