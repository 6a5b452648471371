/** Font files of reports and their characters. Packages declare ranges; which characters a piece has shows on reading. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const PACKAGES = '@fontsource-variable';
const require = createRequire(import.meta.url);

/** Latin, Greek and Cyrillic. Its Devanagari is the same as the package's of that name. */
const LATIN = 'noto-sans';
/** One script a package; other characters of a package are Latin. */
const SCRIPTS = [
  ...['arabic', 'hebrew', 'devanagari', 'bengali', 'gujarati', 'gurmukhi', 'kannada', 'malayalam', 'oriya'],
  ...['sinhala', 'tamil', 'telugu', 'thai', 'lao', 'khmer', 'myanmar', 'armenian', 'georgian', 'ethiopic'],
];
/** Chinese, Japanese and Korean write many of the same characters, each in its own form. */
export const HAN_FORMS = ['sc', 'jp', 'kr'] as const;
export type HanForm = (typeof HAN_FORMS)[number];

export interface FontFile {
  /** The name in the layout. */
  name: string;
  path: string;
}

/** By code point: the files that declare it, in the order to look. */
type FilesByCodePoint = ReadonlyMap<number, readonly FontFile[]>;

export interface FontFiles {
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
