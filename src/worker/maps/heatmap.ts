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
import { join } from 'node:path';
import sharp from 'sharp';
import { toPictureFault } from '../media-fault.ts';
import { readHeader } from '../pictures/header.ts';
import type { PictureHeader } from '../pictures/picture.ts';
import { openUpright } from '../pictures/upright-picture.ts';
import type { RenderedHeatmap, RenderHeatmapRequest } from '../protocol.ts';
import { interpolateCells } from './cell-map.ts';
import { rampOffset } from './colour-ramp.ts';
import { drawLegend, LEGEND_HEIGHT, rampOf } from './heatmap-legend.ts';
import { interpolateMap } from './probability-map.ts';

export const MAP_SIDE_MAX = 1024;
/** Enough colour to read the legend's steps, enough grey to recognise the picture. */
export const OVERLAY_SHARE = 0.6;

interface GreyPicture {
  width: number;
  height: number;
  grey: Buffer;
}

export async function renderHeatmap(
  request: RenderHeatmapRequest,
  slotFolder: string,
): Promise<RenderedHeatmap> {
  const header = await readHeader(join(slotFolder, request.folder, request.input), request.limits);
  const picture = await decodeGrey(header);
  const { width } = picture;
  const height = picture.height + LEGEND_HEIGHT;
  const canvas = Buffer.alloc(width * height * 3);
  paintMap(canvas, picture, header, request);
  drawLegend(canvas.subarray(width * picture.height * 3), width, request.layer);
  await sharp(canvas, { raw: { width, height, channels: 3 } })
    .png({ compressionLevel: 6 })
    .toFile(join(slotFolder, 'out', request.output));
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
  canvas: Buffer,
  { width, height, grey }: GreyPicture,
  whole: { width: number; height: number },
  request: RenderHeatmapRequest,
): void {
  const steps = { stepX: whole.width / width, stepY: whole.height / height };
  const map = { width, height, ...steps };
  const { cellPx, layer } = request;
  const probabilities =
    cellPx === undefined ? interpolateMap(request, map) : interpolateCells({ ...request, cellPx }, map);
  const ramp = rampOf(layer);
  for (const [index, probability] of probabilities.entries()) {
    const colour = rampOffset(probability);
    const shade = (grey[index] ?? 0) * (1 - OVERLAY_SHARE);
    for (let channel = 0; channel < 3; channel++) {
      const tint = Number.isNaN(probability) ? shade : (ramp[colour + channel] ?? 0) * OVERLAY_SHARE;
      canvas[index * 3 + channel] = shade + tint;
    }
  }
}
