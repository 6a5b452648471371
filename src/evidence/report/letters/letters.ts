/** The fonts of a report: only those that its texts need, each cut to the two weights that a report uses. */

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Blob, Face } from 'harfbuzzjs';
import toVariableFont from 'woff2-encoder/decompress';

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

/** Font files of reports and their characters. Packages declare ranges; which characters a piece has shows on reading. */
const PACKAGES = '@fontsource-variable';
const require = createRequire(import.meta.url);

/** Latin, Greek and Cyrillic; its Devanagari is that of the package `noto-sans-devanagari`. */
const LATIN = 'noto-sans';
/** One script a package; other characters of a package are Latin. */
const SCRIPTS = [
  ...['arabic', 'hebrew', 'devanagari', 'bengali', 'gujarati', 'gurmukhi', 'kannada', 'malayalam', 'oriya'],
  ...['sinhala', 'tamil', 'telugu', 'thai', 'lao', 'khmer', 'myanmar', 'armenian', 'georgian', 'ethiopic'],
];
/** Chinese, Japanese and Korean write many of the same characters, each in its own form. */
const HAN_FORMS = ['sc', 'jp', 'kr'] as const;
type HanForm = (typeof HAN_FORMS)[number];

interface FontFile {
  /** The name in the layout. */
  name: string;
  path: string;
}

/** By code point: the files that declare it, in the order to look. */
type FilesByCodePoint = ReadonlyMap<number, readonly FontFile[]>;

interface FontFiles {
  scripts: FilesByCodePoint;
  han: Readonly<Record<HanForm, FilesByCodePoint>>;
}

/** Reads the ranges that the packages declare; no font yet. Throws if a package is not installed. */
export function listFontFiles(): FontFiles {
  const scripts = new Map<number, FontFile[]>();
  addPieces(scripts, LATIN, (piece) => piece !== 'devanagari');
  for (const script of SCRIPTS) addPieces(scripts, `noto-sans-${script}`, (piece) => piece === script);
  return { scripts, han: { sc: hanFiles('sc'), jp: hanFiles('jp'), kr: hanFiles('kr') } };
}

/** The numbered pieces; Latin and Cyrillic lie in the named ones. */
function hanFiles(form: HanForm): FilesByCodePoint {
  const files = new Map<number, FontFile[]>();
  addPieces(files, `noto-sans-${form}`, (piece) => /^\[\d+\]$/.test(piece));
  return files;
}

function addPieces(files: Map<number, FontFile[]>, name: string, isWanted: (piece: string) => boolean): void {
  const folder = dirname(require.resolve(`${PACKAGES}/${name}/package.json`));
  const pieces = JSON.parse(readFileSync(join(folder, 'unicode.json'), 'utf8')) as Record<string, string>;
  for (const [piece, ranges] of Object.entries(pieces)) {
    if (!isWanted(piece)) continue;
    const fileName = `${name}-${piece.replace(/[[\]]/g, '')}`;
    const file = { name: fileName, path: join(folder, 'files', `${fileName}-wght-normal.woff2`) };
    for (const [first, last] of ranges.split(',').map(toRange)) {
      for (let codePoint = first; codePoint <= last; codePoint++) {
        const others = files.get(codePoint);
        if (others === undefined) files.set(codePoint, [file]);
        else others.push(file);
      }
    }
  }
}

/** `U+0600-06FF`, or one code point. */
function toRange(text: string): [number, number] {
  const [first = '', last = first] = text.trim().replace(/^U\+/i, '').split('-');
  return [Number.parseInt(first, 16), Number.parseInt(last, 16)];
}

/** The functions of hb-subset that are called; numbers are addresses in its memory. */
interface Subsetter {
  memory: WebAssembly.Memory;
  _initialize(): void;
  malloc(bytes: number): number;
  free(address: number): void;
  hb_blob_create(data: number, bytes: number, mode: number, user: number, destroy: number): number;
  hb_blob_destroy(blob: number): void;
  hb_blob_get_data(blob: number, length: number): number;
  hb_blob_get_length(blob: number): number;
  hb_face_create(blob: number, index: number): number;
  hb_face_destroy(face: number): void;
  hb_face_reference_blob(face: number): number;
  hb_set_clear(set: number): void;
  hb_set_invert(set: number): void;
  hb_subset_input_create_or_fail(): number;
  hb_subset_input_destroy(input: number): void;
  hb_subset_input_set(input: number, kind: number): number;
  hb_subset_input_unicode_set(input: number): number;
  hb_subset_input_pin_axis_location(input: number, face: number, tag: number, value: number): number;
  hb_subset_or_fail(face: number, input: number): number;
}

/** Values of HarfBuzz' headers: hb_memory_mode_t, hb_subset_sets_t, and the tag `wght`. */
const MEMORY_WRITABLE = 2;
const LAYOUT_FEATURES = 6;
const WEIGHT_AXIS = 0x77676874;

interface FontCutter {
  /** `weight`: 100 to 900. Throws if the bytes are not a variable font. */
  cut(variable: Uint8Array, weight: number): Buffer;
}

/** Cuts a font of one weight out of a variable one, which PDF lacks, by HarfBuzz as a WebAssembly module. */
async function openFontCutter(): Promise<FontCutter> {
  const path = createRequire(import.meta.url).resolve('harfbuzzjs/dist/harfbuzz-subset.wasm');
  const { instance } = await WebAssembly.instantiate(await readFile(path));
  const subsetter = instance.exports as unknown as Subsetter;
  subsetter._initialize();
  return { cut: (variable, weight) => cut(subsetter, variable, weight) };
}

function cut(subsetter: Subsetter, variable: Uint8Array, weight: number): Buffer {
  const data = subsetter.malloc(variable.byteLength);
  new Uint8Array(subsetter.memory.buffer).set(variable, data);
  const blob = subsetter.hb_blob_create(data, variable.byteLength, MEMORY_WRITABLE, 0, 0);
  const face = subsetter.hb_face_create(blob, 0);
  const input = subsetter.hb_subset_input_create_or_fail();
  try {
    for (const set of [
      subsetter.hb_subset_input_set(input, LAYOUT_FEATURES),
      subsetter.hb_subset_input_unicode_set(input),
    ]) {
      subsetter.hb_set_clear(set);
      subsetter.hb_set_invert(set);
    }
    if (subsetter.hb_subset_input_pin_axis_location(input, face, WEIGHT_AXIS, weight) === 0)
      throw new Error('the font has no axis of weight');
    const made = subsetter.hb_subset_or_fail(face, input);
    if (made === 0) throw new Error('the font cannot be cut');
    return takeBytes(subsetter, made);
  } finally {
    subsetter.hb_subset_input_destroy(input);
    subsetter.hb_face_destroy(face);
    subsetter.hb_blob_destroy(blob);
    subsetter.free(data);
  }
}

function takeBytes(subsetter: Subsetter, face: number): Buffer {
  const blob = subsetter.hb_face_reference_blob(face);
  const from = subsetter.hb_blob_get_data(blob, 0);
  // The memory may have grown, which invalidates earlier views of it.
  const bytes = Buffer.from(
    new Uint8Array(subsetter.memory.buffer, from, subsetter.hb_blob_get_length(blob)),
  );
  subsetter.hb_blob_destroy(blob);
  subsetter.hb_face_destroy(face);
  return bytes;
}
