/** The whole picture scaled to a model's size, and its middle at native resolution, as one patch file. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ResizedLayout, Texture } from '../../domain/media/resized-view.ts';
import type { Picture } from '../media/picture.ts';
import type { PatchSet } from '../protocol/decoded-media.ts';
import { TextureMeter } from './texture.ts';

/** A larger view shows no more of the texture. */
const TEXTURE_SIDE_MAX = 512;

export async function writeResizedView(
  picture: Picture,
  { name, layout }: { name: string; layout: ResizedLayout },
  outFolder: string,
  filePrefix = '',
): Promise<PatchSet> {
  const { size, shortSide, withNative } = layout;
  const { width, height } = picture;
  const scaled = scaledSides(width, height, shortSide);
  const crop = { x: middle(scaled.width, size), y: middle(scaled.height, size), width: size, height: size };
  const views = [scaleAntialiased(picture, scaled, crop)];
  const positions = [{ x: 0, y: 0 }];
  if (withNative && Math.min(width, height) >= size) {
    const position = { x: middle(width, size), y: middle(height, size) };
    views.push(cut(picture, { ...position, width: size, height: size }));
    positions.push(position);
  }
  const file = `${filePrefix}${name}.rgb`;
  await writeFile(join(outFolder, file), Buffer.concat(views));
  return { name, file, size, positions, width, height, texture: measureTexture(picture) };
}

/** The longer side is rounded down, as torchvision does it. */
function scaledSides(width: number, height: number, shortSide: number): { width: number; height: number } {
  if (width <= height) return { width: shortSide, height: Math.floor((shortSide * height) / width) };
  return { width: Math.floor((shortSide * width) / height), height: shortSide };
}

/** Where a cut of `size` from the middle begins; halves round to even, as in Python. */
function middle(length: number, size: number): number {
  const exact = (length - size) / 2;
  const below = Math.floor(exact);
  return exact - below === 0.5 && below % 2 === 0 ? below : Math.round(exact);
}

function cut(
  { width, rgb }: Picture,
  region: { x: number; y: number; width: number; height: number },
): Buffer {
  const lines = Array.from({ length: region.height }, (_, row) => {
    const start = ((region.y + row) * width + region.x) * 3;
    return rgb.subarray(start, start + region.width * 3);
  });
  return Buffer.concat(lines);
}

function measureTexture(picture: Picture): Texture {
  const width = Math.min(TEXTURE_SIDE_MAX, picture.width);
  const height = Math.min(TEXTURE_SIDE_MAX, picture.height);
  const region = { x: middle(picture.width, width), y: middle(picture.height, height), width, height };
  const bytes = cut(picture, region);
  const meter = new TextureMeter();
  meter.add(bytes, width);
  return meter.texture;
}

/** Pillow's antialiased bilinear scaling, to the bit, with 22-bit coefficients: models were trained on exactly this. */
const PRECISION_BITS = 22;
const HALF = 1 << (PRECISION_BITS - 1);
const CHANNELS = 3;

interface Region {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The part `region` of the picture scaled to width × height; only what it needs is computed. */
function scaleAntialiased(
  picture: Picture,
  { width, height }: { width: number; height: number },
  region: Region,
): Buffer {
  const rows = weightsOf(picture.height, height).slice(region.y, region.y + region.height);
  const first = rows[0]?.start ?? 0;
  const last = Math.max(...rows.map(({ start, weights }) => start + weights.length));
  const columns = weightsOf(picture.width, width).slice(region.x, region.x + region.width);
  const lines = scaleColumns(picture, columns, { first, last });
  return scaleRows(lines, rows, { first, width: region.width });
}

interface Weights {
  start: number;
  weights: Int32Array;
}

function weightsOf(from: number, to: number): Weights[] {
  const scale = from / to;
  const reach = Math.max(1, scale);
  return Array.from({ length: to }, (_, index) => {
    const centre = (index + 0.5) * scale;
    const start = Math.max(0, Math.trunc(centre - reach + 0.5));
    const end = Math.min(from, Math.trunc(centre + reach + 0.5));
    const exact = Array.from({ length: end - start }, (_unused, at) =>
      Math.max(0, 1 - Math.abs((at + start - centre + 0.5) / reach)),
    );
    const sum = exact.reduce((total, weight) => total + weight, 0);
    const weights = Int32Array.from(exact, (weight) =>
      Math.trunc(0.5 + (weight / sum) * 2 ** PRECISION_BITS),
    );
    return { start, weights };
  });
}

/** Lines `first` to `last` of the picture, scaled across. */
function scaleColumns(
  { width, rgb }: Picture,
  columns: readonly Weights[],
  { first, last }: { first: number; last: number },
): Buffer {
  const lines = Buffer.alloc((last - first) * columns.length * CHANNELS);
  let at = 0;
  for (let y = first; y < last; y++) {
    for (const { start, weights } of columns) {
      const from = (y * width + start) * CHANNELS;
      for (let channel = 0; channel < CHANNELS; channel++) {
        lines[at++] = weigh(rgb, from + channel, CHANNELS, weights);
      }
    }
  }
  return lines;
}

function scaleRows(
  lines: Buffer,
  rows: readonly Weights[],
  { first, width }: { first: number; width: number },
): Buffer {
  const stride = width * CHANNELS;
  const scaled = Buffer.alloc(rows.length * stride);
  let at = 0;
  for (const { start, weights } of rows) {
    for (let column = 0; column < stride; column++) {
      scaled[at++] = weigh(lines, (start - first) * stride + column, stride, weights);
    }
  }
  return scaled;
}

/** Weights are never negative, so the sum stays below 255.5 and fits 31 bits. */
function weigh(bytes: Buffer, from: number, step: number, weights: Int32Array): number {
  let sum = HALF;
  for (let index = 0; index < weights.length; index++) {
    sum += (weights[index] ?? 0) * (bytes[from + index * step] ?? 0);
  }
  return Math.min(255, sum >> PRECISION_BITS);
}
