/** A file of 32-bit float samples that a decode child wrote; reads beyond its ends give silence. */
import { SlotFile } from '../protocol/slot-file.ts';

const SAMPLE_BYTES = Float32Array.BYTES_PER_ELEMENT;
/** A day at 16 kHz: far past any bound on a recording, well inside what a file position can say. */
const SAMPLES_MAX = 24 * 3600 * 16_000;

export class SoundFile implements Disposable {
  readonly sampleCount: number;
  readonly #file: SlotFile;

  private constructor(file: SlotFile, sampleCount: number) {
    this.#file = file;
    this.sampleCount = sampleCount;
  }

  /** Throws unless the file holds exactly `sampleCount` samples. */
  static open(path: string, sampleCount: number): SoundFile {
    if (!Number.isInteger(sampleCount) || sampleCount < 1 || sampleCount > SAMPLES_MAX) {
      throw new Error(`a sound must have 1 to ${SAMPLES_MAX} samples, not ${sampleCount}`);
    }
    const what = { file: 'sound file', content: `${sampleCount} samples` };
    return new SoundFile(SlotFile.openWhole(path, sampleCount * SAMPLE_BYTES, what), sampleCount);
  }

  /** Fills `samples` from `offset` on, which may lie before the sound. */
  read(offset: number, samples: Float32Array): void {
    const from = Math.max(0, offset);
    const to = Math.min(this.sampleCount, offset + samples.length);
    if (from !== offset || to !== offset + samples.length) samples.fill(0);
    if (to <= from) return;
    const inside = samples.subarray(from - offset, to - offset);
    this.#file.read(from * SAMPLE_BYTES, new Uint8Array(inside.buffer, inside.byteOffset, inside.byteLength));
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
  }
}
