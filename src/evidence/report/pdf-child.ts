/** A child process: JSON of a report in, PDF out. Laying out a case takes seconds, in which the daemon answers others. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { NodeCompiler } from '@myriaddreamin/typst-ts-node-compiler';
import { Letters, type ReportText } from './letters/letters.ts';
import type { PdfOrder } from './pdf-process.ts';
import { PDF_TEMPLATE } from './pdf-template.ts';

/** First bytes of the pictures that Typst reads: any other file would fail the whole document. */
const PICTURES = { jpg: Buffer.from([0xff, 0xd8, 0xff]), png: Buffer.from('\x89PNG\r\n', 'latin1') };
const DATA_ADDRESS = 'data:image/jpeg;base64,';
/** Values of a report that are not texts. */
const NO_TEXTS = new Set(['type', 'widths', 'picture', 'language', 'title', 'footer']);

const { report, pictures } = JSON.parse(await text(process.stdin)) as PdfOrder;
const texts: ReportText[] = [{ text: report.footer }];
mapTexts(report, (one) => texts.push(one));
const letters = await Letters.open(texts);
// Its workspace is empty: a document reads only what is added below, and nothing of the box.
const compiler = NodeCompiler.create({
  workspace: '/nonexistent',
  fontArgs: [{ fontBlobs: await letters.cut() }],
});
let count = 0;
const paths = new Map<string, string>();
for (const [name, file] of pictures) {
  const path = hand(await readFile(file).catch(() => Buffer.alloc(0)));
  if (path !== null) paths.set(name, path);
}
const shown = mapTexts(report, (one, key) => {
  if (key !== 'data') return letters.show(one);
  return one.text.startsWith(DATA_ADDRESS)
    ? hand(Buffer.from(one.text.slice(DATA_ADDRESS.length), 'base64'))
    : null;
});
compiler.mapShadow('/nonexistent/pictures.json', Buffer.from(JSON.stringify(Object.fromEntries(paths))));
compiler.mapShadow('/nonexistent/report.json', Buffer.from(JSON.stringify(shown)));
process.stdout.write(compiler.pdf({ mainFileContent: PDF_TEMPLATE }));

/** The path under which the document reads the picture; null if the bytes are none. */
function hand(bytes: Buffer): string | null {
  const kind = (['jpg', 'png'] as const).find((one) => bytes.subarray(0, 6).includes(PICTURES[one]));
  if (kind === undefined) return null;
  const path = `/${count++}.${kind}`;
  compiler.mapShadow(`/nonexistent${path}`, bytes);
  return path;
}

/** The same with each text replaced; `language` is that of the block around it, where it is known. */
function mapTexts(
  value: unknown,
  replace: (text: ReportText, key: string) => unknown,
  key = '',
  language?: string,
): unknown {
  if (typeof value === 'string') return NO_TEXTS.has(key) ? value : replace({ text: value, language }, key);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, replace, key, language));
  if (typeof value !== 'object' || value === null) return value;
  const own = 'rows' in value && 'language' in value ? String(value.language) : language;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, mapTexts(one, replace, name, own)]),
  );
}
