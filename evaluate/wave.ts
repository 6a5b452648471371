/** Samples in -1..1 as a WAVE file of 16 bits. */

const HEADER_BYTES = 44;
const BYTES_PER_SAMPLE = 2;
const INT16_MAX = 32_767;

/** The channels must have one length. */
export function toWave(channels: readonly Float32Array[], rate: number): Buffer {
  const [{ length } = new Float32Array()] = channels;
  const frameBytes = channels.length * BYTES_PER_SAMPLE;
  const bytes = Buffer.alloc(HEADER_BYTES + length * frameBytes);
  bytes.write('RIFF', 0, 'latin1');
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write('WAVEfmt ', 8, 'latin1');
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(channels.length, 22);
  bytes.writeUInt32LE(rate, 24);
  bytes.writeUInt32LE(rate * frameBytes, 28);
  bytes.writeUInt16LE(frameBytes, 32);
  bytes.writeUInt16LE(8 * BYTES_PER_SAMPLE, 34);
  bytes.write('data', 36, 'latin1');
  bytes.writeUInt32LE(length * frameBytes, 40);
  for (const [channel, samples] of channels.entries()) {
    for (const [index, value] of samples.entries()) {
      const bounded = Math.max(-1, Math.min(1, value));
      const at = HEADER_BYTES + index * frameBytes + channel * BYTES_PER_SAMPLE;
      bytes.writeInt16LE(Math.round(bounded * INT16_MAX), at);
    }
  }
  return bytes;
}
