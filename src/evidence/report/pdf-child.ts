/**
 * A child process of its own: reads a report as JSON on standard input and writes its PDF to standard output. Laying out a case takes
 * seconds, in which the daemon must answer others.
 */
import { access } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import pdfmake from 'pdfmake';
import { Letters, type ReportText, ROBOTO_MEDIUM, ROBOTO_REGULAR } from './letters/letters.ts';
import { toRuns, typeset } from './letters/typeset.ts';
import { toPdfDocument } from './pdf-document.ts';
import type { PdfOrder } from './pdf-process.ts';

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
const allowed = new Set([...there.values(), ROBOTO_REGULAR, ROBOTO_MEDIUM]);
pdfmake.setLocalAccessPolicy((path) => allowed.has(path));
pdfmake.setUrlAccessPolicy(() => false);
pdfmake.setFonts({ Roboto: { normal: ROBOTO_REGULAR, bold: ROBOTO_MEDIUM } });
// Laid out without letters first: that says which are needed.
const texts: ReportText[] = [];
toPdfDocument(report, there, (one) => {
  texts.push(one);
  return '';
});
const letters = await Letters.open(texts);
typeset(letters);
const document = toPdfDocument(report, there, (one, isAligned) => toRuns(letters, one, isAligned));
process.stdout.write(await pdfmake.createPdf(document).getBuffer());
