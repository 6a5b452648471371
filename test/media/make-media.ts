/** Video and sound made on the spot; frames carry their number in squares (`readFrameNumber`), and coloured corners. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_CODEC_FLAG_INTERLACED_DCT,
  AV_FRAME_FLAG_INTERLACED,
  AV_FRAME_FLAG_TOP_FIELD_FIRST,
  AV_LOG_QUIET,
  AV_OPT_SEARCH_CHILDREN,
  AV_OPT_TYPE_STRING,
  AV_PIX_FMT_RGB24,
  AV_PIX_FMT_YUV420P,
  AV_PKT_DATA_DISPLAYMATRIX,
  AV_SAMPLE_FMT_FLT,
  AVCOL_PRI_BT709,
  AVCOL_PRI_BT2020,
  AVCOL_RANGE_MPEG,
  AVCOL_SPC_BT2020_CL,
  AVCOL_SPC_BT2020_NCL,
  AVCOL_SPC_SMPTE170M,
  AVCOL_TRC_ARIB_STD_B67,
  AVCOL_TRC_BT709,
  AVCOL_TRC_SMPTE2084,
  AVFMT_GLOBALHEADER,
  type AVPixelFormat,
  type FFEncoderCodec,
} from 'node-av/constants';
import {
  avChannelLayoutDefault,
  Codec,
  CodecContext,
  Dictionary,
  FFmpegError,
  FormatContext,
  Frame,
  Log,
  Packet,
  Rational,
  SoftwareResampleContext,
  SoftwareScaleContext,
  type Stream,
} from 'node-av/lib';
import { paintFrame } from './numbered-frame.ts';

Log.setLevel(AV_LOG_QUIET);

interface Muxing {
  /** A muxer: `mp4`, `mov`, `matroska`, `webm`, `avi`, `mpegts`, `3gp`, `ogg`, `flac`, … */
  container: string;
  muxerOptions?: Record<string, string>;
  /** Tags of the container; `language` goes to its streams. */
  metadata?: Record<string, string>;
}

export interface VideoRecipe extends Muxing {
  codec: FFEncoderCodec;
  seconds: number;
  width: number;
  height: number;
  fps: number;
  /** Clockwise degrees that a player must turn the picture by. */
  rotation?: 90 | 180 | 270;
  /** Codec of a track of sound, and what it says. */
  withSound?: FFEncoderCodec;
  wave?: SoundRecipe['wave'];
  soundTimeOf?: SoundRecipe['timeOf'];
  /** Frames from one key frame to the next. */
  keyFrameInterval?: number;
  pixelFormat?: AVPixelFormat;
  /** Width of a pixel over its height. */
  pixelAspect?: [number, number];
  transfer?: 'pq' | 'pq of constant luminance' | 'hlg';
  isInterlaced?: boolean;
  /** Presentation time of each frame in frames; default its number. */
  timeOf?: (index: number) => number;
  /** Replaces the picture of a frame: width × height × RGB. */
  paint?: (index: number, rgb: Buffer) => void;
  encoderOptions?: Record<string, string>;
}

export interface SoundRecipe extends Muxing {
  codec: FFEncoderCodec;
  seconds: number;
  rate: number;
  channels: number;
  /** The signal of a channel at a time in seconds, −1..1; default a tone that differs little between channels. */
  wave?: (seconds: number, channel: number) => number;
  /** Presentation time of what begins at a time of the signal, seconds; default that time. */
  timeOf?: (seconds: number) => number;
}

export function makeVideo(recipe: VideoRecipe): Buffer {
  return makeStreams(recipe, [recipe], recipe.withSound === undefined ? [] : [toTrack(recipe)]);
}

export function makeSound(recipe: SoundRecipe): Buffer {
  return makeStreams(recipe, [], [recipe]);
}

export function makeStreams(muxing: Muxing, videos: VideoRecipe[], sounds: SoundRecipe[]): Buffer {
  return mux(muxing, (output) => {
    const pictures = videos.map((recipe) => openVideo(output, recipe));
    const tracks = sounds.map((recipe) => openSound(output, recipe));
    return () => {
      for (const { write } of [...tracks, ...pictures]) write();
    };
  });
}

function toTrack(recipe: VideoRecipe): SoundRecipe {
  const { container, seconds, withSound: codec = 'aac' as never, wave, soundTimeOf: timeOf } = recipe;
  const rate = container === '3gp' ? 16_000 : 48_000;
  return { container, codec, seconds, rate, channels: 2, ...(wave && { wave }), ...(timeOf && { timeOf }) };
}

/** The packets of the first stream in another container, as they are. */
export function remux(bytes: Buffer, from: string, container: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'assay-media-'));
  const input = new FormatContext();
  const packet = newPacket();
  try {
    const path = join(folder, `source.${from}`);
    writeFileSync(path, bytes);
    input.allocContext();
    check(input.openInputSync(path, null, null));
    check(input.findStreamInfoSync(null));
    const [source] = input.streams;
    if (source === undefined) throw new Error('there is nothing to remux');
    return mux({ container }, (output) => {
      const stream = output.newStream(null);
      check(source.codecpar.copy(stream.codecpar));
      stream.codecpar.codecTag = 0;
      stream.timeBase = source.timeBase;
      return () => {
        while (input.readFrameSync(packet) >= 0) {
          packet.streamIndex = 0;
          packet.rescaleTs(source.timeBase, stream.timeBase);
          check(output.interleavedWriteFrameSync(packet));
          packet.unref();
        }
      };
    });
  } finally {
    packet.free();
    input.closeInputSync();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Opens the muxer, lets `open` add streams, then `write` fill them. */
function mux(
  { container, muxerOptions, metadata }: Muxing,
  open: (output: FormatContext) => () => void,
): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'assay-media-'));
  const path = join(folder, 'media');
  const output = new FormatContext();
  try {
    check(output.allocOutputContext2(null, container, path));
    const write = open(output);
    if (metadata !== undefined) tag(output, metadata);
    check(output.openOutputSync());
    for (const [name, value] of Object.entries(muxerOptions ?? {}))
      check(output.setOption(name, value, AV_OPT_TYPE_STRING, AV_OPT_SEARCH_CHILDREN));
    check(output.writeHeaderSync());
    write();
    check(output.writeTrailerSync());
    output.closeOutputSync();
    return readFileSync(path);
  } finally {
    output.freeContext();
    rmSync(folder, { recursive: true, force: true });
  }
}

function tag(output: FormatContext, { language, ...metadata }: Record<string, string>): void {
  output.metadata = Dictionary.fromObject(metadata);
  for (const stream of language === undefined ? [] : output.streams)
    stream.metadata = Dictionary.fromObject({ language });
}

function check(code: number): number {
  FFmpegError.throwIfError(code, 'making media');
  return code;
}

type Track = Record<'write', () => void>;

function openEncoder(output: FormatContext, codec: FFEncoderCodec): [Codec, CodecContext] {
  const encoder = Codec.findEncoderByName(codec);
  if (encoder === null) throw new Error(`there is no encoder ${codec}`);
  const context = new CodecContext();
  context.allocContext3(encoder);
  context.threadCount = 1;
  if (output.oformat?.hasFlags(AVFMT_GLOBALHEADER)) context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER);
  return [encoder, context];
}

/** No test is about how well these encode. A negative speed is fixed: a busy box makes the same film. */
const REALTIME = { deadline: 'realtime', 'cpu-used': '-8' };
const FASTEST = new Map<string, Record<string, string>>([
  ['libx264', { preset: 'ultrafast' }],
  ['libx265', { preset: 'ultrafast' }],
  ['libvpx', REALTIME],
  ['libvpx-vp9', REALTIME],
]);

function openVideo(output: FormatContext, recipe: VideoRecipe): Track {
  const [codec, context] = openEncoder(output, recipe.codec);
  setPicture(context, codec, recipe);
  // Set one by one: a dictionary handed to `open2Sync` is freed twice (node-av 6.1.1).
  for (const [name, value] of Object.entries({ ...FASTEST.get(recipe.codec), ...recipe.encoderOptions }))
    check(context.setOption(name, value, AV_OPT_TYPE_STRING, AV_OPT_SEARCH_CHILDREN));
  check(context.open2Sync(codec, null));
  const stream = output.newStream(null);
  check(stream.codecpar.fromContext(context));
  stream.timeBase = context.timeBase;
  stream.avgFrameRate = new Rational(recipe.fps, 1);
  stream.sampleAspectRatio = context.sampleAspectRatio;
  if (recipe.rotation !== undefined)
    check(stream.codecpar.addCodedSideData(AV_PKT_DATA_DISPLAYMATRIX, rotationMatrix(recipe)));
  return { write: () => writeFrames(output, context, stream, recipe) };
}

function setPicture(context: CodecContext, codec: Codec, recipe: VideoRecipe): void {
  context.width = recipe.width;
  context.height = recipe.height;
  context.timeBase = new Rational(1, recipe.fps);
  context.framerate = new Rational(recipe.fps, 1);
  context.pixelFormat = recipe.pixelFormat ?? codec.pixelFormats?.[0] ?? AV_PIX_FMT_YUV420P;
  context.gopSize = recipe.keyFrameInterval ?? 12;
  context.bitRate = 4_000_000n;
  context.sampleAspectRatio = new Rational(...(recipe.pixelAspect ?? [1, 1]));
  context.colorRange = AVCOL_RANGE_MPEG;
  context.colorPrimaries = recipe.transfer ? AVCOL_PRI_BT2020 : AVCOL_PRI_BT709;
  const wide = recipe.transfer?.endsWith('luminance') ? AVCOL_SPC_BT2020_CL : AVCOL_SPC_BT2020_NCL;
  context.colorSpace = recipe.transfer ? wide : AVCOL_SPC_SMPTE170M;
  context.colorTrc = transferOf(recipe);
  if (recipe.isInterlaced) context.setFlags(AV_CODEC_FLAG_INTERLACED_DCT);
}

function transferOf({ transfer }: VideoRecipe): CodecContext['colorTrc'] {
  if (transfer === undefined) return AVCOL_TRC_BT709;
  return transfer === 'hlg' ? AVCOL_TRC_ARIB_STD_B67 : AVCOL_TRC_SMPTE2084;
}

/** Rows a b u, c d v, x y w of ISO/IEC 14496-12, as 16.16 and 2.30 fixed point. */
function rotationMatrix({ rotation, width, height }: VideoRecipe): Buffer {
  const one = 1 << 16;
  const [a, b, c, d, x, y] =
    rotation === 90
      ? [0, one, -one, 0, height * one, 0]
      : rotation === 180
        ? [-one, 0, 0, -one, width * one, height * one]
        : [0, -one, one, 0, 0, width * one];
  return Buffer.from(new Int32Array([a, b, 0, c, d, 0, x, y, 1 << 30]).buffer);
}

function writeFrames(
  output: FormatContext,
  context: CodecContext,
  stream: Stream,
  recipe: VideoRecipe,
): void {
  const { width, height, isInterlaced, timeOf = (index: number) => index } = recipe;
  const paint = recipe.paint ?? ((index, rgb) => paintFrame(index, width, height, rgb));
  const rgb = Buffer.alloc(width * height * 3);
  const scaler = new SoftwareScaleContext();
  scaler.getContext(width, height, AV_PIX_FMT_RGB24, width, height, context.pixelFormat);
  const packet = newPacket();
  for (let index = 0; index < Math.round(recipe.seconds * recipe.fps); index++) {
    paint(index, rgb);
    using source = Frame.fromVideoBuffer(rgb, { width, height, format: AV_PIX_FMT_RGB24 });
    using frame = new Frame();
    frame.alloc();
    Object.assign(frame, { width, height, format: context.pixelFormat });
    check(frame.getBuffer());
    check(scaler.scaleFrameSync(frame, source));
    frame.pts = BigInt(timeOf(index));
    if (isInterlaced) frame.setFlags(AV_FRAME_FLAG_INTERLACED, AV_FRAME_FLAG_TOP_FIELD_FIRST);
    check(context.sendFrameSync(frame));
    drain(output, context, stream, packet);
  }
  finish(output, context, stream, packet);
  scaler.freeContext();
}

function openSound(output: FormatContext, recipe: SoundRecipe): Track {
  const [codec, context] = openEncoder(output, recipe.codec);
  context.sampleRate = recipe.rate;
  context.channelLayout = avChannelLayoutDefault(recipe.channels);
  context.sampleFormat = codec.sampleFormats?.[0] ?? AV_SAMPLE_FMT_FLT;
  context.timeBase = new Rational(1, recipe.rate);
  if (!recipe.codec.startsWith('pcm') && recipe.codec !== 'flac')
    context.bitRate = BigInt(48_000 * recipe.channels);
  check(context.open2Sync(codec, null));
  const stream = output.newStream(null);
  check(stream.codecpar.fromContext(context));
  stream.timeBase = context.timeBase;
  return { write: () => writeSamples(output, context, stream, recipe) };
}

function writeSamples(
  output: FormatContext,
  context: CodecContext,
  stream: Stream,
  { rate, channels, seconds, wave = tone, timeOf = (at: number) => at }: SoundRecipe,
): void {
  const resampler = new SoftwareResampleContext();
  const layout = avChannelLayoutDefault(channels);
  const step = context.frameSize > 0 ? context.frameSize : 1024;
  check(resampler.allocSetOpts2(layout, context.sampleFormat, rate, layout, AV_SAMPLE_FMT_FLT, rate));
  check(resampler.init());
  const packet = newPacket();
  const total = Math.round(seconds * rate);
  for (let start = 0; start < total; start += step) {
    const nbSamples = Math.min(step, total - start);
    const samples = Float32Array.from({ length: nbSamples * channels }, (_, at) =>
      wave((start + Math.floor(at / channels)) / rate, at % channels),
    );
    const shape = { nbSamples, sampleRate: rate, channelLayout: layout };
    const signal = Buffer.from(samples.buffer);
    using source = Frame.fromAudioBuffer(signal, { ...shape, format: AV_SAMPLE_FMT_FLT });
    using frame = new Frame();
    frame.alloc();
    Object.assign(frame, { ...shape, format: context.sampleFormat });
    check(frame.getBuffer());
    check(resampler.convertFrame(frame, source));
    frame.pts = BigInt(Math.round(timeOf(start / rate) * rate));
    check(context.sendFrameSync(frame));
    drain(output, context, stream, packet);
  }
  finish(output, context, stream, packet);
  resampler.free();
}

function tone(seconds: number, channel: number): number {
  return (
    0.3 * Math.sin(2 * Math.PI * 440 * seconds) +
    0.02 * Math.sin(2 * Math.PI * (900 + 100 * channel) * seconds)
  );
}

function newPacket(): Packet {
  const packet = new Packet();
  packet.alloc();
  return packet;
}

function drain(output: FormatContext, context: CodecContext, stream: Stream, packet: Packet): void {
  while (context.receivePacketSync(packet) >= 0) {
    packet.streamIndex = stream.index;
    packet.rescaleTs(context.timeBase, stream.timeBase);
    check(output.interleavedWriteFrameSync(packet));
    packet.unref();
  }
}

function finish(output: FormatContext, context: CodecContext, stream: Stream, packet: Packet): void {
  context.sendFrameSync(null);
  drain(output, context, stream, packet);
  packet.free();
  context.freeContext();
}
