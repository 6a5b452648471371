/** A text that repeats itself or is hardly believed is written again at a higher temperature, or else left out. */
import { deflateRawSync } from 'node:zlib';
import { isInOwnScript } from '../../../domain/transcripts/scripts.ts';
import { type LanguageShare, OWN_LANGUAGE_MIN } from '../../../domain/transcripts/spoken-language.ts';
import type { SpokenLanguage, WindowText } from '../../protocol/inference-protocol.ts';
import { melSpectrogram } from './mel-spectrogram.ts';
import { forbidTokens } from './token-rules.ts';
import type { DecoderState, WhisperSession } from './whisper-session.ts';

const SAMPLE_RATE = 16_000;
/** Half of what the decoder can remember, as its makers bound it: the fastest speech has fewer tokens. */
const TOKENS_MAX = 224;
/** Its makers' temperatures; above .8 a small model writes nothing usable. */
const TEMPERATURES = [0, 0.2, 0.4, 0.6, 0.8] as const;
/** Words below a quarter are guesses, such as those in silence. */
const CONFIDENCE_MIN = 0.25;
/** Below the noise of 16 bits. */
const LEVEL_DB_MIN = -120;
/** Further languages of a window have next to no share. */
const LANGUAGES_GIVEN = 5;

export interface WindowSound {
  samples: Float32Array;
  language: SpokenLanguage | null;
}

interface Opening extends Heard {
  languages: LanguageShare[];
  logits: Float32Array;
  state: DecoderState;
}

interface Draft extends WrittenText {
  tokens: ChosenToken[];
}

/** Yields after each run of the model, so that others get their turn. */
export async function* transcribeWindow(
  session: WhisperSession,
  sound: WindowSound,
): AsyncGenerator<void, WindowText, undefined> {
  const encoded = await session.encode(melSpectrogram(sound.samples));
  yield;
  const opening = await open(session, encoded, sound.language);
  const { language, languages, noSpeech } = opening;
  const seconds = sound.samples.length / SAMPLE_RATE;
  const chance = seededChance(sound.samples.length);
  let draft: Draft | null = null;
  for (const temperature of TEMPERATURES) {
    draft = yield* write(session, opening, { seconds, temperature, chance });
    if (isSilence(draft, opening) || isGood(draft)) break;
  }
  const isKept = draft !== null && isBelieved(draft, opening);
  const segments = isKept && draft !== null ? toSegments(session, draft.tokens, sound.samples) : [];
  return {
    language,
    languages,
    noSpeech,
    isLeftOut: !isKept && (draft?.text ?? '') !== '',
    segments,
  };
}

/** Finds the language and the probability of no speech with the first token; the text begins after the third. */
async function open(
  session: WhisperSession,
  encoded: Awaited<ReturnType<WhisperSession['encode']>>,
  known: SpokenLanguage | null,
): Promise<Opening> {
  const { vocabulary } = session;
  const first = await session.begin(encoded);
  const noSpeech = probabilityOf(first.logits, vocabulary.noSpeech);
  const shares = shareOf(first.logits, vocabulary.languages.keys());
  const sorted = [...shares].sort((one, other) => other[1] - one[1]).slice(0, LANGUAGES_GIVEN);
  const [own, ownShare] = sorted[0] ?? [vocabulary.start, 0];
  const isOwn = known === null || (!known.isSaid && ownShare >= OWN_LANGUAGE_MIN);
  const sign = isOwn ? own : (vocabulary.signOf(known.code) ?? own);
  const second = await session.step(first.state, sign);
  const { logits, state } = await session.step(second.state, vocabulary.transcribe);
  const language = vocabulary.languages.get(sign) ?? '';
  const languages = sorted.map(([token, share]) => ({ code: vocabulary.languages.get(token) ?? '', share }));
  return { language, languages, noSpeech, logits, state };
}

function probabilityOf(logits: Float32Array, token: number): number {
  let top = Number.NEGATIVE_INFINITY;
  for (const logit of logits) top = Math.max(top, logit);
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - top);
  return Math.exp((logits[token] ?? 0) - top) / sum;
}

async function* write(
  session: WhisperSession,
  opening: Opening,
  { seconds, temperature, chance }: { seconds: number; temperature: number; chance: () => number },
): AsyncGenerator<void, Draft, undefined> {
  const { vocabulary } = session;
  const tokens: ChosenToken[] = [];
  let { logits, state } = opening;
  for (;;) {
    const allowed = logits.slice();
    forbidTokens(
      allowed,
      vocabulary,
      tokens.map(({ token }) => token),
      seconds,
    );
    // No text begins with a space alone or with its end.
    if (tokens.length === 1) allowed[vocabulary.space] = Number.NEGATIVE_INFINITY;
    const chosen = chooseToken(allowed, temperature, chance);
    tokens.push(chosen);
    if (chosen.token === vocabulary.end || tokens.length >= TOKENS_MAX) break;
    ({ logits, state } = await session.step(state, chosen.token));
    yield;
  }
  const written = tokens.map(({ token }) => token).filter((token) => vocabulary.isText(token));
  const text = vocabulary.toText(written).trim();
  const sum = tokens.reduce((total, { logProbability }) => total + logProbability, 0);
  return { tokens, text, meanLogProbability: sum / tokens.length, compression: compressionOf(text) };
}

/** Text between two times; an unended segment lasts to the end of the window. */
function toSegments(
  { vocabulary }: WhisperSession,
  tokens: readonly ChosenToken[],
  samples: Float32Array,
): WindowText['segments'] {
  const seconds = samples.length / SAMPLE_RATE;
  const segments: WindowText['segments'] = [];
  let [startSeconds, words]: [number, ChosenToken[]] = [0, []];
  const end = (endSeconds: number) => {
    const text = vocabulary.toText(words.map(({ token }) => token)).trim();
    const sum = words.reduce((total, { logProbability }) => total + logProbability, 0);
    const confidence = Math.exp(sum / Math.max(1, words.length));
    if (text !== '' && confidence >= CONFIDENCE_MIN) {
      const levelDb = levelOf(samples.subarray(startSeconds * SAMPLE_RATE, endSeconds * SAMPLE_RATE));
      segments.push({ startSeconds, endSeconds, text, confidence, levelDb });
    }
    words = [];
  };
  for (const chosen of tokens) {
    if (vocabulary.isTime(chosen.token)) {
      const time = Math.min(seconds, vocabulary.secondsOf(chosen.token));
      if (words.length > 0) end(time);
      startSeconds = time;
    } else if (vocabulary.isText(chosen.token)) words.push(chosen);
  }
  end(seconds);
  return segments;
}

function levelOf(samples: Float32Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return Math.max(LEVEL_DB_MIN, 10 * Math.log10(sum / Math.max(1, samples.length)));
}

/** Letters to bytes compressed, a byte a letter: in UTF-8 plain Hindi shrinks to a third, and would pass for repetition. */
export function compressionOf(text: string): number {
  const letters = Uint8Array.from(text, (letter) => (letter.codePointAt(0) ?? 0) % 256);
  return letters.length === 0 ? 0 : letters.length / deflateRawSync(letters).length;
}

/** The bounds are those of the model's makers. */
const COMPRESSION_MAX = 2.4;
const LOG_PROBABILITY_MIN = -1;
const NO_SPEECH_MAX = 0.6;
/** Measured: silence, noise, hum and music .74 and more, speech .57 and less; a text that it half believes is none then. */
const SILENT_LOG_PROBABILITY_MIN = -0.5;

interface WrittenText {
  text: string;
  meanLogProbability: number;
  compression: number;
}

interface Heard {
  language: string;
  noSpeech: number;
}

function isSilence({ meanLogProbability }: WrittenText, { noSpeech }: Heard): boolean {
  return noSpeech > NO_SPEECH_MAX && meanLogProbability < SILENT_LOG_PROBABILITY_MIN;
}

/** Neither repeats itself nor is hardly believed. */
function isGood({ meanLogProbability, compression }: WrittenText): boolean {
  return compression <= COMPRESSION_MAX && meanLogProbability >= LOG_PROBABILITY_MIN;
}

/** Whether a text is of what was said: a model that hears no words invents some. */
export function isBelieved(written: WrittenText, heard: Heard): boolean {
  return isGood(written) && !isSilence(written, heard) && isInOwnScript(written.text, heard.language);
}

/** The next token: the likeliest, or at a temperature one drawn by chance that is the same on every run. */

interface ChosenToken {
  token: number;
  /** Natural logarithm of its probability among those that may follow, at temperature 1. */
  logProbability: number;
}

function chooseToken(logits: Float32Array, temperature: number, chance: () => number): ChosenToken {
  let best = 0;
  for (let token = 1; token < logits.length; token++) {
    if ((logits[token] ?? 0) > (logits[best] ?? 0)) best = token;
  }
  const token = temperature === 0 ? best : draw(logits, temperature, chance());
  const top = logits[best] ?? 0;
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - top);
  return { token, logProbability: (logits[token] ?? 0) - top - Math.log(sum) };
}

function draw(logits: Float32Array, temperature: number, at: number): number {
  let top = Number.NEGATIVE_INFINITY;
  for (const logit of logits) top = Math.max(top, logit);
  let sum = 0;
  for (const logit of logits) sum += Math.exp((logit - top) / temperature);
  let left = at * sum;
  for (let token = 0; token < logits.length; token++) {
    left -= Math.exp(((logits[token] ?? 0) - top) / temperature);
    if (left < 0) return token;
  }
  return logits.indexOf(top);
}

/** Mulberry32: enough to vary a text, and the same text again for the same sound. */
function seededChance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Probabilities of some tokens among themselves. */
function shareOf(logits: Float32Array, tokens: Iterable<number>): Map<number, number> {
  const entries = [...tokens].map((token): [number, number] => [token, Math.exp(logits[token] ?? -1e9)]);
  const sum = entries.reduce((total, [, value]) => total + value, 0);
  return new Map(entries.map(([token, value]) => [token, value / sum]));
}
