/** Silero VAD in memory. Several stretches of a sound step as one batch: on a CPU four times as fast as in sequence. */
import { type InferenceSession, Tensor } from 'onnxruntime-node';
import type { LoadedPack, SpeechInput } from '../protocol/inference-protocol.ts';
import { type Device, openOnnx } from './pack-session.ts';

export type SpeechPack = LoadedPack & { input: SpeechInput };

/** Names and sizes of the state as Silero VAD 5 has them. */
const STATE_INPUT = 'state';
const STATE_OUTPUT = 'stateN';
const RATE_INPUT = 'sr';
const STATE_LAYERS = 2;
const STATE_SIZE = 128;
const SAMPLE_RATE = 16_000n;

export class SpeechSession {
  readonly pack: SpeechPack;
  readonly #session: InferenceSession;
  readonly #rate = new Tensor('int64', BigInt64Array.from([SAMPLE_RATE]), []);

  private constructor(pack: SpeechPack, session: InferenceSession) {
    this.pack = pack;
    this.#session = session;
  }

  static async open(pack: SpeechPack, device: Device, threads: number): Promise<SpeechSession> {
    return new SpeechSession(pack, await openOnnx(pack.modelPath, device, threads));
  }

  initialState(rows: number): Tensor {
    const zeros = new Float32Array(STATE_LAYERS * rows * STATE_SIZE);
    return new Tensor('float32', zeros, [STATE_LAYERS, rows, STATE_SIZE]);
  }

  /** Steps one frame of each stretch, with the context before it; returns the probability of speech of each. */
  async step(
    frames: Float32Array,
    rows: number,
    state: Tensor,
  ): Promise<{ probabilities: Float32Array; state: Tensor }> {
    const { input, outputName } = this.pack;
    const shape = [rows, input.contextSamples + input.frameSamples];
    const feeds = {
      [input.name]: new Tensor('float32', frames, shape),
      [STATE_INPUT]: state,
      [RATE_INPUT]: this.#rate,
    };
    const outputs = await this.#session.run(feeds, [outputName, STATE_OUTPUT]);
    const probabilities = outputs[outputName]?.data;
    const next = outputs[STATE_OUTPUT];
    if (!(probabilities instanceof Float32Array) || probabilities.length !== rows || next === undefined) {
      throw new Error(`the speech detector gave ${probabilities?.length ?? 'no'} values for ${rows} frames`);
    }
    return { probabilities, state: next };
  }

  async release(): Promise<void> {
    await this.#session.release();
  }
}
