/** Opens a picture of any accepted type, upright and at full size, with whichever library can decode it. */
import type { FailOnOptions, Sharp } from 'sharp';
import type { PictureHeader } from './header.ts';
import { openPicture } from './picture-file.ts';
import { openStill } from './still-picture.ts';

/** Types that the picture library names but cannot decode. */
const STILL_MIMES: readonly string[] = ['image/heic', 'image/jxl'];

export async function openUpright(
  header: PictureHeader,
  failOn: FailOnOptions = 'truncated',
): Promise<Sharp> {
  if (STILL_MIMES.includes(header.mime)) return await openStill(header);
  return openPicture(header.path, header.limits.pixelsMax, failOn).autoOrient();
}
