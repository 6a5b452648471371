/** Reads back what stands in a PDF of pdfkit: each piece of text with its place, in the order in which it was written. */
import { inflateSync } from 'node:zlib';

export interface PdfPiece {
  text: string;
  /** Points from the left of the page and from its foot. */
  x: number;
  y: number;
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u;

export function readPdf(pdf: Buffer): PdfPiece[] {
  const objects = objectsOf(pdf);
  const fonts = new Map<string, Map<string, string>>();
  for (const { body } of objects.values()) {
    for (const [, name = '', number = ''] of body.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const map = /\/ToUnicode (\d+) 0 R/.exec(objects.get(number)?.body ?? '')?.[1] ?? '';
      fonts.set(name, meaningsOf(objects.get(map)?.stream ?? ''));
    }
  }
  return [...objects.values()]
    .filter(({ stream }) => stream.includes('\nBT\n'))
    .flatMap(({ stream }) => piecesOf(stream, fonts));
}

interface PdfObject {
  body: string;
  stream: string;
}

function objectsOf(pdf: Buffer): Map<string, PdfObject> {
  const text = pdf.toString('latin1');
  const objects = new Map<string, PdfObject>();
  for (const { 1: number = '', index } of text.matchAll(/(?:^|\n)(\d+) 0 obj\n/g)) {
    const end = text.indexOf('\nendobj', index);
    const from = text.indexOf('stream\n', index);
    const hasStream = from !== -1 && from < end;
    const body = text.slice(index, hasStream ? from : end);
    const length = Number(/\/Length (\d+)/.exec(body)?.[1] ?? 0);
    const bytes = hasStream ? pdf.subarray(from + 7, from + 7 + length) : Buffer.alloc(0);
    const isPacked = body.includes('/FlateDecode') && !body.includes('/Subtype /Image');
    objects.set(number, { body, stream: (isPacked ? inflateSync(bytes) : bytes).toString('latin1') });
  }
  return objects;
}

/** By four digits to the base of 16. */
function meaningsOf(map: string): Map<string, string> {
  const meanings = new Map<string, string>();
  for (const [, first = '', list = ''] of map.matchAll(/<(\w+)> <\w+> \[(.*?)\]/gs)) {
    [...list.matchAll(/<([\w ]*)>/g)].forEach(([, units = ''], index) => {
      const number = (Number.parseInt(first, 16) + index).toString(16).padStart(4, '0');
      const codes = units.split(' ').filter((unit) => unit !== '');
      meanings.set(number, String.fromCharCode(...codes.map((unit) => Number.parseInt(unit, 16))));
    });
  }
  return meanings;
}

function piecesOf(stream: string, fonts: ReadonlyMap<string, ReadonlyMap<string, string>>): PdfPiece[] {
  return [
    ...stream.matchAll(/(\/Span <<\s\/ActualText \(((?:\\.|[^\\)])*)\)\s>> BDC\s)?BT\n(.*?)\nET/gs),
  ].map(([, , noted, drawn = '']) => {
    const [, x = '', y = ''] = /1 0 0 1 ([\d.-]+) ([\d.-]+) Tm/.exec(drawn) ?? [];
    const font = fonts.get(/\/(F\d+) /.exec(drawn)?.[1] ?? '');
    const glyphs = [...drawn.matchAll(/<([0-9a-f]+)>/g)].flatMap(
      ([, digits = '']) => digits.match(/.{4}/g) ?? [],
    );
    const read = glyphs.map((glyph) => font?.get(glyph) ?? '');
    const isTurned = read.some((part) => RIGHT_TO_LEFT.test(part));
    const text = noted === undefined ? (isTurned ? read.toReversed() : read).join('') : unescaped(noted);
    return { text, x: Number(x), y: Number(y) };
  });
}

/** UTF-16 behind its mark. */
function unescaped(noted: string): string {
  const plain = noted.replace(/\\([nrtbf()\\])/g, (_, sign: string) => ESCAPES[sign] ?? sign);
  const bytes = Buffer.from(plain, 'latin1').subarray(2);
  return bytes.swap16().toString('utf16le');
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
