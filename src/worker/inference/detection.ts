/** One sound on its way through the speech detector, in stretches side by side, which begin early to settle its state. */
import type { Tensor } from 'onnxruntime-node';
import type { SpeechSession } from './speech-session.ts';

/** Stretches side by side: past sixteen a CPU gains nothing. */
const STRETCHES_MAX = 16;
/** Ten seconds: a shorter stretch would spend more than a tenth of its time on settling. */
const STRETCH_FRAMES_MIN = 312;
/** One second in which the state settles; its answers are thrown away. */
const SETTLING_FRAMES = 32;

/** Samples from `offset` on; silence beyond the ends. */
export type ReadSamples = (offset: number, samples: Float32Array) => void;

export class Detection {
  readonly probabilities: Float32Array;
  readonly #session: SpeechSession;
  readonly #read: ReadSamples;
  readonly #rows: number;
  /** Frames that each stretch runs through. */
  readonly #steps: number;
  readonly #frames: Float32Array;
  #state: Tensor;
  #step = 0;

  constructor(session: SpeechSession, sampleCount: number, read: ReadSamples) {
    const { frameSamples, contextSamples } = session.pack.input;
    const count = Math.ceil(sampleCount / frameSamples);
    this.#session = session;
    this.#read = read;
    this.#rows = Math.max(1, Math.min(STRETCHES_MAX, Math.floor(count / STRETCH_FRAMES_MIN)));
    this.#steps = Math.ceil((count + (this.#rows - 1) * SETTLING_FRAMES) / this.#rows);
    this.#frames = new Float32Array(this.#rows * (contextSamples + frameSamples));
    this.#state = session.initialState(this.#rows);
    this.probabilities = new Float32Array(count);
  }

  get isDone(): boolean {
    return this.#step >= this.#steps;
  }

  async step(): Promise<void> {
    const { frameSamples, contextSamples } = this.#session.pack.input;
    const width = contextSamples + frameSamples;
    for (let row = 0; row < this.#rows; row++) {
      const offset = this.#frameOf(row) * frameSamples - contextSamples;
      this.#read(offset, this.#frames.subarray(row * width, (row + 1) * width));
    }
    const { probabilities, state } = await this.#session.step(this.#frames, this.#rows, this.#state);
    for (let row = 0; row < this.#rows; row++) {
      if (row > 0 && this.#step < SETTLING_FRAMES) continue;
      // The last stretch may run past the end, where typed arrays ignore a write.
      this.probabilities[this.#frameOf(row)] = probabilities[row] ?? Number.NaN;
    }
    this.#state = state;
    this.#step += 1;
  }

  #frameOf(row: number): number {
    return row * (this.#steps - SETTLING_FRAMES) + this.#step;
  }
}
