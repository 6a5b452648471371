/** The voice detector that ships with Assay, for training: what the appliance hears, heard alike. */
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { findDetector } from '../../../src/engine/packs/installed-packs.ts';

export const FRAME_SAMPLES = 512;
const CONTEXT_SAMPLES = 64;
const STATE = [2, 1, 128];
const RATE = 16_000;

/** Returns what gives the probabilities of speech, frame by frame, of sound at 16 kHz. */
export async function openDetector(): Promise<(samples: Float32Array) => Promise<number[]>> {
  const found = (await findDetector()).installed[0];
  if (found === undefined) throw new Error('the speech detector is missing: run npm ci');
  const detector = await InferenceSession.create(found.modelPath, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
  });
  return async (samples) => await detect(detector, samples);
}

async function detect(detector: InferenceSession, samples: Float32Array): Promise<number[]> {
  const width = CONTEXT_SAMPLES + FRAME_SAMPLES;
  const sr = new Tensor('int64', BigInt64Array.of(BigInt(RATE)), []);
  let state = new Tensor('float32', new Float32Array(256), STATE);
  const found: number[] = [];
  for (let at = 0; at < samples.length; at += FRAME_SAMPLES) {
    const frame = new Float32Array(width);
    const from = at - CONTEXT_SAMPLES;
    frame.set(samples.subarray(Math.max(0, from), at + FRAME_SAMPLES), Math.max(0, -from));
    const { output, stateN } = await detector.run({
      input: new Tensor('float32', frame, [1, width]),
      state,
      sr,
    });
    state = stateN as typeof state;
    found.push(Number(output?.data[0]));
  }
  return found;
}
