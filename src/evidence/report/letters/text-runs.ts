/**
 * A text cut into runs that are set in one font and one direction each (UAX #9), and the lines that are made of them put into the
 * order in which they are seen.
 */
import { createRequire } from 'node:module';
import type { Bidi } from 'bidi-js';
import { BREAK, codePointOf } from './shaping.ts';

// The package's types are of its form for bundlers, which Node does not read.
const bidi = (createRequire(import.meta.url)('bidi-js') as () => Bidi)();

/** Stands for the font that has Latin, Greek and Cyrillic. */
export const PLAIN_FONT = 'Roboto';

export interface TextRun {
  text: string;
  font: string;
  /** Odd: from right to left. */
  level: number;
  /** The paragraph's level: 1 begins at the right. */
  base: number;
}

/** The font that has a character; `before` is the font of the character before. Undefined where none has it. */
export type FontChoice = (character: string, before: string | undefined) => string | undefined;

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** Their words stand without spaces between them. */
const UNSPACED = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** What no font has is written as its number: an empty box would mean nothing to anyone. */
export function splitRuns(text: string, fontOf: FontChoice): TextRun[] {
  let before: string | undefined;
  const characters = [...text].map((character) => {
    const font = character === '\n' ? PLAIN_FONT : fontOf(character, before);
    before = font;
    return { shown: font === undefined ? numberOf(character) : character, font };
  });
  const levels = levelsOf(characters.map(({ shown }) => shown).join(''));
  const runs: TextRun[] = [];
  let at = 0;
  for (const { shown, font } of characters) {
    const { level, base } = levels(at, font === undefined);
    at += shown.length;
    const name = font ?? PLAIN_FONT;
    const last = runs.at(-1);
    if (last?.font === name && last.level === level && last.base === base) last.text += shown;
    else runs.push({ text: shown, font: name, level, base });
  }
  return runs.map((run) => (UNSPACED.test(run.text) ? { ...run, text: withBreaks(run.text) } : run));
}

function numberOf(character: string): string {
  return `\\u{${codePointOf(character).toString(16)}}`;
}

/** Levels by place; a number keeps its order wherever it stands. */
function levelsOf(text: string): (at: number, isNumber: boolean) => { level: number; base: number } {
  if (!RIGHT_TO_LEFT.test(text)) return () => ({ level: 0, base: 0 });
  const { levels, paragraphs } = bidi.getEmbeddingLevels(text);
  return (at, isNumber) => {
    const base = paragraphs.find(({ start, end }) => at >= start && at <= end)?.level ?? 0;
    return { level: isNumber ? base + (base % 2) : (levels[at] ?? 0), base };
  };
}

const words = new Intl.Segmenter('th', { granularity: 'word' });

function withBreaks(text: string): string {
  return [...words.segment(text)].map(({ segment }) => segment).join(BREAK);
}

/** The places of a line's pieces from left to right, by their levels (UAX #9, L2). */
export function visualOrder(levels: readonly number[]): number[] {
  const order = levels.map((_, index) => index);
  for (let level = Math.max(0, ...levels); level > 0; level--) {
    for (let from = 0; from < order.length; from++) {
      let to = from;
      while (to < order.length && (levels[order[to] ?? 0] ?? 0) >= level) to++;
      order.splice(from, to - from, ...order.slice(from, to).reverse());
      from = to;
    }
  }
  return order;
}
