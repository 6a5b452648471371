/** The letters of a report: which font writes each, and the fonts that are opened for them, no more than its texts need. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Blob, Face } from 'harfbuzzjs';
import toVariableFont from 'woff2-encoder/decompress';
import { type FontCutter, openFontCutter } from './font-cutter.ts';
import { type FontFile, type FontFiles, HAN_FORMS, type HanForm, listFontFiles } from './font-files.ts';
import { codePointOf, Shaping } from './shaping.ts';
import { PLAIN_FONT, splitRuns, type TextRun } from './text-runs.ts';

const ROBOTO = join(
  dirname(createRequire(import.meta.url).resolve('pdfmake/package.json')),
  'fonts',
  'Roboto',
);
export const ROBOTO_REGULAR = join(ROBOTO, 'Roboto-Regular.ttf');
/** What the report sets bold. */
export const ROBOTO_MEDIUM = join(ROBOTO, 'Roboto-Medium.ttf');
/** The weights of these two. */
const WEIGHT_REGULAR = 400;
const WEIGHT_MEDIUM = 500;

/** A text and, where it is known, the language that it is in (ISO 639). */
export interface ReportText {
  text: string;
  language?: string | undefined;
}

export interface CutFont {
  bytes: Buffer;
  shaping: Shaping;
}

/** Controls and what is not seen: written as their numbers, whatever a font says of them. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
/** What belongs to the letter before it; the two joiners are unseen, and mean something behind a letter that joins. */
const ATTACHED = /[\p{M}\u200c\u200d]/u;

export class Letters {
  readonly #cutter: FontCutter;
  readonly #files: FontFiles;
  readonly #roboto: { regular: Buffer; medium: Buffer; held: ReadonlySet<number> };
  /** By file; empty where the file does not have what its package says. */
  readonly #opened = new Map<string, { bytes: Uint8Array; held: ReadonlySet<number> }>();
  /** By form and character. */
  readonly #found = new Map<string, string>();
  readonly #cuts = new Map<string, CutFont>();

  private constructor(cutter: FontCutter, regular: Buffer, medium: Buffer) {
    this.#cutter = cutter;
    this.#files = listFontFiles();
    this.#roboto = { regular, medium, held: heldBy(regular) };
  }

  /** Opens the fonts that the texts need. Throws if a package of fonts is not installed. */
  static async open(texts: readonly ReportText[]): Promise<Letters> {
    const roboto = [readFile(ROBOTO_REGULAR), readFile(ROBOTO_MEDIUM)] as const;
    const letters = new Letters(await openFontCutter(), await roboto[0], await roboto[1]);
    for (const { text, language } of texts) {
      const form = hanFormOf(text, language);
      for (const character of new Set(text)) await letters.#find(character, form);
    }
    return letters;
  }

  runsOf({ text, language }: ReportText): TextRun[] {
    const form = hanFormOf(text, language);
    return splitRuns(text, (character, before) => this.#fontOf(character, before, form));
  }

  cutOf(name: string, isBold: boolean): CutFont {
    const key = `${name} ${isBold}`;
    let cut = this.#cuts.get(key);
    if (cut === undefined) {
      const bytes = this.#cut(name, isBold);
      cut = { bytes, shaping: new Shaping(bytes) };
      this.#cuts.set(key, cut);
    }
    return cut;
  }

  #cut(name: string, isBold: boolean): Buffer {
    if (name === PLAIN_FONT) return isBold ? this.#roboto.medium : this.#roboto.regular;
    const variable = this.#opened.get(name);
    if (variable === undefined) throw new Error(`no font ${name} was opened`);
    return this.#cutter.cut(variable.bytes, isBold ? WEIGHT_MEDIUM : WEIGHT_REGULAR);
  }

  #fontOf(character: string, before: string | undefined, form: HanForm): string | undefined {
    const isAlsoBefore = this.#opened.get(before ?? '')?.held.has(codePointOf(character)) === true;
    if (isAlsoBefore && ATTACHED.test(character)) return before;
    if (UNSEEN.test(character)) return undefined;
    if (this.#roboto.held.has(codePointOf(character))) return PLAIN_FONT;
    return isAlsoBefore ? before : this.#found.get(`${form}${character}`);
  }

  async #find(character: string, form: HanForm): Promise<void> {
    const codePoint = codePointOf(character);
    const key = `${form}${character}`;
    if (UNSEEN.test(character) || this.#roboto.held.has(codePoint) || this.#found.has(key)) return;
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
      font = { bytes, held: heldBy(bytes) };
      this.#opened.set(name, font);
    }
    return font.held;
  }
}

/** A text without a language is taken for Japanese or Korean by the letters that only these have. */
function hanFormOf(text: string, language: string | undefined): HanForm {
  if (language === 'ja' || /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return 'jp';
  return language === 'ko' || /\p{Script=Hangul}/u.test(text) ? 'kr' : 'sc';
}

function heldBy(font: Uint8Array): ReadonlySet<number> {
  return new Set(new Face(new Blob(font)).collectUnicodes());
}
