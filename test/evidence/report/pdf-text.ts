/** Reads back what stands in a PDF of Typst: each piece of text with its place, in the order in which it was written. */
import { inflateSync } from 'node:zlib';

export interface PdfPiece {
  text: string;
  /** Points from the left of the page and from its foot. */
  x: number;
  y: number;
}

/** The glyph for a letter that the font does not have. */
const NO_GLYPH = '0000';

export function readPdf(pdf: Buffer): PdfPiece[] {
  const objects = objectsOf(pdf);
  return [...objects.values()]
    .filter(({ body }) => /\/Type \/Page$/m.test(body))
    .flatMap(({ body }) => {
      const contents = /\/Contents (\d+) 0 R/.exec(body)?.[1] ?? '';
      return piecesOf(objects.get(contents)?.stream ?? '', fontsOf(body, objects));
    });
}

/** The fonts of a page by its names for them. */
function fontsOf(page: string, objects: ReadonlyMap<string, PdfObject>): Fonts {
  const named = [...page.matchAll(/\/(f\d+) (\d+) 0 R/g)];
  return new Map(
    named.map(([, name = '', number = '']) => {
      const map = /\/ToUnicode (\d+) 0 R/.exec(objects.get(number)?.body ?? '')?.[1] ?? '';
      return [name, meaningsOf(objects.get(map)?.stream ?? '')];
    }),
  );
}

/** The text of each glyph, by its four hexadecimal digits. */
type Fonts = ReadonlyMap<string, ReadonlyMap<string, string>>;

interface PdfObject {
  body: string;
  stream: string;
}

function objectsOf(pdf: Buffer): Map<string, PdfObject> {
  const text = pdf.toString('latin1');
  const objects = new Map<string, PdfObject>();
  for (const { 1: number = '', index } of text.matchAll(/^(\d+) 0 obj$/gm)) {
    const end = text.indexOf('endobj', index);
    const from = text.indexOf('stream\n', index);
    const hasStream = from !== -1 && from < end;
    const body = text.slice(index, hasStream ? from : end);
    const length = Number(/\/Length (\d+)/.exec(body)?.[1] ?? 0);
    const bytes = hasStream ? pdf.subarray(from + 7, from + 7 + length) : Buffer.alloc(0);
    const isPacked = body.includes('/FlateDecode') && !body.includes('/Image');
    objects.set(number, { body, stream: (isPacked ? inflateSync(bytes) : bytes).toString('latin1') });
  }
  return objects;
}

function meaningsOf(map: string): Map<string, string> {
  const pairs = [...map.matchAll(/beginbfchar\n(.*?)endbfchar/gs)].flatMap(([, list = '']) => [
    ...list.matchAll(/<(\w+)> <(\w+)>/g),
  ]);
  return new Map(pairs.map(([, glyph = '', units = '']) => [glyph.toLowerCase(), fromUnits(units)]));
}

function fromUnits(hex: string): string {
  return Buffer.from(hex, 'hex').swap16().toString('utf16le');
}

function piecesOf(stream: string, fonts: Fonts): PdfPiece[] {
  return [...stream.matchAll(/^1 0 0 -1 ([\d.-]+) ([\d.-]+) cm$(?:(?!^cm|^Q$).)*?^BT$(.*?)^ET$/gms)].map(
    ([, x, y, drawn = '']) => ({ text: textOf(drawn, fonts), x: Number(x), y: Number(y) }),
  );
}

/** What is noted beside glyphs stands for them; some runs to the left are noted as reversed. */
function textOf(drawn: string, fonts: Fonts): string {
  const noted = /\/ActualText <FEFF(\w+)>(.*?)^EMC$/gms;
  let text = '';
  let at = 0;
  for (const found of drawn.matchAll(noted)) {
    text += glyphsOf(drawn.slice(at, found.index), fonts) + fromUnits(found[1] ?? '');
    at = found.index + found[0].length;
  }
  return text + glyphsOf(drawn.slice(at), fonts);
}

function glyphsOf(drawn: string, fonts: Fonts): string {
  const parts = [...drawn.matchAll(/\/(f\d+) [\d.]+ Tf(.*?)T[jJ]$/gms)].map(([, name = '', shown = '']) => {
    const glyphs = [...shown.matchAll(/\(((?:\\.|[^\\)])*)\)/gs)].flatMap(
      ([, bytes = '']) => unescaped(bytes).toString('hex').match(/.{4}/g) ?? [],
    );
    return glyphs.map((glyph) => (glyph === NO_GLYPH ? '□' : (fonts.get(name)?.get(glyph) ?? '')));
  });
  return (drawn.includes('/ReversedChars') ? parts.flat().toReversed() : parts.flat()).join('');
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

function unescaped(bytes: string): Buffer {
  const plain = bytes.replace(/\\(\d{3}|.)/gs, (_, sign: string) =>
    sign.length === 3 ? String.fromCharCode(Number.parseInt(sign, 8)) : (ESCAPES[sign] ?? sign),
  );
  return Buffer.from(plain, 'latin1');
}
