/** The strip under a heatmap: the ramp, its ticks at 0, 0.5 and 1, and what the ends mean. */
import { HEATMAPS, type HeatmapLayer } from '../../domain/media/heatmap.ts';
import { drawText, GLYPH_HEIGHT, textWidth } from './bitmap-font.ts';
import { RAMP, RELIABILITY_RAMP } from './colour-ramp.ts';
import { BACKGROUND_INDEX, INK_INDEX, legendIndex } from './map-palette.ts';

export const LEGEND_HEIGHT = 32;

const BAR_TOP = 4;
const BAR_BOTTOM = 12;
const TICK_BOTTOM = 15;
const TEXT_TOP = 16;
/** Letters are drawn twice as large if they fit. */
const LARGE_SCALE = 2;
const GAP = 12;

export function rampOf(layer: HeatmapLayer): Uint8Array {
  return layer === 'tampering_reliability' ? RELIABILITY_RAMP : RAMP;
}

/** Paints the strip into `pixels`: indexes of the palette, `width` × LEGEND_HEIGHT. */
export function drawLegend(pixels: Buffer, width: number, layer: HeatmapLayer): void {
  pixels.fill(BACKGROUND_INDEX);
  drawBar(pixels, width);
  const [low, high] = HEATMAPS[layer].ends;
  const [labels, scale] = chooseLabels(width, [`0 ${low}`, '0.5', `${high} 1`]);
  const top = TEXT_TOP + Math.floor((LEGEND_HEIGHT - TEXT_TOP - GLYPH_HEIGHT * scale) / 2);
  for (const [index, label] of labels.entries()) {
    const share = labels.length === 1 ? 0 : index / (labels.length - 1);
    const left = Math.round((width - textWidth(label, scale)) * share);
    drawText(label, scale, (x, y) => paint(pixels, width, left + x, top + y));
  }
}

function drawBar(pixels: Buffer, width: number): void {
  for (let x = 0; x < width; x++) {
    const colour = legendIndex(width === 1 ? 0.5 : x / (width - 1));
    for (let y = BAR_TOP; y < BAR_BOTTOM; y++) pixels[y * width + x] = colour;
  }
  for (const share of [0, 0.5, 1]) {
    for (let y = BAR_TOP; y < TICK_BOTTOM; y++) paint(pixels, width, Math.round((width - 1) * share), y);
  }
}

/** The fullest labels that fit; a picture a few pixels wide gets the bare ramp. */
function chooseLabels(width: number, full: string[]): [labels: string[], scale: number] {
  const bare = ['0', '0.5', '1'];
  const choices: [string[], number][] = [
    [full, LARGE_SCALE],
    [full, 1],
    [bare, 1],
  ];
  return choices.find(([labels, scale]) => fits(labels, scale, width)) ?? [[], 1];
}

/** The middle label is centred, so the wider end decides. */
function fits([first = '', middle = '', last = '']: string[], scale: number, width: number): boolean {
  const end = Math.max(textWidth(first, scale), textWidth(last, scale));
  return 2 * (end + GAP) + textWidth(middle, scale) <= width;
}

function paint(pixels: Buffer, width: number, x: number, y: number): void {
  if (x >= 0 && x < width) pixels[y * width + x] = INK_INDEX;
}
