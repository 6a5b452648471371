/** Owns the way through a codec: encoded and decoded again in memory, without a container. */
import {
  AV_CHANNEL_LAYOUT_MONO,
  AV_SAMPLE_FMT_FLT,
  AV_SAMPLE_FMT_FLTP,
  AV_SAMPLE_FMT_S16,
} from 'node-av/constants';
import { Codec, CodecContext, CodecParameters, Dictionary, Frame, Packet } from 'node-av/lib';
import { check, fromInt16, joinSamples, resample, toBytes, toFloats } from './samples.ts';

const FRAME_SAMPLES_DEFAULT = 1_024;
/** Codecs need a rest of input to bring out their last samples. */
const PADDING_S = 0.2;
/** Formats that toBytes can make, best first. */
const FORMATS = [AV_SAMPLE_FMT_S16, AV_SAMPLE_FMT_FLTP, AV_SAMPLE_FMT_FLT];

export interface Variant {
  name: string;
  encoder: string;
  /** Where the encoder's name finds no decoder: libopus and libvorbis decode with the plain one. */
  decoder: string;
  rate: number;
  bitRate: number;
  options?: Record<string, string>;
}

/** Encodes and decodes without a container; the delay stays and alignWith removes it. */
export function passThrough(samples: Float32Array, variant: Variant, rateOut: number): Float32Array {
  const encoder = openEncoder(variant);
  const decoder = openDecoder(variant, encoder);
  const parts: Float32Array[] = [];
  const packet = new Packet();
  const frame = new Frame();
  packet.alloc();
  frame.alloc();
  const drain = (): void => {
    while (encoder.receivePacketSync(packet) >= 0) {
      if (decoder.sendPacketSync(packet) >= 0) receiveAll(decoder, frame, parts);
      packet.unref();
    }
  };
  const size = encoder.frameSize > 0 ? encoder.frameSize : FRAME_SAMPLES_DEFAULT;
  const padded = new Float32Array(Math.ceil((samples.length + variant.rate * PADDING_S) / size) * size);
  padded.set(samples);
  for (let start = 0; start < padded.length; start += size) {
    sendSamples(encoder, padded.slice(start, start + size), start, variant);
    drain();
  }
  encoder.sendFrameSync(null);
  drain();
  decoder.sendPacketSync(null);
  receiveAll(decoder, frame, parts);
  packet.free();
  frame.free();
  const rate = decoder.sampleRate;
  encoder.freeContext();
  decoder.freeContext();
  return resample(joinSamples(parts), rate, rateOut);
}

function sendSamples(encoder: CodecContext, samples: Float32Array, start: number, variant: Variant): void {
  const frame = Frame.fromAudioBuffer(toBytes(samples, encoder.sampleFormat !== AV_SAMPLE_FMT_S16), {
    nbSamples: samples.length,
    format: encoder.sampleFormat,
    sampleRate: variant.rate,
    channelLayout: AV_CHANNEL_LAYOUT_MONO,
    timeBase: { num: 1, den: variant.rate },
  });
  frame.pts = BigInt(start);
  check(encoder.sendFrameSync(frame), `encoding ${variant.name}`);
  frame.free();
}

function openEncoder(variant: Variant): CodecContext {
  const codec = Codec.findEncoderByName(variant.encoder as never);
  if (codec === null)
    throw new Error(`variant ${variant.name}: expected encoder ${variant.encoder}, found none`);
  const context = new CodecContext();
  context.allocContext3(codec);
  context.sampleRate = variant.rate;
  context.bitRate = BigInt(variant.bitRate);
  context.channelLayout = AV_CHANNEL_LAYOUT_MONO;
  context.timeBase = { num: 1, den: variant.rate } as never;
  const offered: readonly number[] = codec.sampleFormats ?? [AV_SAMPLE_FMT_S16];
  context.sampleFormat = FORMATS.find((format) => offered.includes(format)) ?? AV_SAMPLE_FMT_S16;
  if (variant.encoder === 'g726') context.bitsPerCodedSample = variant.bitRate / variant.rate;
  const options = variant.options === undefined ? null : Dictionary.fromObject(variant.options);
  check(context.open2Sync(codec, options), `opening ${variant.encoder}`);
  return context;
}

function openDecoder(variant: Variant, encoder: CodecContext): CodecContext {
  const codec = Codec.findDecoderByName(variant.decoder as never);
  if (codec === null)
    throw new Error(`variant ${variant.name}: expected decoder ${variant.decoder}, found none`);
  const context = new CodecContext();
  context.allocContext3(codec);
  const parameters = new CodecParameters();
  parameters.alloc();
  check(parameters.fromContext(encoder), `parameters of ${variant.encoder}`);
  check(context.parametersToContext(parameters), `parameters of ${variant.encoder}`);
  parameters.free();
  check(context.open2Sync(codec, null), `opening ${variant.decoder}`);
  return context;
}

function receiveAll(decoder: CodecContext, frame: Frame, parts: Float32Array[]): void {
  const isFloat = decoder.sampleFormat === AV_SAMPLE_FMT_FLTP || decoder.sampleFormat === AV_SAMPLE_FMT_FLT;
  while (decoder.receiveFrameSync(frame) >= 0) {
    const bytes = frame.data?.[0];
    if (bytes !== undefined) parts.push(isFloat ? toFloats(frame) : fromInt16(bytes, frame.nbSamples));
    frame.unref();
  }
}
