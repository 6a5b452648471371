/** Transcribes a sound, each voice by itself; a transcript that cannot be made says so, and never costs the verdict. */
import { isTranscriptionPack, packKey } from '../../domain/packs/model-pack.ts';
import type { TranscriptionPack } from '../../domain/packs/transcription-pack.ts';
import { isBeside, isEcho, type LevelledSegment } from '../../domain/transcripts/echoes.ts';
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
import type { SpokenLanguage, WindowText } from '../../worker/protocol/inference-protocol.ts';
import { AbortError, ModelFailedError } from '../children/worker-errors.ts';
import type { Transcription } from '../inference/inference-process.ts';
import { settled } from './analysis-parts.ts';
import type { SoundParts, SoundSpeech, SoundWork } from './sound-work.ts';

const SAMPLE_RATE = 16_000;
/** A text without a letter or a digit is none: dots, notes, dashes. */
const WORD = /[\p{L}\p{N}]/u;

/** The segments so far in the order of time, and the share of all speech. */
export type OnText = (segments: readonly TranscriptSegment[], share: number) => void;

interface WrittenSegment extends LevelledSegment {
  isEcho: boolean;
}

interface WrittenWindow {
  segments: WrittenSegment[];
  samples: number;
  /** Whether a text was left out as not credible. */
  isLeftOut: boolean;
}

interface Voice extends Pick<SoundSpeech, 'file' | 'channel'> {
  windows: SpeechWindow[];
  /** Indexed by window. */
  texts: (WrittenWindow | undefined)[];
}

interface Written {
  voices: Voice[];
  fault: string;
  elapsedMs: number;
}

/** Undefined if it was not asked for. Throws as the inference does, unless only the model fails. */
export async function transcribeSound(
  parts: SoundParts,
  work: SoundWork,
  heard: readonly SoundSpeech[],
  onText: OnText,
): Promise<Transcript | undefined> {
  const packs = work.models.flatMap((key) => parts.findPack(key)?.pack ?? []);
  const pack = packs.find(isTranscriptionPack);
  if (pack === undefined) return undefined;
  const written: Written = { voices: heard.map(toVoice), fault: '', elapsedMs: 0 };
  const timeUp = AbortSignal.timeout((TRANSCRIPT_TIMEOUTS - 1) * parts.decodeTimeoutMs);
  try {
    await writeDown({ parts, work, pack, timeUp }, written, onText);
  } catch (error) {
    if (!(error instanceof ModelFailedError)) throw error;
    written.fault = `the model failed: ${error.message}`.slice(0, 500);
  }
  const text = segmentsOf(written.voices).slice(0, TRANSCRIPT_SEGMENTS_MAX);
  return {
    model: pack.id,
    version: pack.version,
    language: mainLanguage(text),
    segments: text,
    leftOutSeconds: samplesOf(written.voices, (one) => one.isLeftOut) / SAMPLE_RATE,
    fault: written.fault,
    elapsedSeconds: written.elapsedMs / 1000,
  };
}

function toVoice({ file, channel, segments, frames }: SoundSpeech): Voice {
  const windows = planSpeechWindows(segments, { sampleCount: file.sampleCount, frames });
  return { file, channel, windows, texts: [] };
}

interface Writing {
  parts: SoundParts;
  work: SoundWork;
  pack: TranscriptionPack;
  /** Shared by all voices. */
  timeUp: AbortSignal;
}

/** Transcribes one window of a voice; null once the time is up. */
type Take = (voice: Voice, index: number, language: SpokenLanguage | null) => Promise<WindowText | null>;

async function writeDown(writing: Writing, written: Written, onText: OnText): Promise<void> {
  const { voices } = written;
  const total = voices.flatMap(({ windows }) => windows).reduce((sum, window) => sum + samplesIn(window), 0);
  const take: Take = async (voice, index, language) => {
    const window = voice.windows[index];
    if (window === undefined) return null;
    const answer = await askInTime(writing, voice, window, language);
    if (answer === null) {
      const seconds = Math.round(samplesOf(voices) / SAMPLE_RATE);
      written.fault ||= `stopped after ${seconds} of ${Math.round(total / SAMPLE_RATE)} s of speech: the analysis may not last longer`;
      return null;
    }
    const { text, elapsedMs } = answer;
    written.elapsedMs += elapsedMs;
    const samples = samplesIn(window);
    const segments = toSegments(voice, window, text);
    voice.texts[index] = { segments, samples, isLeftOut: text.isLeftOut };
    markEchoes(voices, segments);
    onText(segmentsOf(voices), samplesOf(voices) / total);
    return text;
  };
  const { language: code } = writing.work;
  const begun = await settled(
    voices.map(async (voice) => {
      if (code !== '') return { voice, language: { code, isSaid: true }, count: 0 };
      return { voice, ...(await findLanguage(voice, take)) };
    }),
  );
  const rest = begun.flatMap(({ voice, language, count }) =>
    voice.windows.slice(count).map((window, at) => ({ voice, language, window, index: count + at })),
  );
  // Ordered by time and not by channel, so that a text that stops early, or is read while it comes, has both sides of a talk.
  rest.sort((one, other) => beginOf(one.window) - beginOf(other.window));
  await settled(rest.map(({ voice, index, language }) => take(voice, index, language)));
}

function beginOf({ ranges }: SpeechWindow): number {
  return ranges[0]?.offset ?? 0;
}

/** Hears a voice's first windows one by one until the language is clear; unsure ones are transcribed again. */
async function findLanguage(
  voice: Voice,
  take: Take,
): Promise<{ language: SpokenLanguage | null; count: number }> {
  const heard: HeardLanguages[] = [];
  let pooled = poolLanguages(heard);
  for (const [index, window] of voice.windows.slice(0, LANGUAGE_WINDOWS_MAX).entries()) {
    const text = await take(voice, index, null);
    if (text === null) break;
    heard.push({ ...text, seconds: samplesIn(window) / SAMPLE_RATE });
    pooled = poolLanguages(heard);
    if (pooled !== null && pooled.share >= OWN_LANGUAGE_MIN) break;
  }
  if (pooled === null) return { language: null, count: heard.length };
  const language = { code: pooled.code, isSaid: false };
  for (const [index, one] of heard.entries())
    if (isHeardAgain(one, pooled.code)) await take(voice, index, language);
  return { language, count: heard.length };
}

function writtenOf(voices: readonly Voice[]): WrittenSegment[] {
  return voices.flatMap(({ texts }) => texts.flatMap((one) => one?.segments ?? []));
}

/** The segments of all voices by time, without repetitions. */
function segmentsOf(voices: readonly Voice[]): TranscriptSegment[] {
  return writtenOf(voices)
    .flatMap(({ segment, isEcho }) => (isEcho ? [] : [segment]))
    .sort((one, other) => one.startSeconds - other.startSeconds);
}

/** Only new segments and those beside them may have become echoes, or stopped being one. */
function markEchoes(voices: readonly Voice[], written: readonly WrittenSegment[]): void {
  if (voices.length < 2) return;
  const all = writtenOf(voices);
  const besideOf = (one: WrittenSegment) => all.filter((other) => isBeside(one, other));
  for (const one of new Set(written.flatMap((segment) => [segment, ...besideOf(segment)]))) {
    one.isEcho = isEcho(one, besideOf(one));
  }
}

/** Samples that were transcribed, or only those without a credible text. */
function samplesOf(voices: readonly Voice[], isCounted = (_: WrittenWindow) => true): number {
  return voices
    .flatMap(({ texts }) => texts)
    .reduce((sum, one) => sum + (one !== undefined && isCounted(one) ? one.samples : 0), 0);
}

/** Null once the time is up: windows wait in the model's queue, where they would outlast the analysis. */
async function askInTime(
  { parts, work, pack, timeUp }: Writing,
  { file }: Voice,
  { ranges }: SpeechWindow,
  language: SpokenLanguage | null,
): Promise<Transcription | null> {
  const path = work.slot.outPath(file.file);
  const request = { pack: packKey(pack), path, sampleCount: file.sampleCount, ranges, language };
  const signal = AbortSignal.any([work.signal, timeUp]);
  try {
    return await parts.inference.transcribe(request, { signal });
  } catch (error) {
    if (error instanceof AbortError && !work.signal.aborted) return null;
    throw error;
  }
}

function toSegments(
  { channel }: Voice,
  window: SpeechWindow,
  { language, segments }: WindowText,
): WrittenSegment[] {
  return segments
    .filter(({ text }) => WORD.test(text))
    .map(({ startSeconds, endSeconds, text, confidence, levelDb }) => {
      const start = toSoundSeconds(window, startSeconds, 'start');
      const segment = {
        startSeconds: start,
        endSeconds: Math.max(start, toSoundSeconds(window, endSeconds, 'end')),
        text: text.slice(0, SEGMENT_CHARACTERS_MAX),
        confidence,
        language,
        ...(channel === null ? {} : { channel }),
      };
      return { segment, levelDb, isEcho: false };
    });
}
