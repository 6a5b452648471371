/** What is said to people, in the languages of the page and the report. */
export interface Sentence {
  en: string;
  it: string;
}

export const SENTENCE_LANGUAGES = ['en', 'it'] as const;
export type SentenceLanguage = (typeof SENTENCE_LANGUAGES)[number];
