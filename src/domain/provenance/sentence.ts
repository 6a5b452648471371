/** What is said to people, in the languages of the page and the report. */
export interface Sentence {
  en: string;
  it: string;
}
