/**
 * How well a map of edits meets a mask. The map is taken as the daemon serves it, a picture of colours: what a reader
 * sees as red is what counts, not what the model said inside.
 */
import { existsSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import sharp from 'sharp';
import { RAMP, rampOffset } from '../src/worker/maps/colour-ramp.ts';
import { LEGEND_HEIGHT } from '../src/worker/maps/heatmap-legend.ts';
import { OVERLAY_SHARE } from '../src/worker/maps/map-palette.ts';

/** Probabilities from which on a pixel counts as called edited; at 0.5 a map turns from blue to red. */
export const MAP_THRESHOLDS = [0.5, 0.6, 0.7, 0.8] as const;

/** Shares of the map's pixels, 0..1. */
export interface Localisation {
  /** Share that the mask calls edited; 0 for an authentic picture. */
  edited: number;
  /** Share that the map calls edited, at each of MAP_THRESHOLDS. */
  called: number[];
  /** Share that both call edited, at each of MAP_THRESHOLDS. */
  hit: number[];
}

const MASK_FOLDER = 'masks';
const BESIDE = /_mask\.png$/i;
/** A pixel of a mask counts as white from this value on, of 255. */
const WHITE_MIN = 128;

/** Whether a file is the mask of the one beside it, and no picture to judge. */
export function isMaskBeside(name: string): boolean {
  return BESIDE.test(name);
}

/** The mask of a picture at `path` below `folder`: in `masks/`, with or without the label's folder, or beside it. */
export function findMask(folder: string, path: string): string | null {
  const bare = path.slice(0, -extname(path).length);
  const [, ...below] = bare.split('/');
  const places = [
    join(folder, MASK_FOLDER, `${bare}.png`),
    join(folder, MASK_FOLDER, `${below.join('/')}.png`),
    join(folder, dirname(path), `${bare.split('/').at(-1)}_mask.png`),
  ];
  return places.find((place) => existsSync(place)) ?? null;
}

/**
 * A mask, white where the picture was edited and black elsewhere. Throws if it has another size than the upright
 * picture at `picture`, or nothing white.
 */
export async function readMask(path: string, picture: string): Promise<Buffer> {
  const mask = await sharp(path).metadata();
  const { width, height } = (await sharp(picture).metadata()).autoOrient;
  if (mask.width !== width || mask.height !== height) {
    throw new Error(`${path}: expected ${width} × ${height} pixels, found ${mask.width} × ${mask.height}`);
  }
  const plain = await sharp(path).flatten().greyscale().png().toBuffer();
  const { channels } = await sharp(plain).stats();
  if ((channels[0]?.max ?? 0) < WHITE_MIN) {
    throw new Error(`${path}: expected white where the picture was edited, found no white pixel`);
  }
  return plain;
}

/** `map`: PNG as GetHeatmap gives it. `mask`: null for an authentic picture. In pixels of the map. */
export async function compareMap(map: Buffer, mask: Buffer | null): Promise<Localisation> {
  const { data, info } = await sharp(map).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const { width } = info;
  const height = info.height - LEGEND_HEIGHT;
  const truth = mask === null ? null : await toPixels(mask, width, height);
  const count = width * height;
  const isEdited = (pixel: number) => truth !== null && (truth[pixel] ?? 0) >= WHITE_MIN;
  const counts = MAP_THRESHOLDS.map((threshold) => {
    // Rounding of each channel moves the value by less.
    const rednessMin = rednessOf(threshold) - 1;
    let [called, hit] = [0, 0];
    for (let pixel = 0; pixel < count; pixel++) {
      if ((data[pixel * 3] ?? 0) - (data[pixel * 3 + 2] ?? 0) < rednessMin) continue;
      called += 1;
      if (isEdited(pixel)) hit += 1;
    }
    return { called: called / count, hit: hit / count };
  });
  const edited = truth === null ? 0 : truth.filter((value) => value >= WHITE_MIN).length / count;
  return { edited, called: counts.map(({ called }) => called), hit: counts.map(({ hit }) => hit) };
}

async function toPixels(mask: Buffer, width: number, height: number): Promise<Buffer> {
  return await sharp(mask).resize(width, height, { fit: 'fill' }).greyscale().raw().toBuffer();
}

/** Red less blue in a map that shows the probability: the grey of the picture below adds as much to both. */
function rednessOf(probability: number): number {
  const offset = rampOffset(probability);
  return ((RAMP[offset] ?? 0) - (RAMP[offset + 2] ?? 0)) * OVERLAY_SHARE;
}
