/** Owns conversions of samples: rates, number formats and alignment. One channel throughout. */
import { AV_CHANNEL_LAYOUT_MONO, AV_SAMPLE_FMT_FLT } from 'node-av/constants';
import { type Frame, SoftwareResampleContext } from 'node-av/lib';

const INT16_MAX = 32_767;
/** Codecs delay by at most this, at 16 kHz. */
const LAG_MAX = 2_600;
const ALIGNED_SAMPLES = 16_000;

/** Copies the samples out of a packed float frame: its buffer does not outlive the frame. */
export function toFloats(frame: Frame): Float32Array {
  const bytes = frame.data?.[0];
  if (bytes === undefined) return new Float32Array(0);
  const copy = Uint8Array.prototype.slice.call(bytes, 0, frame.nbSamples * 4);
  return new Float32Array(copy.buffer, 0, frame.nbSamples);
}

export function resample(samples: Float32Array, from: number, to: number): Float32Array {
  if (from === to) return samples;
  const context = new SoftwareResampleContext();
  check(
    context.allocSetOpts2(
      AV_CHANNEL_LAYOUT_MONO,
      AV_SAMPLE_FMT_FLT,
      to,
      AV_CHANNEL_LAYOUT_MONO,
      AV_SAMPLE_FMT_FLT,
      from,
    ),
    'resampler',
  );
  check(context.init(), 'resampler');
  const capacity = Math.ceil((samples.length * to) / from) + 4_096;
  const out = Buffer.alloc(capacity * 4);
  const input = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
  const first = check(context.convertSync([out], capacity, [input], samples.length), 'resampling');
  const rest = check(context.convertSync([out.subarray(first * 4)], capacity - first, null, 0), 'resampling');
  context.free();
  return new Float32Array(out.buffer, out.byteOffset, first + rest).slice();
}

export function check(code: number, what: string): number {
  if (code < 0) throw new Error(`${what} failed with code ${code}`);
  return code;
}

/** Packs floats as the encoder wants them; one channel, so planar and packed are the same bytes. */
export function toBytes(samples: Float32Array, isFloat: boolean): Buffer {
  if (isFloat) return Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
  const integers = toInt16(samples);
  return Buffer.from(integers.buffer, integers.byteOffset, integers.byteLength);
}

function toInt16(samples: Float32Array): Int16Array {
  return Int16Array.from(samples, (value) => Math.round(Math.max(-1, Math.min(1, value)) * INT16_MAX));
}

export function fromInt16(bytes: Buffer, count: number): Float32Array {
  const copy = Uint8Array.prototype.slice.call(bytes, 0, count * 2);
  return Float32Array.from(new Int16Array(copy.buffer, 0, count), (value) => value / INT16_MAX);
}

export function joinSamples(parts: Float32Array[]): Float32Array {
  const joined = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

/** Cuts the codec's delay off, found as the lag of greatest correlation, and keeps the length. */
export function alignWith(original: Float32Array, coded: Float32Array): Float32Array {
  const lagMax = Math.min(LAG_MAX, coded.length - 1);
  const count = Math.min(original.length, ALIGNED_SAMPLES);
  let best = 0;
  let bestScore = -Infinity;
  for (let lag = 0; lag < lagMax; lag += 2) {
    let score = 0;
    for (let index = 0; index < count && index + lag < coded.length; index += 4) {
      score += (original[index] ?? 0) * (coded[index + lag] ?? 0);
    }
    if (score > bestScore) [best, bestScore] = [lag, score];
  }
  const aligned = new Float32Array(original.length);
  aligned.set(coded.subarray(best, best + original.length));
  return aligned;
}
