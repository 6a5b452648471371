/**
 * Writes down what is said in a decoded sound, window by window; the text so far is shown as it comes. A transcript never
 * costs the verdict: where it cannot be made it says so.
 */
import { isTranscriptionPack, packKey } from '../../domain/packs/model-pack.ts';
import type { TranscriptionPack } from '../../domain/packs/transcription-pack.ts';
import {
  mainLanguage,
  SEGMENT_CHARACTERS_MAX,
  TRANSCRIPT_SEGMENTS_MAX,
  TRANSCRIPT_TIMEOUTS,
  type Transcript,
  type TranscriptSegment,
} from '../../domain/transcripts/transcript.ts';
import {
  planSpeechWindows,
  type SpeechWindow,
  samplesIn,
  toSoundSeconds,
} from '../../domain/verdicts/speech-windows.ts';
import type { SoundFile } from '../../worker/protocol/decode-protocol.ts';
import type { SpokenLanguage, WindowText } from '../../worker/protocol/inference-protocol.ts';
import { ModelFailedError } from '../children/worker-errors.ts';
import type { SoundParts, SoundSpeech, SoundWork } from './sound-work.ts';

const SAMPLE_RATE = 16_000;
/** What has neither a letter nor a digit is no text: dots, notes, dashes. */
const WORD = /[\p{L}\p{N}]/u;

/** The segments so far in their order, and the share of all speech. */
export type OnText = (segments: readonly TranscriptSegment[], share: number) => void;

interface Written {
  texts: (TranscriptSegment[] | undefined)[];
  leftOutSamples: number;
  doneSamples: number;
  fault: string;
}

/** Undefined where it was not asked for. Throws as the inference does, but where the model fails alone. */
export async function transcribeSound(
  parts: SoundParts,
  work: SoundWork,
  { file, segments }: SoundSpeech,
  onText: OnText,
): Promise<Transcript | undefined> {
  const packs = work.models.flatMap((key) => parts.findPack(key)?.pack ?? []);
  const pack = packs.find(isTranscriptionPack);
  if (pack === undefined) return undefined;
  const startedAt = performance.now();
  const windows = planSpeechWindows(segments, file.sampleCount);
  const written: Written = { texts: [], leftOutSamples: 0, doneSamples: 0, fault: '' };
  const until = startedAt + (TRANSCRIPT_TIMEOUTS - 1) * parts.decodeTimeoutMs;
  try {
    await writeDown({ parts, work, file, pack, until }, windows, written, onText);
  } catch (error) {
    if (!(error instanceof ModelFailedError)) throw error;
    written.fault = `the model failed: ${error.message}`.slice(0, 500);
  }
  const text = written.texts.flatMap((one) => one ?? []).slice(0, TRANSCRIPT_SEGMENTS_MAX);
  return {
    model: pack.id,
    version: pack.version,
    language: mainLanguage(text),
    segments: text,
    leftOutSeconds: written.leftOutSamples / SAMPLE_RATE,
    fault: written.fault,
    elapsedSeconds: (performance.now() - startedAt) / 1000,
  };
}

interface Writing {
  parts: SoundParts;
  work: SoundWork;
  file: SoundFile;
  pack: TranscriptionPack;
  /** By the clock of `performance`. */
  until: number;
}

/** If the submission does not name the language, the first window is heard alone: the others take its language if they are not sure of their own. */
async function writeDown(
  writing: Writing,
  windows: readonly SpeechWindow[],
  written: Written,
  onText: OnText,
): Promise<void> {
  const total = windows.reduce((sum, window) => sum + samplesIn(window), 0);
  const take = async (index: number, language: SpokenLanguage | null): Promise<WindowText | null> => {
    const window = windows[index];
    if (window === undefined) return null;
    if (performance.now() > writing.until) {
      written.fault ||= `stopped after ${Math.round(written.doneSamples / SAMPLE_RATE)} of ${Math.round(total / SAMPLE_RATE)} s of speech: the analysis may not last longer`;
      return null;
    }
    const text = await ask(writing, window, language);
    written.texts[index] = toSegments(window, text);
    written.doneSamples += samplesIn(window);
    if (text.isLeftOut) written.leftOutSamples += samplesIn(window);
    onText(
      written.texts.flatMap((one) => one ?? []),
      written.doneSamples / total,
    );
    return text;
  };
  const said = writing.work.language === '' ? null : { code: writing.work.language, isSaid: true };
  const first = await take(0, said);
  const guess =
    first === null || first.segments.length === 0 ? null : { code: first.language, isSaid: false };
  const asked = windows.slice(1).map((_, index) => take(index + 1, said ?? guess));
  // Waits for all even where one fails: their file vanishes with the slot.
  await Promise.allSettled(asked);
  await Promise.all(asked);
}

async function ask(
  { parts, work, file, pack }: Writing,
  { ranges }: SpeechWindow,
  language: SpokenLanguage | null,
): Promise<WindowText> {
  const path = work.slot.outPath(file.file);
  const request = { pack: packKey(pack), path, sampleCount: file.sampleCount, ranges, language };
  const { text } = await parts.inference.transcribe(request, { signal: work.signal });
  return text;
}

function toSegments(window: SpeechWindow, { language, segments }: WindowText): TranscriptSegment[] {
  return segments
    .filter(({ text }) => WORD.test(text))
    .map(({ startSeconds, endSeconds, text, confidence }) => {
      const start = toSoundSeconds(window, startSeconds, 'start');
      return {
        startSeconds: start,
        endSeconds: Math.max(start, toSoundSeconds(window, endSeconds, 'end')),
        text: text.slice(0, SEGMENT_CHARACTERS_MAX),
        confidence,
        language,
      };
    });
}
