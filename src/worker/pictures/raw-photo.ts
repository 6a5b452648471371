/**
 * Distinguishes a camera's raw file from a TIFF: most raw formats are TIFFs whose first page is a small preview that the
 * camera made. Judging the preview as if it were the photograph would be a false answer.
 */
import { TIFF_TAGS, type TiffTags } from './tiff-tags.ts';

/** A mosaic of one colour per pixel, and its values made linear (TIFF/EP, DNG). */
const RAW_PHOTOMETRICS = [32_803, 34_892];
const REDUCED_RESOLUTION = 1;

/** `a DNG raw photograph`, or null if the TIFF is an ordinary one. */
export function describeRawTiff({ head, values }: TiffTags): string | null {
  if (head.toString('latin1', 8, 10) === 'CR') return 'a Canon CR2 raw photograph';
  if (values.has(TIFF_TAGS.dngVersion)) return 'a DNG raw photograph';
  const isRaw = RAW_PHOTOMETRICS.includes(values.get(TIFF_TAGS.photometric) ?? 0);
  const isPreview = ((values.get(TIFF_TAGS.newSubfileType) ?? 0) & REDUCED_RESOLUTION) === REDUCED_RESOLUTION;
  // Nikon, Sony and others put a preview first and the picture into a page below it.
  return isRaw || (isPreview && values.has(TIFF_TAGS.subIfds)) ? "a camera's raw photograph" : null;
}
