/** The letters of each language. A small model writes a language that it hardly knows in a neighbour's letters. Pure. */

/** Languages with a script of their own, by Unicode's name of it; the others are written in Latin letters or in several scripts. */
const LANGUAGES_OF_SCRIPT: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    Arabic: 'ar fa ps ur',
    Armenian: 'hy',
    Bengali: 'as bn',
    Cyrillic: 'ba be bg mk ru tg uk',
    Devanagari: 'hi mr ne sa',
    Ethiopic: 'am',
    Georgian: 'ka',
    Greek: 'el',
    Gujarati: 'gu',
    Hangul: 'ko',
    Hebrew: 'he yi',
    Kannada: 'kn',
    Khmer: 'km',
    Lao: 'lo',
    Malayalam: 'ml',
    Myanmar: 'my',
    Sinhala: 'si',
    Tamil: 'ta',
    Telugu: 'te',
    Thai: 'th',
    Tibetan: 'bo',
  }),
);
const SCRIPT_OF_LANGUAGE: ReadonlyMap<string, string> = new Map(
  [...LANGUAGES_OF_SCRIPT].flatMap(([script, languages]) =>
    languages.split(' ').map((language) => [language, script] as const),
  ),
);
/** Share of other letters, as in names and quotations; more is another script. */
const FOREIGN_SHARE_MAX = 0.2;
const LETTER = /\p{L}/gu;

/** Whether the letters are the language's. Latin ones are always allowed, for words of other languages. */
export function isInOwnScript(text: string, language: string): boolean {
  const letters = text.match(LETTER) ?? [];
  const script = SCRIPT_OF_LANGUAGE.get(language);
  if (letters.length === 0 || script === undefined) return true;
  const own = new RegExp(`[\\p{Script=${script}}\\p{Script=Latin}]`, 'u');
  const foreign = letters.filter((letter) => !own.test(letter));
  return foreign.length <= FOREIGN_SHARE_MAX * letters.length;
}
