/**
 * Has pdfmake set the runs of a text: it knows neither fonts that are shaped elsewhere nor lines that run to the left, so three of
 * its methods are wrapped here. Once a process, for one report.
 */
import { createRequire } from 'node:module';
import type { Content } from 'pdfmake/interfaces.js';
import type { Letters, ReportText } from './letters.ts';
import { BREAK, type ShapedRun } from './shaping.ts';
import { PLAIN_FONT, visualOrder } from './text-runs.ts';

/** What is used of pdfmake and pdfkit, which declare none of it. */
interface EmbeddedFont {
  ascender: number;
  descender: number;
  lineGap: number;
  font: { layout(text: string, features?: RunFeatures): ShapedRun };
  /** Numbers of the font's glyphs, by the numbers that the document gives them. */
  subset: { glyphs: number[] };
  /** By the document's numbers: what a glyph stands for, and its width in thousandths of an em. */
  unicode: number[][];
  widths: number[];
  scale: number;
  layoutRun(text: string, features?: RunFeatures): ShapedRun;
  layoutCached(text: string): ShapedRun;
  /** The document's numbers, to the base of 16 with four digits. */
  encode(text: string, features?: RunFeatures): [string[], ShapedRun['positions']];
}
interface PdfDocument {
  _font: EmbeddedFont;
  font(bytes: Buffer): PdfDocument;
  addContent(content: string): PdfDocument;
  markContent(tag: 'Span', options: { actual: string }): PdfDocument;
  endMarkedContent(): PdfDocument;
  text(text: string, x: number, y: number, options: { features?: RunFeatures }): PdfDocument;
  provideFont(name: string, isBold: boolean, isItalic: boolean): EmbeddedFont;
}
interface Inline {
  text: string;
  x: number;
  width: number;
  leadingCut: number;
  trailingCut: number;
  level?: number;
  base?: number;
}
interface Line {
  inlines: Inline[];
  inlineWidths: number;
  leadingCut: number;
  trailingCut: number;
}
interface LayoutBuilder {
  buildNextLine(node: unknown): Line | null;
}
type Prototyped<T> = { default: { prototype: T } };

/** pdfmake hands a run's features from the document to the font as they are, so the run's direction travels as one. */
interface RunFeatures {
  isRightToLeft: boolean;
}

/** pdfkit keeps each word's glyphs. A long row without a space is broken by measuring its beginnings: kept, they fill the memory. */
const KEPT_CHARACTERS_MAX = 40;

const require = createRequire(import.meta.url);

/** From now on, this process' documents have the fonts of `letters` and lines in two directions. */
export function typeset(letters: Letters): void {
  provideFonts((require('pdfmake/js/PDFDocument.js') as Prototyped<PdfDocument>).default.prototype, letters);
  const { prototype } = (require('pdfmake/js/LayoutBuilder.js') as Prototyped<LayoutBuilder>).default;
  const { buildNextLine } = prototype;
  prototype.buildNextLine = function (node) {
    const line = buildNextLine.call(this, node);
    if (line?.inlines.some(({ level = 0 }) => level > 0) === true) order(line);
    return line;
  };
}

function provideFonts(prototype: PdfDocument, letters: Letters): void {
  const { provideFont, text: write } = prototype;
  const provided = new Map<string, EmbeddedFont>();
  prototype.provideFont = function (name, isBold, isItalic) {
    const key = `${name} ${isBold}`;
    const known = provided.get(key);
    if (known !== undefined) return known;
    const { bytes, shaping } = letters.cutOf(name, isBold);
    const plain = provideFont.call(this, PLAIN_FONT, isBold, isItalic);
    const embedded = name === PLAIN_FONT ? plain : this.font(bytes)._font;
    // Lines keep their distance whatever letters stand in them, as in a browser.
    const { ascender, descender, lineGap } = plain;
    Object.assign(embedded, { ascender, descender, lineGap });
    embedded.font.layout = (text, features) => shaping.layout(text, features?.isRightToLeft === true);
    const layoutCached = embedded.layoutCached.bind(embedded);
    embedded.layoutCached = (text) =>
      text.length <= KEPT_CHARACTERS_MAX ? layoutCached(text) : embedded.layoutRun(text);
    encodeByMeaning(embedded);
    provided.set(key, embedded);
    return embedded;
  };
  // Glyphs are in the order in which they are seen. Where that is not the order in which they are read, the text is noted beside
  // them, to be searched and copied. Not to the left: poppler would turn the note round, and reads the glyphs well.
  prototype.text = function (text, x, y, options) {
    const actual = text.replaceAll(BREAK, '');
    const { features } = options;
    const isRead = features === undefined || features.isRightToLeft;
    if (actual === '' || isRead || readBack(this._font, text, features) === actual)
      return write.call(this, text, x, y, options);
    return markText(this, actual, () => write.call(this, text, x, y, options));
  };
}

/**
 * pdfkit gives a glyph one meaning, that of its first use. Here a glyph that is used for several characters (a letter's body, whose
 * dots are glyphs of their own; a bracket that is turned) has a number in the document for each, so each is read as what it is.
 */
function encodeByMeaning(embedded: EmbeddedFont): void {
  const { encode, subset, unicode, widths, scale } = embedded;
  const numbers = new Map<string, number>();
  embedded.encode = (text, features) => {
    if (features === undefined) return encode.call(embedded, text, features);
    const { glyphs, positions } = embedded.layoutRun(text, features);
    const encoded = glyphs.map(({ id, advanceWidth, codePoints }) => {
      const meaning = `${id}:${codePoints}`;
      let number = numbers.get(meaning);
      if (number === undefined) {
        number = subset.glyphs.push(id) - 1;
        numbers.set(meaning, number);
        unicode[number] = codePoints;
        widths[number] = advanceWidth * scale;
      }
      return number.toString(16).padStart(4, '0');
    });
    return [encoded, positions];
  };
}

/** What a reader makes of the glyphs alone. */
function readBack(font: EmbeddedFont, text: string, features: RunFeatures): string {
  const [glyphs] = font.encode(text, features);
  const read = glyphs.flatMap((glyph) => font.unicode[Number.parseInt(glyph, 16)] ?? []);
  return String.fromCodePoint(...read);
}

/** Readers place a noted text by the coordinates in which its glyphs are drawn: the note goes where pdfkit has set these. */
function markText<T>(document: PdfDocument, actual: string, write: () => T): T {
  const { addContent } = document;
  document.addContent = function (content) {
    if (content === 'BT') this.markContent('Span', { actual });
    addContent.call(this, content);
    return content === 'ET' ? this.endMarkedContent() : this;
  };
  try {
    return write();
  } finally {
    document.addContent = addContent;
  }
}

/** A line's spaces at its end are not drawn; then its pieces stand where they are seen. */
function order(line: Line): void {
  for (const inline of line.inlines.toReversed()) {
    const shown = inline.text.trimEnd();
    inline.width -= inline.trailingCut;
    line.inlineWidths -= inline.trailingCut;
    Object.assign(inline, { text: shown, trailingCut: 0 });
    if (shown !== '') break;
  }
  line.trailingCut = 0;
  let x = line.inlines[0]?.base === 1 ? 0 : -line.leadingCut;
  for (const index of visualOrder(line.inlines.map(({ level = 0 }) => level))) {
    const inline = line.inlines[index];
    if (inline === undefined) continue;
    inline.x = x;
    x += inline.width;
  }
}

/** A text as pdfmake takes it. `isAligned`: a paragraph that runs to the left begins at the right. */
export function toRuns(letters: Letters, text: ReportText, isAligned: boolean): Content {
  const runs = letters.runsOf(text);
  if (runs.every(({ font, level }) => font === PLAIN_FONT && level === 0))
    return runs.map((run) => run.text).join('');
  // The types of pdfmake know neither levels nor features but OpenType's.
  return runs.map(({ text: shown, font, level, base }) => ({
    text: shown,
    level,
    base,
    ...(font === PLAIN_FONT && level % 2 === 0
      ? {}
      : { font, fontFeatures: { isRightToLeft: level % 2 === 1 } }),
    ...(isAligned && base === 1 ? { alignment: 'right' } : {}),
  })) as unknown as Content;
}
