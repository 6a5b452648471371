/** The report's blocks as pdfmake lays them out, on A4. */
import type { Content, TableCell, TDocumentDefinitions } from 'pdfmake/interfaces.js';
import type { Block, Fact, Figure, Pictures } from './blocks.ts';
import type { ReportText } from './letters/letters.ts';
import type { Report } from './report.ts';

const POINTS_PER_MM = 72 / 25.4;
const MARGINS_MM: readonly [number, number, number, number] = [20, 18, 20, 20];
/** A4 is 210 mm wide. */
const TEXT_WIDTH = (210 - 40) * POINTS_PER_MM;
const GAP = 12;
const FIGURE_WIDTH = (TEXT_WIDTH - GAP) / 2;
const FIGURE_HEIGHT_MAX = 190;
/** They have 96 pixels. */
const THUMBNAIL_SIDE = 48;
/** Height of a figure as wide as the page: it leaves room for its caption. */
const WIDE_HEIGHT_MAX = 600;
const GAUGE_WIDTH = 300;
const GAUGE_HEIGHT = 9;
const QUIET = '#5a626b';
const LINE = '#d8dce0';

/** A text as pdfmake takes it. `isAligned`: it has the width to itself, so one that runs to the left begins at the right. */
export type WriteText = (text: ReportText, isAligned: boolean) => Content;

/** Where the blocks get what they are drawn with. */
interface Means {
  /** Those that can be read. */
  pictures: Pictures;
  write(text: string, language?: string): Content;
  writeAligned(text: string, language?: string): Content;
}

/** `pictures` names those that can be read. */
export function toPdfDocument(
  report: Report,
  pictures: Pictures,
  writeText: WriteText,
): TDocumentDefinitions {
  const means: Means = {
    pictures,
    write: (text, language) => writeText({ text, language }, false),
    writeAligned: (text, language) => writeText({ text, language }, true),
  };
  const { title, language, blocks, footer } = report;
  const [left, top, right, bottom] = MARGINS_MM.map((mm) => mm * POINTS_PER_MM) as [
    number,
    number,
    number,
    number,
  ];
  return {
    pageSize: 'A4',
    pageMargins: [left, top, right, bottom],
    info: { title, creator: 'Assay', producer: 'Assay' },
    language,
    content: toContents(blocks, means),
    footer: (page: number, pages: number) => ({
      text: footer.replace('{page}', String(page)).replace('{pages}', String(pages)),
      style: 'footer',
      margin: [left, GAP, right, 0],
    }),
    defaultStyle: { font: 'Roboto', fontSize: 10, lineHeight: 1.22 },
    styles: {
      title: { fontSize: 20, bold: true, margin: [0, 0, 0, 10] },
      heading1: { fontSize: 15, bold: true, margin: [0, 4, 0, 6] },
      heading2: { fontSize: 11, bold: true, margin: [0, 10, 0, 3] },
      finding: { fontSize: 14, bold: true, margin: [0, 8, 0, 6] },
      quiet: { color: QUIET, fontSize: 9 },
      code: { fontSize: 8.5 },
      small: { fontSize: 9 },
      footer: { fontSize: 7.5, color: QUIET },
    },
  };
}

/** Longer ones are broken over pages, and begin below their heading all the same. */
const KEPT_ROWS_MAX = 12;

/** What belongs together stands on one page: a heading alone at its foot, or a finding without its picture, misleads. */
function toContents(blocks: readonly Block[], means: Means): Content[] {
  const contents: Content[] = [];
  for (let index = 0; index < blocks.length; ) {
    const kept = blocks.slice(index, index + 1 + followersOf(blocks, index));
    const stack = kept.map((block) => toContent(block, means));
    contents.push(kept.length > 1 ? { stack, unbreakable: true } : stack);
    index += kept.length;
  }
  return contents;
}

/** How many of the blocks behind a heading it must not leave: the opening of a file, the first short block of a section. */
function followersOf(blocks: readonly Block[], index: number): number {
  const block = blocks[index];
  if (block?.type !== 'heading') return 0;
  const behind = blocks.slice(index + 1);
  if (block.level === 2) return behind[0] !== undefined && isShort(behind[0]) ? 1 : 0;
  const end = behind.findIndex((next) => !isOpening(next));
  if (end === -1) return behind.length;
  // A picture fills the page already.
  const hasPicture = behind.slice(0, end).some(({ type }) => type === 'figures');
  return hasPicture || behind[end]?.type !== 'heading' ? end : end + 1 + followersOf(blocks, index + 1 + end);
}

function isOpening(block: Block): boolean {
  const isOneFigure = block.type === 'figures' && block.figures.length === 1;
  return isOneFigure || block.type === 'finding' || block.type === 'gauge' || block.type === 'paragraph';
}

function isShort(block: Block): boolean {
  switch (block.type) {
    case 'facts':
    case 'table':
      return block.rows.length <= KEPT_ROWS_MAX;
    case 'list':
      return block.items.length <= KEPT_ROWS_MAX;
    default:
      return block.type === 'paragraph';
  }
}

function toContent(block: Block, means: Means): Content {
  const { writeAligned } = means;
  switch (block.type) {
    case 'title':
      return { text: writeAligned(block.text), style: 'title' };
    case 'heading':
      return toHeading(block, means);
    case 'finding':
      return { text: writeAligned(block.text), style: 'finding' };
    case 'paragraph':
      return {
        text: writeAligned(block.text),
        margin: [0, 2, 0, 4],
        ...(block.isQuiet === true ? { style: 'quiet' } : {}),
      };
    case 'list':
      return { ul: block.items.map((item) => ({ text: writeAligned(item) })), margin: [0, 2, 0, 4] };
    case 'thumbnails':
      return block.items.map((item) => toThumbnail(item, means));
    case 'facts':
      return toFacts(block.rows, means);
    case 'table':
      return toTable(block, means);
    case 'gauge':
      return toGauge(block, means);
    case 'figures':
      return [
        ...block.figures.filter(({ isWide }) => isWide === true).map((figure) => toWideFigure(figure, means)),
        toFigures(
          block.figures.filter(({ isWide }) => isWide !== true),
          means,
        ),
      ];
  }
}

function toHeading({ level, text }: Extract<Block, { type: 'heading' }>, means: Means): Content {
  const heading: Content = { text: means.writeAligned(text), style: `heading${level}` };
  if (level === 2) return heading;
  const rule = { type: 'line', x1: 0, y1: 0, x2: TEXT_WIDTH, y2: 0, lineWidth: 1.2 } as const;
  return { stack: [{ canvas: [rule], margin: [0, 16, 0, 0] }, heading], unbreakable: true };
}

/** Hashes go on in the next line: a fixed length has no spaces at which to break. */
const CODE_CHARACTERS_PER_LINE = 64;

function toFacts(rows: readonly Fact[], { write }: Means): Content {
  const body = rows.map(({ name, value, isCode }): TableCell[] => [
    { text: write(name), color: QUIET },
    isCode === true
      ? { text: broken(value, CODE_CHARACTERS_PER_LINE), style: 'code' }
      : { text: write(value) },
  ]);
  if (body.length === 0) return '';
  return {
    table: { widths: [130, '*'], body, dontBreakRows: true },
    layout: { defaultBorder: false, paddingTop: () => 1, paddingBottom: () => 1, paddingLeft: () => 0 },
    margin: [0, 2, 0, 6],
  };
}

function toTable(
  { head, rows, widths, language }: Extract<Block, { type: 'table' }>,
  { writeAligned }: Means,
): Content {
  const body: TableCell[][] = [
    head.map((text) => ({ text: writeAligned(text), bold: true, style: 'small' })),
    ...rows.map((row) => row.map((text) => ({ text: writeAligned(text, language), style: 'small' }))),
  ];
  return {
    table: { headerRows: 1, widths: widths ?? head.map(() => '*' as const), body, dontBreakRows: true },
    layout: {
      hLineWidth: (index) => (index === 0 ? 0 : 0.6),
      vLineWidth: () => 0,
      hLineColor: () => LINE,
      paddingLeft: () => 0,
      paddingRight: () => 8,
      paddingTop: () => 2.5,
      paddingBottom: () => 2.5,
    },
    margin: [0, 4, 0, 8],
  };
}

function toGauge(
  { place, marks, human, artificial, text }: Extract<Block, { type: 'gauge' }>,
  { write }: Means,
): Content {
  const at = (x: number, opacity: number) =>
    ({
      type: 'rect',
      x: x * GAUGE_WIDTH - 1.5,
      y: 0,
      w: 3,
      h: GAUGE_HEIGHT + 6,
      color: '#1a1d21',
      fillOpacity: opacity,
    }) as const;
  const bar = {
    type: 'rect',
    x: 0,
    y: 3,
    w: GAUGE_WIDTH,
    h: GAUGE_HEIGHT,
    r: 4,
    linearGradient: ['#2f6fb3', '#d9dde1', '#b8403a'],
  } as const;
  return {
    stack: [
      { canvas: [bar, ...marks.map((x) => at(x, 0.3)), at(place, 1)] } as Content,
      {
        columns: [
          { text: write(human), width: 60 },
          { text: write(text), alignment: 'center', bold: true, width: GAUGE_WIDTH - 120 },
          { text: write(artificial), alignment: 'right', width: 60 },
        ],
        margin: [0, 3, 0, 0],
      },
    ],
    unbreakable: true,
    margin: [0, 4, 0, 8],
  };
}

/** Base64 of the first bytes of a JPEG: another thing would end the whole document. */
const JPEG_START = 'data:image/jpeg;base64,/9j/';
type Size = [number, number];

function toThumbnail({ data, text }: { data: string; text: string }, { write }: Means): Content {
  const isPicture = data.startsWith(JPEG_START);
  const image = isPicture ? { image: data, fit: [THUMBNAIL_SIDE, THUMBNAIL_SIDE] as Size } : { text: '•' };
  return {
    columns: [
      { stack: [image], width: isPicture ? THUMBNAIL_SIDE : 'auto' },
      { text: write(text), width: '*' },
    ],
    columnGap: 8,
    unbreakable: true,
    margin: [0, 2, 0, 2],
  };
}

function toWideFigure({ picture, caption }: Figure, { pictures, write }: Means): Content {
  const path = pictures.get(picture);
  if (path === undefined) return '';
  const text = { text: write(caption), style: 'quiet', margin: [0, 3, 0, 0] } satisfies Content;
  const image = { image: path, fit: [TEXT_WIDTH, WIDE_HEIGHT_MAX] } satisfies Content;
  return { stack: [image, text], unbreakable: true, margin: [0, 6, 0, 6] };
}

/** Two beside each other; what cannot be read is left out. */
function toFigures(figures: readonly Figure[], { pictures, write }: Means): Content {
  const cells = figures.flatMap(({ picture, caption }): TableCell[] => {
    const path = pictures.get(picture);
    if (path === undefined) return [];
    return [
      {
        stack: [
          { image: path, fit: [FIGURE_WIDTH, FIGURE_HEIGHT_MAX] },
          { text: write(caption), style: 'quiet', margin: [0, 3, 0, 0] },
        ],
        unbreakable: true,
      },
    ];
  });
  if (cells.length === 0) return '';
  const body: TableCell[][] = [];
  for (let from = 0; from < cells.length; from += 2) body.push([cells[from] ?? '', cells[from + 1] ?? '']);
  return {
    table: { widths: [FIGURE_WIDTH, FIGURE_WIDTH], body, dontBreakRows: true },
    layout: {
      defaultBorder: false,
      paddingLeft: () => 0,
      paddingRight: (column) => (column === 0 ? GAP : 0),
    },
    margin: [0, 6, 0, 6],
  };
}

function broken(value: string, length: number): string {
  return value.match(new RegExp(`.{1,${length}}`, 'g'))?.join('\n') ?? '';
}
