/** The ROC and the reliability curves of all tiers side by side, as SVG. */
import type { TierReport } from './report.ts';

const SIDE = 360;
const MARGIN = 56;
const WIDTH = 2 * SIDE + 3 * MARGIN;
const HEIGHT = SIDE + 2 * MARGIN;
/** Colours that differ without colour sight, too (Okabe and Ito). */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7'];
const TICKS = [0, 0.25, 0.5, 0.75, 1];

interface Point {
  x: number;
  y: number;
}

export function toSvg(title: string, tiers: readonly TierReport[]): string {
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<title>${escapeText(title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    frame(MARGIN, ['ROC', 'false alarms', 'recall']),
    frame(2 * MARGIN + SIDE, ['Reliability', 'stated probability', 'share that is artificial']),
  ];
  for (const [index, { tier, figures, roc, reliability }] of tiers.entries()) {
    const colour = COLOURS[index % COLOURS.length] ?? '#000';
    const curve = roc.map(({ falseAlarms, recall }) => ({ x: falseAlarms, y: recall }));
    const bins = reliability.map(({ stated, observed }) => ({ x: stated, y: observed }));
    const name = `${tier}: AUC ${figures.auc.value.toFixed(3)}, ECE ${figures.ece.value.toFixed(3)}`;
    parts.push(
      line(MARGIN, curve, colour),
      line(2 * MARGIN + SIDE, bins, colour),
      ...bins.map((point) => dot(2 * MARGIN + SIDE, point, colour)),
      legend(name, index, colour),
    );
  }
  return `${[...parts, '</svg>'].join('\n')}\n`;
}

function frame(left: number, [title, xName, yName]: [string, string, string]): string {
  const [middle, bottom] = [left + SIDE / 2, MARGIN + SIDE];
  const yMiddle = MARGIN + SIDE / 2;
  const ticks = TICKS.flatMap((tick) => [
    `<text x="${left + tick * SIDE}" y="${bottom + 16}" text-anchor="middle">${tick}</text>`,
    `<text x="${left - 6}" y="${bottom - tick * SIDE + 4}" text-anchor="end">${tick}</text>`,
  ]);
  return [
    `<rect x="${left}" y="${MARGIN}" width="${SIDE}" height="${SIDE}" fill="none" stroke="#888"/>`,
    `<path d="M${left} ${bottom}L${left + SIDE} ${MARGIN}" stroke="#bbb" stroke-dasharray="4 4"/>`,
    `<text x="${middle}" y="${MARGIN - 16}" text-anchor="middle" font-size="15">${title}</text>`,
    `<text x="${middle}" y="${bottom + 36}" text-anchor="middle">${xName}</text>`,
    `<text transform="translate(${left - 38} ${yMiddle}) rotate(-90)" text-anchor="middle">${yName}</text>`,
    ...ticks,
  ].join('\n');
}

function place(left: number, { x, y }: Point): string {
  return `${(left + x * SIDE).toFixed(1)} ${(MARGIN + (1 - y) * SIDE).toFixed(1)}`;
}

function line(left: number, points: readonly Point[], colour: string): string {
  const path = points.map((point) => place(left, point)).join('L');
  return `<path d="M${path}" fill="none" stroke="${colour}" stroke-width="2"/>`;
}

function dot(left: number, point: Point, colour: string): string {
  const [x, y] = place(left, point).split(' ');
  return `<circle cx="${x}" cy="${y}" r="4" fill="${colour}"/>`;
}

function legend(name: string, index: number, colour: string): string {
  const y = MARGIN + SIDE - 14 - 18 * index;
  const x = MARGIN + SIDE - 10;
  return `<text x="${x}" y="${y}" text-anchor="end" fill="${colour}">${escapeText(name)}</text>`;
}

function escapeText(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
