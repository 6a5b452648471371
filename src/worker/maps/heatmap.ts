/**
 * Draws the heatmap. Geometry of the PNG, for those who lay it over the picture:
 *
 * - The map begins at 0, 0. It is the upright picture, scaled down (never up) so that its long side is at most
 *   1024 pixels: a picture pixel (x, y) is at (x × mapWidth / pictureWidth, y × mapHeight / pictureHeight).
 * - Below it lies the legend, always LEGEND_HEIGHT (32) pixels high and as wide as the map.
 * - So the PNG is mapWidth × (mapHeight + 32) pixels. The picture shows through in dim grey; the colour over it
 *   has the same strength everywhere, so that the legend reads the same at every point. Where nothing was measured
 *   there is no colour.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toPictureFault } from '../media/media-fault.ts';
import type { PictureHeader } from '../media/picture.ts';
import { readHeader } from '../pictures/header.ts';
import { openUpright } from '../pictures/upright-picture.ts';
import type { RenderHeatmapRequest } from '../protocol/decode-protocol.ts';
import type { RenderedHeatmap } from '../protocol/decoded-media.ts';
import { interpolateCells } from './cell-map.ts';
import { drawLegend, LEGEND_HEIGHT, rampOf } from './heatmap-legend.ts';
import { type GreyPicture, keptGrey } from './kept-grey.ts';
import { mapIndex, paletteOf } from './map-palette.ts';
import { encodePalettePng } from './palette-png.ts';
import { interpolateMap } from './probability-map.ts';

export const MAP_SIDE_MAX = 1024;

export async function renderHeatmap(
  request: RenderHeatmapRequest,
  slotFolder: string,
): Promise<RenderedHeatmap> {
  const path = join(slotFolder, request.folder, request.input);
  const header = await readHeader(path, request.limits);
  const picture = await keptGrey(path, () => decodeGrey(header));
  const { width } = picture;
  const height = picture.height + LEGEND_HEIGHT;
  const indexes = Buffer.alloc(width * height);
  paintMap(indexes, picture, header, request);
  drawLegend(indexes.subarray(width * picture.height), width, request.layer);
  const palette = paletteOf(rampOf(request.layer));
  const png = await encodePalettePng({ width, height, palette, indexes });
  await writeFile(join(slotFolder, 'out', request.output), png);
  return { width, height };
}

async function decodeGrey(header: PictureHeader): Promise<GreyPicture> {
  const { format, width, height } = header;
  const scale = Math.min(1, MAP_SIDE_MAX / Math.max(width, height));
  const size = {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  };
  try {
    const upright = await openUpright(header);
    const { data } = await upright
      .resize({ ...size, fit: 'fill' })
      .flatten({ background: '#ffffff' })
      .toColourspace('b-w')
      .removeAlpha()
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
    return { ...size, grey: data };
  } catch (error) {
    throw toPictureFault(error, format);
  }
}

function paintMap(
  indexes: Buffer,
  { width, height, grey }: GreyPicture,
  whole: { width: number; height: number },
  request: RenderHeatmapRequest,
): void {
  const steps = { stepX: whole.width / width, stepY: whole.height / height };
  const map = { width, height, ...steps };
  const { cellPx } = request;
  const probabilities =
    cellPx === undefined ? interpolateMap(request, map) : interpolateCells({ ...request, cellPx }, map);
  for (let index = 0; index < probabilities.length; index++) {
    indexes[index] = mapIndex(probabilities[index] ?? Number.NaN, grey[index] ?? 0);
  }
}
