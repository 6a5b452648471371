/** A recording as it would arrive by MP3 or by telephone. Every one becomes one channel, as the models hear it. */
import { type Codec as AnyCodec, Decoder, Demuxer } from 'node-av';
import { AV_CHANNEL_LAYOUT_MONO, AV_SAMPLE_FMT_FLT, AV_SAMPLE_FMT_FLTP } from 'node-av/constants';
import { Codec, CodecContext, Frame, Packet } from 'node-av/lib';

const MP3_RATE = 16_000;
const MP3_BITS_PER_SECOND = 64_000n;
const TELEPHONE_RATE = 8_000;
const TELEPHONE_BAND_HZ = { low: 300, high: 3_400 };
/** Speech to evaluate is seconds long; an hour would be in memory several times. */
const SECONDS_MAX = 600;
const BYTES_PER_FLOAT = 4;

export function toMp3(path: string, secondsMax = SECONDS_MAX): Buffer {
  const samples = decodeMono(path, MP3_RATE, secondsMax);
  const encoder = openMp3Encoder();
  const packet = new Packet();
  packet.alloc();
  const parts: Buffer[] = [];
  const drain = (): void => {
    while (encoder.receivePacketSync(packet) >= 0) {
      if (packet.data !== null) parts.push(Buffer.from(packet.data));
      packet.unref();
    }
  };
  try {
    const size = encoder.frameSize;
    const padded = new Float32Array(Math.ceil(samples.length / size) * size);
    padded.set(samples);
    for (let start = 0; start < padded.length; start += size) {
      sendFrame(encoder, padded.slice(start, start + size), start);
      drain();
    }
    encoder.sendFrameSync(null);
    drain();
  } finally {
    packet.free();
    encoder.freeContext();
  }
  // An MP3 file is its frames one after the other.
  return Buffer.concat(parts);
}

function openMp3Encoder(): CodecContext {
  const codec: AnyCodec | null = Codec.findEncoderByName('libmp3lame' as never);
  if (codec === null) throw new Error('the MP3 encoder is missing');
  const context = new CodecContext();
  context.allocContext3(codec);
  context.sampleRate = MP3_RATE;
  context.bitRate = MP3_BITS_PER_SECOND;
  context.channelLayout = AV_CHANNEL_LAYOUT_MONO;
  context.timeBase = { num: 1, den: MP3_RATE } as never;
  context.sampleFormat = AV_SAMPLE_FMT_FLTP;
  check(context.open2Sync(codec, null), 'opening the MP3 encoder');
  return context;
}

function sendFrame(encoder: CodecContext, samples: Float32Array, start: number): void {
  const frame = Frame.fromAudioBuffer(Buffer.from(samples.buffer), {
    nbSamples: samples.length,
    format: AV_SAMPLE_FMT_FLTP,
    sampleRate: MP3_RATE,
    channelLayout: AV_CHANNEL_LAYOUT_MONO,
    timeBase: { num: 1, den: MP3_RATE },
  });
  frame.pts = BigInt(start);
  check(encoder.sendFrameSync(frame), 'encoding MP3');
  frame.free();
}

/** 8 kHz, 300 to 3,400 Hz, µ-law, in a WAV file. */
export function toTelephone(path: string, secondsMax = SECONDS_MAX): Buffer {
  const samples = limitBand(decodeMono(path, TELEPHONE_RATE, secondsMax), TELEPHONE_RATE, TELEPHONE_BAND_HZ);
  return Buffer.concat([mulawHeader(samples.length), Buffer.from(samples.map(toMulaw))]);
}

/** Removes, in place, what lies outside a band, by Butterworth filters of the fourth order; frequencies in hertz. */
export function limitBand(
  samples: Float32Array,
  rate: number,
  band: { low: number; high: number },
): Float32Array {
  // Twice each: one filter of the second order leaves too much beside the band.
  for (let pass = 0; pass < 2; pass++) {
    filter(samples, biquad('high-pass', band.low, rate));
    filter(samples, biquad('low-pass', band.high, rate));
  }
  return samples;
}

interface Biquad {
  forward: [number, number, number];
  back: [number, number];
}

/** Butterworth, by the bilinear transform. */
function biquad(type: 'low-pass' | 'high-pass', hertz: number, rate: number): Biquad {
  const angle = (2 * Math.PI * hertz) / rate;
  const [cosine, alpha] = [Math.cos(angle), Math.sin(angle) / Math.SQRT2];
  const gain = 1 + alpha;
  const edge = type === 'low-pass' ? 1 - cosine : 1 + cosine;
  const middle = type === 'low-pass' ? edge : -edge;
  return {
    forward: [edge / 2 / gain, middle / gain, edge / 2 / gain],
    back: [(-2 * cosine) / gain, (1 - alpha) / gain],
  };
}

function filter(samples: Float32Array, { forward: [b0, b1, b2], back: [a1, a2] }: Biquad): void {
  let [x1, x2, y1, y2] = [0, 0, 0, 0];
  for (const [index, x] of samples.entries()) {
    const y = b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2;
    [x2, x1, y2, y1] = [x1, x, y1, y];
    samples[index] = y;
  }
}

const INT16_MAX = 32_767;
const MULAW_CLIP = 32_635;
const MULAW_BIAS = 132;

/** One sample by G.711. */
function toMulaw(sample: number): number {
  const linear = Math.round(Math.max(-1, Math.min(1, sample)) * INT16_MAX);
  const magnitude = Math.min(MULAW_CLIP, Math.abs(linear)) + MULAW_BIAS;
  const exponent = Math.floor(Math.log2(magnitude)) - 7;
  const mantissa = (magnitude >> (exponent + 3)) & 15;
  return ~((linear < 0 ? 128 : 0) | (exponent << 4) | mantissa) & 255;
}

const WAVE_FORMAT_MULAW = 7;

function mulawHeader(sampleCount: number): Buffer {
  const header = Buffer.alloc(58);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(50 + sampleCount, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(18, 16);
  header.writeUInt16LE(WAVE_FORMAT_MULAW, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(TELEPHONE_RATE, 24);
  header.writeUInt32LE(TELEPHONE_RATE, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('fact', 38, 'latin1');
  header.writeUInt32LE(4, 42);
  header.writeUInt32LE(sampleCount, 46);
  header.write('data', 50, 'latin1');
  header.writeUInt32LE(sampleCount, 54);
  return header;
}

/** Returns the first `secondsMax` seconds of a recording as one channel in -1..1 at `rate` hertz. Fails if there is no sound. */
export function decodeMono(path: string, rate: number, secondsMax = SECONDS_MAX): Float32Array {
  const demuxer = Demuxer.openSync(path);
  const stream = demuxer.audio();
  if (stream === undefined) throw new Error(`${path}: expected a recording, found no sound`);
  const resample = {
    sampleRate: rate,
    sampleFormat: AV_SAMPLE_FMT_FLT,
    channelLayout: AV_CHANNEL_LAYOUT_MONO,
  };
  const decoder = Decoder.createSync(stream, { resample });
  const parts: Buffer[] = [];
  let byteCount = 0;
  for (const frame of decoder.framesSync(demuxer.packetsSync(stream.index))) {
    if (frame === null) continue;
    const bytes = frame.data?.[0]?.subarray(0, frame.nbSamples * BYTES_PER_FLOAT);
    // The frame's buffer does not outlive the frame.
    if (bytes !== undefined) parts.push(Buffer.from(bytes));
    byteCount += bytes?.length ?? 0;
    frame.free();
    if (byteCount > secondsMax * rate * BYTES_PER_FLOAT) break;
  }
  decoder.close();
  demuxer.closeSync();
  const joined = Uint8Array.from(Buffer.concat(parts));
  return new Float32Array(joined.buffer);
}

function check(code: number, what: string): void {
  if (code < 0) throw new Error(`${what} failed with code ${code}`);
}
