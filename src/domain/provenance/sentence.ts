import { text, type ValuesOf } from '../field.ts';

/** A sentence for people, in the languages of the page and the report. */
export const SENTENCE = { en: text(), it: text() };
export interface Sentence extends ValuesOf<typeof SENTENCE> {}

export const both = (en: string, it: string): Sentence => ({ en, it });

/** Joins the sentences; nulls are left out. */
export function joined(sentences: readonly (Sentence | null)[], between = ' '): Sentence {
  const said = sentences.filter((sentence) => sentence !== null);
  return both(said.map(({ en }) => en).join(between), said.map(({ it }) => it).join(between));
}
