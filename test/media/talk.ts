/** Two people who talk over each other, one on each channel: an English and a German sentence (spoken/README.md). */
import { join } from 'node:path';
import { decodeToSamples } from '../worker/transcription/decode-samples.ts';
import type { SoundRecipe } from './make-media.ts';

const SPOKEN = join(import.meta.dirname, 'spoken');
const RATE = 16_000;
/** The second one begins while the first one speaks. */
const LATER_SECONDS = 1.5;

/** By `channel`, counted from 1. */
export const TALK_SAID = [
  { channel: 1, language: 'en', text: /yesterday the parliament voted on a new law/i },
  { channel: 2, language: 'de', text: /gestern hat das parlament/i },
] as const;

/** Length and wave of the talk, for a recording or the track of a film. */
export async function readTalk(): Promise<Required<Pick<SoundRecipe, 'seconds' | 'wave'>>> {
  const voices = [
    await decodeToSamples(join(SPOKEN, 'english.ogg')),
    await decodeToSamples(join(SPOKEN, 'german.ogg')),
  ] as const;
  const ends = voices.map(({ length }, channel) => length / RATE + channel * LATER_SECONDS);
  const wave = (at: number, channel: number): number =>
    voices[channel]?.[Math.floor((at - channel * LATER_SECONDS) * RATE)] ?? 0;
  return { seconds: Math.ceil(Math.max(...ends)), wave };
}
