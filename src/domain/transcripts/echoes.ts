/** Words that both microphones heard are an echo on the quiet channel; words or level alone do not show it. Pure. */
import type { TranscriptSegment } from './transcript.ts';

/** A headset or a microphone at the collar hears the other side 10 to 30 dB quieter. */
const QUIETER_DB_MIN = 6;
/** From afar a word or two of three are heard alike. */
const SAME_WORDS_MIN = 0.6;
/** Times of segments are the model's, which errs by some tenths. */
const SLACK_SECONDS = 1;

/** A segment with the level of its sound, decibels of full scale. */
export interface LevelledSegment {
  segment: TranscriptSegment;
  levelDb: number;
}

/** Whether two segments lie on different channels at the same time. */
export function isBeside({ segment: one }: LevelledSegment, { segment: other }: LevelledSegment): boolean {
  return (
    one.channel !== other.channel &&
    one.startSeconds < other.endSeconds + SLACK_SECONDS &&
    other.startSeconds < one.endSeconds + SLACK_SECONDS
  );
}

/** `beside` are the segments of other channels at its time, in order. */
export function isEcho(own: LevelledSegment, beside: readonly LevelledSegment[]): boolean {
  const louder = beside.filter(({ levelDb }) => levelDb - own.levelDb >= QUIETER_DB_MIN);
  if (louder.length === 0) return false;
  const words = wordsOf(own.segment.text);
  const others = louder.flatMap(({ segment }) => wordsOf(segment.text));
  return countInOrder(words, others) >= SAME_WORDS_MIN * words.length;
}

const WORDS = new Intl.Segmenter('und', { granularity: 'word' });

function wordsOf(text: string): string[] {
  return [...WORDS.segment(text.toLowerCase())].flatMap(({ segment, isWordLike }) =>
    isWordLike ? [segment] : [],
  );
}

/** The most words of the one that the other has in the same order. */
function countInOrder(words: readonly string[], others: readonly string[]): number {
  let row = new Array<number>(others.length + 1).fill(0);
  for (const word of words) {
    const next = [0];
    for (const [index, other] of others.entries()) {
      const isSame = word === other;
      next.push(isSame ? (row[index] ?? 0) + 1 : Math.max(row[index + 1] ?? 0, next[index] ?? 0));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
