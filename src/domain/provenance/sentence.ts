/** A sentence for people, in the languages of the page and the report. */
export interface Sentence {
  en: string;
  it: string;
}

export const both = (en: string, it: string): Sentence => ({ en, it });

/** Joins the sentences; nulls are left out. */
export function joined(sentences: readonly (Sentence | null)[], between = ' '): Sentence {
  const said = sentences.filter((sentence) => sentence !== null);
  return both(said.map(({ en }) => en).join(between), said.map(({ it }) => it).join(between));
}
