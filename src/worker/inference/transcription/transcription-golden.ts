/** What a model that writes down speech must answer to the first golden sound: of its encoder, and of its decoder's first token. */
import { makeGoldenSound, pickEvenly } from '../golden.ts';
import { melSpectrogram } from './mel-spectrogram.ts';
import type { WhisperSession } from './whisper-session.ts';

const GOLDEN_SECONDS = 5;
const SAMPLE_RATE = 16_000;

/** Half of the values from each. */
export async function runTranscriptionGolden(session: WhisperSession): Promise<Float32Array> {
  const half = session.pack.golden.items / 2;
  const sound = makeGoldenSound(0, GOLDEN_SECONDS * SAMPLE_RATE);
  const encoded = await session.encode(melSpectrogram(sound));
  const { logits } = await session.begin(encoded);
  if (!(encoded.data instanceof Float32Array)) throw new Error('the encoder gave no numbers');
  return Float32Array.from([...pickEvenly(encoded.data, half), ...pickEvenly(logits, half)]);
}
