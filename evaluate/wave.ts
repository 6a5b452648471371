/** Samples of one channel in -1..1 as a WAVE file of 16 bits. */

const HEADER_BYTES = 44;
const BYTES_PER_SAMPLE = 2;
const INT16_MAX = 32_767;

export function toWave(samples: Float32Array, rate: number): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES + samples.length * BYTES_PER_SAMPLE);
  bytes.write('RIFF', 0, 'latin1');
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write('WAVEfmt ', 8, 'latin1');
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(rate, 24);
  bytes.writeUInt32LE(rate * BYTES_PER_SAMPLE, 28);
  bytes.writeUInt16LE(BYTES_PER_SAMPLE, 32);
  bytes.writeUInt16LE(8 * BYTES_PER_SAMPLE, 34);
  bytes.write('data', 36, 'latin1');
  bytes.writeUInt32LE(samples.length * BYTES_PER_SAMPLE, 40);
  for (const [index, value] of samples.entries()) {
    const bounded = Math.max(-1, Math.min(1, value));
    bytes.writeInt16LE(Math.round(bounded * INT16_MAX), HEADER_BYTES + index * BYTES_PER_SAMPLE);
  }
  return bytes;
}
