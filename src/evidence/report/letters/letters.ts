/** The fonts of a report: only those that its texts need, each cut to the two weights that a report uses. */
import { readFile } from 'node:fs/promises';
import { Blob, Face } from 'harfbuzzjs';
import toVariableFont from 'woff2-encoder/decompress';
import { openFontCutter } from './font-cutter.ts';
import { type FontFile, type FontFiles, HAN_FORMS, type HanForm, listFontFiles } from './font-files.ts';

const WEIGHTS = [400, 600] as const;

/** A text and, if known, its language (ISO 639). */
export interface ReportText {
  text: string;
  language?: string | undefined;
}

/** A text as the layout takes it. */
export interface ShownText {
  text: string;
  isRightToLeft: boolean;
  /** Families in the order of search; any other opened font follows. */
  families: string[];
}

/** Controls and invisible characters: written as their numbers, even if a font has them. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
/** Joiners between two letters. */
const JOINERS = /[\u200c\u200d]/;
const HAN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uffef]/u;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

export class Letters {
  readonly #files: FontFiles = listFontFiles();
  /** By file; empty where the file lacks a character that its package declares. */
  readonly #opened = new Map<string, { bytes: Uint8Array; held: ReadonlySet<number> }>();
  /** The file that has a character, by form and character. */
  readonly #found = new Map<string, string>();

  /** Opens the fonts that the texts need. Throws if a package of fonts is not installed. */
  static async open(texts: readonly ReportText[]): Promise<Letters> {
    const letters = new Letters();
    for (const { text, language } of texts) {
      const form = hanFormOf(text, language);
      for (const character of new Set(text)) await letters.#find(character, form);
    }
    return letters;
  }

  /** A character without a font is written as its number: an empty box would mean nothing. */
  show({ text, language }: ReportText): ShownText {
    const form = hanFormOf(text, language);
    let before: string | undefined;
    let shown = '';
    for (const character of text) {
      const font = this.#fontOf(character, before, form);
      shown += font === undefined && character !== '\n' ? numberOf(character) : character;
      before = font;
    }
    const firstLetter = /\p{L}/u.exec(text)?.[0] ?? '';
    return {
      text: shown,
      isRightToLeft: RIGHT_TO_LEFT.test(firstLetter),
      families: HAN.test(text) ? [`Noto Sans ${form.toUpperCase()}`, 'Noto Sans'] : ['Noto Sans'],
    };
  }

  /** The opened fonts in both weights. */
  async cut(): Promise<Buffer[]> {
    const cutter = await openFontCutter();
    const used = new Set(this.#found.values());
    return [...used].flatMap((name) => {
      const bytes = this.#opened.get(name)?.bytes;
      return bytes === undefined ? [] : WEIGHTS.map((weight) => cutter.cut(bytes, weight));
    });
  }

  /** A joiner is invisible, but has a meaning behind a letter whose font knows it. */
  #fontOf(character: string, before: string | undefined, form: HanForm): string | undefined {
    if (JOINERS.test(character) && this.#opened.get(before ?? '')?.held.has(codePointOf(character)) === true)
      return before;
    return this.#found.get(`${form}${character}`);
  }

  async #find(character: string, form: HanForm): Promise<void> {
    const codePoint = codePointOf(character);
    const key = `${form}${character}`;
    if (UNSEEN.test(character) || this.#found.has(key)) return;
    const { scripts, han } = this.#files;
    const forms = [form, ...HAN_FORMS.filter((other) => other !== form)];
    const candidates = [scripts, ...forms.map((one) => han[one])].flatMap(
      (files) => files.get(codePoint) ?? [],
    );
    for (const file of candidates) {
      if (!(await this.#open(file)).has(codePoint)) continue;
      this.#found.set(key, file.name);
      return;
    }
  }

  async #open({ name, path }: FontFile): Promise<ReadonlySet<number>> {
    let font = this.#opened.get(name);
    if (font === undefined) {
      const bytes = await toVariableFont(await readFile(path));
      font = { bytes, held: new Set(new Face(new Blob(bytes)).collectUnicodes()) };
      this.#opened.set(name, font);
    }
    return font.held;
  }
}

/** A text without a language counts as Japanese or Korean if it has letters that only these have. */
function hanFormOf(text: string, language: string | undefined): HanForm {
  if (language === 'ja' || /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return 'jp';
  return language === 'ko' || /\p{Script=Hangul}/u.test(text) ? 'kr' : 'sc';
}

function codePointOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

function numberOf(character: string): string {
  return `\\u{${codePointOf(character).toString(16)}}`;
}
