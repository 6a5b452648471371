/** Whisper's own rules of which token may follow, so that times come in pairs and never run back. */
import type { Vocabulary } from './vocabulary.ts';

/** The latest start of the first words; later words begin in another segment. */
const FIRST_TIME_SECONDS_MAX = 1;
const FORBIDDEN = Number.NEGATIVE_INFINITY;

/** Writes -∞ over what may not follow `written`; `soundSeconds` is how much of the window is sound. */
export function forbidTokens(
  logits: Float32Array,
  vocabulary: Vocabulary,
  written: readonly number[],
  soundSeconds: number,
): void {
  const { firstTime, end } = vocabulary;
  for (const token of vocabulary.suppressed) logits[token] = FORBIDDEN;
  // Tokens that open a text, and those of the languages.
  logits.fill(FORBIDDEN, end + 1, firstTime);
  logits.fill(FORBIDDEN, firstTime + timesIn(soundSeconds) + 1);
  if (written.length === 0) {
    logits.fill(FORBIDDEN, 0, firstTime);
    logits.fill(FORBIDDEN, firstTime + timesIn(FIRST_TIME_SECONDS_MAX) + 1);
    return;
  }
  forbidTimes(logits, vocabulary, written);
  preferTimes(logits, vocabulary);
}

const timesIn = (seconds: number): number => Math.round(seconds * 50);

/** A time that ends a segment is followed by one that begins the next; text is never followed by an earlier time. */
function forbidTimes(logits: Float32Array, vocabulary: Vocabulary, written: readonly number[]): void {
  const { firstTime, end } = vocabulary;
  const [before, last] = [written.at(-2), written.at(-1)];
  const isTimeLast = last !== undefined && vocabulary.isTime(last);
  const isTimeBefore = before === undefined || vocabulary.isTime(before);
  if (isTimeLast && isTimeBefore) logits.fill(FORBIDDEN, firstTime);
  else if (isTimeLast) logits.fill(FORBIDDEN, 0, end);
  const lastTime = written.findLast((token) => vocabulary.isTime(token));
  if (lastTime === undefined) return;
  // A segment without length would be repeated for ever.
  const isOpenEnd = isTimeLast && !isTimeBefore;
  logits.fill(FORBIDDEN, firstTime, isOpenEnd ? lastTime : lastTime + 1);
  if (written.length === 1) logits[end] = FORBIDDEN;
}

/** Takes a time if some time is likelier than every word. */
function preferTimes(logits: Float32Array, { firstTime }: Vocabulary): void {
  let [word, time] = [FORBIDDEN, FORBIDDEN];
  for (let token = 0; token < firstTime; token++) word = Math.max(word, logits[token] ?? FORBIDDEN);
  for (let token = firstTime; token < logits.length; token++)
    time = Math.max(time, logits[token] ?? FORBIDDEN);
  if (time === FORBIDDEN) return;
  let sum = 0;
  for (let token = firstTime; token < logits.length; token++) {
    sum += Math.exp((logits[token] ?? FORBIDDEN) - time);
  }
  if (time + Math.log(sum) > word) logits.fill(FORBIDDEN, 0, firstTime);
}
