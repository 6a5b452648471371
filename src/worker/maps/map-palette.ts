/** A heatmap's palette: ten greys under twenty steps of colour, for a map of a quarter of the bytes; legend and ink. */
import { rampOffset } from './colour-ramp.ts';

/** Enough colour to read the legend's steps, enough grey to recognise the picture. */
export const OVERLAY_SHARE = 0.6;

const SHADES = 10;
const STEPS = 20;
/** A whole step may be a little less as a float. */
const ROUNDING = 1e-5;
const VALUES = STEPS + 1;
/** Index of pixels without a measurement. */
const NO_VALUE = VALUES;
const LEGEND_START = (VALUES + 1) * SHADES;
const BACKGROUND_GREY = 24;
const INK_GREY = 236;
const WHITE = 255;

export const BACKGROUND_INDEX = LEGEND_START + VALUES;
export const INK_INDEX = BACKGROUND_INDEX + 1;

/** RGB of every index; `ramp` is RGB of values from 0 to 1. */
export function paletteOf(ramp: Uint8Array): Uint8Array {
  const palette = new Uint8Array(3 * (INK_INDEX + 1));
  for (let value = 0; value <= NO_VALUE; value++) {
    for (let shade = 0; shade < SHADES; shade++) {
      palette.set(mixed(ramp, value, shade), 3 * (value * SHADES + shade));
    }
  }
  for (let value = 0; value < VALUES; value++) palette.set(colourOf(ramp, value), 3 * (LEGEND_START + value));
  palette.fill(BACKGROUND_GREY, 3 * BACKGROUND_INDEX, 3 * BACKGROUND_INDEX + 3);
  palette.fill(INK_GREY, 3 * INK_INDEX, 3 * INK_INDEX + 3);
  return palette;
}

function mixed(ramp: Uint8Array, value: number, shade: number): number[] {
  const grey = ((shade * WHITE) / (SHADES - 1)) * (1 - OVERLAY_SHARE);
  if (value === NO_VALUE) return [2 * grey, 2 * grey, 2 * grey];
  return colourOf(ramp, value).map((channel) => Math.round(grey + channel * OVERLAY_SHARE));
}

function colourOf(ramp: Uint8Array, value: number): number[] {
  const start = rampOffset(value / STEPS);
  return [...ramp.subarray(start, start + 3)];
}

const SHADE_OF_GREY = Uint8Array.from({ length: WHITE + 1 }, (_, grey) =>
  Math.round((grey * (SHADES - 1)) / WHITE),
);

/** Index of a measured value, NaN if nothing was measured, over a grey of 0 to 255. */
export function mapIndex(value: number, grey: number): number {
  return (Number.isNaN(value) ? NO_VALUE : stepOf(value)) * SHADES + (SHADE_OF_GREY[grey] as number);
}

export const legendIndex = (value: number): number => LEGEND_START + stepOf(value);

/** A pixel shows the step below, so never more than was measured. */
const stepOf = (value: number): number => Math.floor(Math.max(0, Math.min(1, value)) * STEPS + ROUNDING);
