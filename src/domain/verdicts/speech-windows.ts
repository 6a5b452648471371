/** Packs speech into windows of at most half a minute, without pauses, music and noise, in which models invent words. */
import type { SampleRange, SpeechSegment } from './speech.ts';

const SAMPLE_RATE = 16_000;
/** Whisper hears thirty seconds; one is kept so that the last word is not cut at its edge. */
const WINDOW_SAMPLES_MAX = 29 * SAMPLE_RATE;
/** The voice detector cuts breaths and soft ends of words. */
const PADDING_SAMPLES = 0.2 * SAMPLE_RATE;
/** A time this near to the join of two stretches is padding: the model sets a begin at the end of the sentence before. */
const MEETING_SAMPLES = PADDING_SAMPLES + 0.1 * SAMPLE_RATE;
/** A shorter pause belongs to the sentence. */
const PAUSE_SAMPLES_MAX = SAMPLE_RATE;
/** Shorter stretches are coughs or clicks; a word lasts longer with its padding. */
const STRETCH_SAMPLES_MIN = 0.8 * SAMPLE_RATE;

/** How far from even pieces a cut may move to where the detector hears least speech: between two words, or in a breath. */
const CUT_REACH_SAMPLES = 4 * SAMPLE_RATE;

/** The detector's probability of speech for each frame, 0..1. */
export interface SpeechFrames {
  probabilities: ArrayLike<number>;
  frameSamples: number;
}

/** Pieces of speech that are heard as one, in order. */
export interface SpeechWindow {
  ranges: SampleRange[];
}

export function planSpeechWindows(
  segments: readonly SpeechSegment[],
  { sampleCount, frames }: { sampleCount: number; frames: SpeechFrames },
): SpeechWindow[] {
  const windows: SpeechWindow[] = [];
  let filled = WINDOW_SAMPLES_MAX;
  for (const stretch of stretchesOf(segments, sampleCount)) {
    for (const range of cutStretch(stretch, frames)) {
      if (filled + range.length > WINDOW_SAMPLES_MAX) {
        windows.push({ ranges: [] });
        filled = 0;
      }
      windows.at(-1)?.ranges.push(range);
      filled += range.length;
    }
  }
  return windows;
}

/** Padded, and joined across short pauses as long as they fit into a window. */
function stretchesOf(segments: readonly SpeechSegment[], sampleCount: number): SampleRange[] {
  const stretches: { from: number; to: number }[] = [];
  for (const { startSeconds, endSeconds } of segments) {
    const from = Math.max(0, Math.round(startSeconds * SAMPLE_RATE) - PADDING_SAMPLES);
    const to = Math.min(sampleCount, Math.round(endSeconds * SAMPLE_RATE) + PADDING_SAMPLES);
    const last = stretches.at(-1);
    const isNear = last !== undefined && from - last.to <= PAUSE_SAMPLES_MAX - 2 * PADDING_SAMPLES;
    if (last !== undefined && (isNear || from <= last.to) && to - last.from <= WINDOW_SAMPLES_MAX)
      last.to = to;
    else stretches.push({ from: Math.max(from, last?.to ?? 0), to });
  }
  return stretches
    .map(({ from, to }) => ({ offset: from, length: to - from }))
    .filter(({ length }) => length >= STRETCH_SAMPLES_MIN);
}

/** Speech without a pause for half a minute is cut into nearly even pieces, where the detector hears least speech. */
function cutStretch({ offset, length }: SampleRange, frames: SpeechFrames): SampleRange[] {
  const end = offset + length;
  const pieces: SampleRange[] = [];
  let from = offset;
  for (let count = Math.ceil(length / WINDOW_SAMPLES_MAX); count > 1; count--) {
    const even = from + Math.ceil((end - from) / count);
    // What is left must fit into the windows that are left.
    const first = Math.max(even - CUT_REACH_SAMPLES, end - (count - 1) * WINDOW_SAMPLES_MAX);
    const last = Math.min(even + CUT_REACH_SAMPLES, from + WINDOW_SAMPLES_MAX);
    const to = quietestSample(frames, { first, even, last });
    pieces.push({ offset: from, length: to - from });
    from = to;
  }
  return [...pieces, { offset: from, length: end - from }];
}

/** The middle of the frame with the least speech; `even` if none is quieter than it. */
function quietestSample(
  { probabilities, frameSamples }: SpeechFrames,
  { first, even, last }: { first: number; even: number; last: number },
): number {
  const speechAt = (sample: number) => probabilities[Math.floor(sample / frameSamples)] ?? 1;
  let found = even;
  const start = Math.ceil(first / frameSamples - 0.5) * frameSamples + frameSamples / 2;
  for (let sample = start; sample <= last; sample += frameSamples)
    if (speechAt(sample) < speechAt(found)) found = sample;
  return found;
}

export function samplesIn({ ranges }: SpeechWindow): number {
  return ranges.reduce((sum, { length }) => sum + length, 0);
}

/** Where in the sound a time of the window is, in seconds. */
export function toSoundSeconds(
  { ranges }: SpeechWindow,
  windowSeconds: number,
  side: 'start' | 'end',
): number {
  let left = windowSeconds * SAMPLE_RATE;
  for (const [index, { offset, length }] of ranges.entries()) {
    // What begins where two pieces meet begins with the later one, and what ends there ends with the earlier.
    const isInside = side === 'start' ? left < length - MEETING_SAMPLES : left <= length + MEETING_SAMPLES;
    if (isInside || index === ranges.length - 1) {
      return (offset + Math.min(Math.max(0, left), length)) / SAMPLE_RATE;
    }
    left -= length;
  }
  return 0;
}
