/**
 * A child process of its own: reads a report as JSON on standard input and writes its PDF to standard output. Laying out a case takes
 * seconds, in which the daemon must answer others.
 */
import { access } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import pdfmake from 'pdfmake';
import { toPdfDocument } from './pdf-document.ts';
import type { PdfOrder } from './pdf-process.ts';

const FONTS = join(
  dirname(createRequire(import.meta.url).resolve('pdfmake/package.json')),
  'fonts',
  'Roboto',
);
const font = (name: string) => join(FONTS, `Roboto-${name}.ttf`);

pdfmake.setFonts({
  Roboto: {
    normal: font('Regular'),
    bold: font('Medium'),
    italics: font('Italic'),
    bolditalics: font('MediumItalic'),
  },
});

const { report, pictures } = JSON.parse(await text(process.stdin)) as PdfOrder;
const there = new Map<string, string>();
for (const [name, path] of pictures) {
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (isThere) there.set(name, path);
}
// Only what the daemon names is read, and nothing is fetched.
const allowed = new Set([
  ...there.values(),
  font('Regular'),
  font('Medium'),
  font('Italic'),
  font('MediumItalic'),
]);
pdfmake.setLocalAccessPolicy((path) => allowed.has(path));
pdfmake.setUrlAccessPolicy(() => false);
const bytes = await pdfmake.createPdf(toPdfDocument(report, there)).getBuffer();
process.stdout.write(bytes);
