/**
 * Writes down what is said in a decoded sound, window by window; the text so far is shown as it comes. A transcript never
 * costs the verdict: if it cannot be made, it says so.
 */
import { isTranscriptionPack, packKey } from '../../domain/packs/model-pack.ts';
import type { TranscriptionPack } from '../../domain/packs/transcription-pack.ts';
import {
  type HeardLanguages,
  isHeardAgain,
  LANGUAGE_WINDOWS_MAX,
  OWN_LANGUAGE_MIN,
  poolLanguages,
} from '../../domain/transcripts/spoken-language.ts';
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

interface WrittenWindow {
  segments: TranscriptSegment[];
  samples: number;
  /** There was a text that could not be believed. */
  isLeftOut: boolean;
}

interface Written {
  /** By window. */
  texts: (WrittenWindow | undefined)[];
  fault: string;
}

/** Undefined if it was not asked for. Throws as the inference does, unless only the model fails. */
export async function transcribeSound(
  parts: SoundParts,
  work: SoundWork,
  { file, segments, frames }: SoundSpeech,
  onText: OnText,
): Promise<Transcript | undefined> {
  const packs = work.models.flatMap((key) => parts.findPack(key)?.pack ?? []);
  const pack = packs.find(isTranscriptionPack);
  if (pack === undefined) return undefined;
  const startedAt = performance.now();
  const windows = planSpeechWindows(segments, { sampleCount: file.sampleCount, frames });
  const written: Written = { texts: [], fault: '' };
  const until = startedAt + (TRANSCRIPT_TIMEOUTS - 1) * parts.decodeTimeoutMs;
  try {
    await writeDown({ parts, work, file, pack, until }, windows, written, onText);
  } catch (error) {
    if (!(error instanceof ModelFailedError)) throw error;
    written.fault = `the model failed: ${error.message}`.slice(0, 500);
  }
  const text = segmentsOf(written.texts).slice(0, TRANSCRIPT_SEGMENTS_MAX);
  return {
    model: pack.id,
    version: pack.version,
    language: mainLanguage(text),
    segments: text,
    leftOutSeconds: samplesOf(written.texts, (one) => one.isLeftOut) / SAMPLE_RATE,
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

/** Writes one window down; null once the time is up. */
type Take = (index: number, language: SpokenLanguage | null) => Promise<WindowText | null>;

async function writeDown(
  writing: Writing,
  windows: readonly SpeechWindow[],
  written: Written,
  onText: OnText,
): Promise<void> {
  const total = windows.reduce((sum, window) => sum + samplesIn(window), 0);
  const take: Take = async (index, language) => {
    const window = windows[index];
    if (window === undefined) return null;
    if (performance.now() > writing.until) {
      const seconds = Math.round(samplesOf(written.texts) / SAMPLE_RATE);
      written.fault ||= `stopped after ${seconds} of ${Math.round(total / SAMPLE_RATE)} s of speech: the analysis may not last longer`;
      return null;
    }
    const text = await ask(writing, window, language);
    const samples = samplesIn(window);
    written.texts[index] = { segments: toSegments(window, text), samples, isLeftOut: text.isLeftOut };
    onText(segmentsOf(written.texts), samplesOf(written.texts) / total);
    return text;
  };
  const said = writing.work.language === '' ? null : { code: writing.work.language, isSaid: true };
  const begun = said === null ? await findLanguage(windows, take) : { language: said, count: 0 };
  const asked = windows.slice(begun.count).map((_, index) => take(begun.count + index, begun.language));
  // Waits for all even if one fails: their file vanishes with the slot.
  await Promise.allSettled(asked);
  await Promise.all(asked);
}

/**
 * Hears the first windows one after the other, each by itself, until the language is clear; what was written in another one by
 * a window that was not sure is written again. The others take that language if they are not sure of their own.
 */
async function findLanguage(
  windows: readonly SpeechWindow[],
  take: Take,
): Promise<{ language: SpokenLanguage | null; count: number }> {
  const heard: HeardLanguages[] = [];
  let pooled = poolLanguages(heard);
  for (const [index, window] of windows.slice(0, LANGUAGE_WINDOWS_MAX).entries()) {
    const text = await take(index, null);
    if (text === null) break;
    heard.push({ ...text, seconds: samplesIn(window) / SAMPLE_RATE });
    pooled = poolLanguages(heard);
    if (pooled !== null && pooled.share >= OWN_LANGUAGE_MIN) break;
  }
  if (pooled === null) return { language: null, count: heard.length };
  const language = { code: pooled.code, isSaid: false };
  for (const [index, one] of heard.entries()) if (isHeardAgain(one, pooled.code)) await take(index, language);
  return { language, count: heard.length };
}

function segmentsOf(texts: Written['texts']): TranscriptSegment[] {
  return texts.flatMap((one) => one?.segments ?? []);
}

/** Samples that were written down, or only those whose text could not be believed. */
function samplesOf(texts: Written['texts'], isCounted = (_: WrittenWindow) => true): number {
  return texts.reduce((sum, one) => sum + (one !== undefined && isCounted(one) ? one.samples : 0), 0);
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
