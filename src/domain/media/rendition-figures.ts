/** A rendition's figures as they are accepted from a decode child, which has read hostile bytes, and from the disk. */
import { z } from 'zod';
import { PEAKS_MAX, type RenditionFigures, SHEET_FRAMES_MAX, STRIP_FRAMES } from './rendition.ts';

const side = z.int().min(1).max(100_000);
const place = z.int().min(0).max(100_000);
const durationSeconds = z.number().min(0).max(1e9);
/** 100 megapixels are some 400 tiles, a third more with the smaller levels; a narrow panorama has more. */
const TILES_MAX = 10_000;

export const renditionFigures = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('picture'), width: side, height: side }),
  z.strictObject({ kind: z.literal('preview'), width: side, height: side }),
  z.strictObject({ kind: z.literal('thumbnail'), width: side, height: side }),
  z.strictObject({
    kind: z.literal('tiles'),
    width: side,
    height: side,
    tileBytes: z.array(z.int().min(1)).min(1).max(TILES_MAX),
  }),
  z.strictObject({ kind: z.literal('film'), width: side, height: side, durationSeconds }),
  z.strictObject({ kind: z.literal('sound'), durationSeconds }),
  z.strictObject({
    kind: z.literal('strip'),
    width: side,
    height: side,
    durationSeconds,
    times: z.array(durationSeconds).length(STRIP_FRAMES),
  }),
  z.strictObject({
    kind: z.literal('peaks'),
    durationSeconds,
    peaks: z
      .array(z.int().min(0).max(255))
      .min(1)
      .max(2 * PEAKS_MAX),
  }),
  z.strictObject({
    kind: z.literal('sheet'),
    width: side,
    height: side,
    frames: z
      .array(
        z.strictObject({ timeSeconds: durationSeconds, left: place, top: place, width: side, height: side }),
      )
      .min(1)
      .max(SHEET_FRAMES_MAX),
  }),
]) satisfies z.ZodType<RenditionFigures>;
