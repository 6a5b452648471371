/** The reader's language: chosen here, else the browser's, else English. */
import { fillText } from '../../src/domain/shown-text.ts';
import { Cell } from '../state/cell.ts';
import { read, write } from '../state/theme.ts';
import { EN, type TextKey, type Texts } from './en.ts';
import { IT } from './it.ts';

const CATALOGUE: Readonly<Record<Language, Texts>> = { en: EN, it: IT };
export const LANGUAGES = ['en', 'it'] as const;
export type Language = (typeof LANGUAGES)[number];

const STORAGE_KEY = 'assay.language';

export const language = new Cell<Language>(firstLanguage());

function firstLanguage(): Language {
  const stored = read(STORAGE_KEY);
  const wanted = [stored, ...navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase())];
  return wanted.flatMap((name) => LANGUAGES.find((known) => known === name) ?? [])[0] ?? 'en';
}

export function chooseLanguage(chosen: Language): void {
  write(STORAGE_KEY, chosen);
  language.set(chosen);
}

/** The text with `{name}` filled in. */
export function t(key: TextKey, filling: Readonly<Record<string, string | number>> = {}): string {
  return fillText(CATALOGUE[language.get()][key], filling);
}

/** For keys made from what the daemon says, such as a reason's code; undefined if there is no text for it. */
export function findText(key: string): string | undefined {
  return (CATALOGUE[language.get()] as Readonly<Record<string, string>>)[key];
}
