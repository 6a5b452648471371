/** A reason in the reader's language; names in it are written by strangers. */
import { showText } from '../../src/domain/shown-text.ts';
import { language } from '../texts/language.ts';

export function sayReason({ said }: { said: { en: string; it: string } }): string {
  return showText(said[language.get()]);
}
