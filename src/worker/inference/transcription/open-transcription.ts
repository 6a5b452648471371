/** Brings a transcription model up, with the run that its golden outputs judge. */
import { makeGoldenSound, pickEvenly } from '../golden.ts';
import { melSpectrogram } from './mel-spectrogram.ts';
import { TranscriptionQueue } from './transcription-queue.ts';
import { type TranscriptionPack, WhisperSession } from './whisper-session.ts';

const GOLDEN_SECONDS = 5;
const SAMPLE_RATE = 16_000;

/** What a transcription model must answer to the first golden sound: half of the values of its encoder, half of its decoder's first token. */
export async function runTranscriptionGolden(session: WhisperSession): Promise<Float32Array> {
  const half = session.pack.golden.items / 2;
  const sound = makeGoldenSound(0, GOLDEN_SECONDS * SAMPLE_RATE);
  const encoded = await session.encode(melSpectrogram(sound));
  const { logits } = await session.begin(encoded);
  if (!(encoded.data instanceof Float32Array)) throw new Error('the encoder gave no numbers');
  return Float32Array.from([...pickEvenly(encoded.data, half), ...pickEvenly(logits, half)]);
}

export async function openTranscription(pack: TranscriptionPack, threads: number) {
  const session = await WhisperSession.open(pack, threads);
  const run = () => runTranscriptionGolden(session);
  return { runGolden: run, runParity: run, queue: new TranscriptionQueue(session) };
}
