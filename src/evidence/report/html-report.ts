/** The report as one HTML file without scripts, written piece by piece, with one picture in memory at a time. */
import { readFile } from 'node:fs/promises';
import type { Block, Figure, Pictures } from './blocks.ts';
import type { Report } from './report.ts';

const STYLE = `
@page { size: A4; margin: 18mm 16mm 20mm; }
* { box-sizing: border-box; }
body { font: 11pt/1.45 system-ui, "Liberation Sans", Roboto, sans-serif; color: #1a1d21; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3, p, li, dd, td, figcaption { unicode-bidi: plaintext; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .8rem; overflow-wrap: anywhere; }
h2 { font-size: 1.3rem; margin: 2.2rem 0 .5rem; padding-top: .8rem; border-top: 2px solid #1a1d21; break-after: avoid; overflow-wrap: anywhere; }
h3 { font-size: 1rem; margin: 1.3rem 0 .3rem; break-after: avoid; }
p, ul { margin: .3rem 0 .6rem; }
li { margin: .25rem 0; }
.finding { font-size: 1.25rem; font-weight: 600; margin: .8rem 0; }
.quiet { color: #5a626b; font-size: .92em; }
table { border-collapse: collapse; width: 100%; margin: .4rem 0 .8rem; font-size: .92em; }
th { text-align: left; font-weight: 600; }
th, td { padding: .22rem .6rem .22rem 0; border-bottom: 1px solid #d8dce0; vertical-align: top; white-space: pre-line; overflow-wrap: anywhere; }
tr { break-inside: avoid; }
dl { display: grid; grid-template-columns: 11rem 1fr; gap: .15rem .8rem; margin: .4rem 0 .8rem; font-size: .95em; }
dt { color: #5a626b; } dd { margin: 0; text-align: left; overflow-wrap: anywhere; }
code { font: .9em/1.4 "Liberation Mono", ui-monospace, monospace; overflow-wrap: anywhere; }
figure { margin: .6rem 0; break-inside: avoid; }
.figures { display: grid; grid-template-columns: 1fr 1fr; gap: .8rem; }
.figures .wide { grid-column: 1 / -1; }
.figures .wide img { max-height: none; }
.thumbnail { height: 3rem; vertical-align: middle; }
.figures img { width: 100%; max-height: 20rem; object-fit: contain; background: #eef0f2; }
figcaption { font-size: .85em; color: #5a626b; }
.gauge { margin: .8rem 0; max-width: 28rem; }
.gauge .line { position: relative; height: .8rem; border-radius: .4rem; background: linear-gradient(90deg, #2f6fb3, #d9dde1 50%, #b8403a); print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.gauge i { position: absolute; top: -.2rem; width: .25rem; height: 1.2rem; margin-left: -.125rem; background: #1a1d21; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.gauge i.small { opacity: .35; }
.gauge div + div { display: flex; justify-content: space-between; font-size: .9em; }
footer { margin-top: 2rem; font-size: .8em; color: #5a626b; overflow-wrap: anywhere; }
`;

/** The report may load or run nothing when it is opened. */
const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

export async function* toHtmlReport(report: Report, pictures: Pictures): AsyncGenerator<Buffer> {
  const { title, language, blocks } = report;
  const [fingerprint = ''] = report.footer.split(' ');
  yield text(
    `<!doctype html>\n<html lang="${language}"><head><meta charset="utf-8">` +
      `<meta http-equiv="Content-Security-Policy" content="${POLICY}">` +
      `<meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)}</title>` +
      `<style>${STYLE}</style></head><body><main>\n`,
  );
  for (const block of blocks) {
    if (block.type === 'figures') yield* toFigures(block.figures, pictures);
    else yield text(`${toHtml(block)}\n`);
  }
  yield text(`</main><footer>${escapeHtml(fingerprint)}</footer></body></html>\n`);
}

function text(html: string): Buffer {
  return Buffer.from(html);
}

async function* toFigures(figures: readonly Figure[], pictures: Pictures): AsyncGenerator<Buffer> {
  yield text('<div class="figures">');
  for (const { picture, caption, isWide } of figures) {
    const path = pictures.get(picture);
    const bytes = path === undefined ? null : await readFile(path).catch(() => null);
    if (bytes === null) continue;
    const type = bytes[0] === 0x89 ? 'image/png' : 'image/jpeg';
    yield text(
      `<figure${isWide === true ? ' class="wide"' : ''}><img alt="" src="data:${type};base64,${bytes.toString('base64')}">`,
    );
    yield text(`<figcaption>${escapeHtml(caption)}</figcaption></figure>`);
  }
  yield text('</div>\n');
}

function toHtml(block: Exclude<Block, { type: 'figures' }>): string {
  switch (block.type) {
    case 'title':
      return `<h1>${escapeHtml(block.text)}</h1>`;
    case 'heading':
      return `<h${block.level + 1}>${escapeHtml(block.text)}</h${block.level + 1}>`;
    case 'finding':
      return `<p class="finding">${escapeHtml(block.text)}</p>`;
    case 'paragraph':
      return `<p${block.isQuiet === true ? ' class="quiet"' : ''}>${escapeHtml(block.text)}</p>`;
    case 'list':
      return `<ul>${block.items.map((item) => `<li>${escapeHtml(item)}</li>`).join('')}</ul>`;
    case 'thumbnails':
      return `<ul>${block.items.map(toThumbnail).join('')}</ul>`;
    case 'facts':
      return `<dl>${block.rows.map(toFact).join('')}</dl>`;
    case 'table':
      return toTable(block);
    case 'gauge':
      return toGauge(block);
  }
}

function toThumbnail({ data, text }: { data: string; text: string }): string {
  const image = data === '' ? '' : `<img class="thumbnail" alt="" src="${escapeHtml(data)}"> `;
  return `<li>${image}${escapeHtml(text)}</li>`;
}

function toFact({ name, value, isCode }: { name: string; value: string; isCode?: boolean }): string {
  const shown = isCode === true ? `<code>${escapeHtml(value)}</code>` : escapeHtml(value);
  return `<dt>${escapeHtml(name)}</dt><dd>${shown}</dd>`;
}

function toTable({ head, rows, language }: Extract<Block, { type: 'table' }>): string {
  const cells = (row: readonly string[], tag: string) =>
    `<tr>${row.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('')}</tr>`;
  const said = language === undefined ? '' : ` lang="${escapeHtml(language)}"`;
  return `<table><thead>${cells(head, 'th')}</thead><tbody${said}>${rows.map((row) => cells(row, 'td')).join('')}</tbody></table>`;
}

function toGauge({ place, marks, human, artificial, text: said }: Extract<Block, { type: 'gauge' }>): string {
  const mark = (at: number, name: string) => `<i${name} style="left:${(at * 100).toFixed(1)}%"></i>`;
  const line = [...marks.map((at) => mark(at, ' class="small"')), mark(place, '')].join('');
  return `<div class="gauge" role="img" aria-label="${escapeHtml(said)}"><div class="line">${line}</div><div><span>${escapeHtml(human)}</span><strong>${escapeHtml(said)}</strong><span>${escapeHtml(artificial)}</span></div></div>`;
}

const ESCAPES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  }),
);

function escapeHtml(value: string): string {
  return value.replace(/[&<>"']/g, (character) => ESCAPES.get(character) ?? character);
}
