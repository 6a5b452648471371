/** Opens a picture of any accepted type, upright and at full size, with whichever library can decode it. */
import type { FailOnOptions, Sharp } from 'sharp';
import { formatOf } from '../../domain/media/formats.ts';
import type { PictureHeader } from '../media/picture.ts';
import { openPicture } from './picture-file.ts';

export async function openUpright(
  header: PictureHeader,
  failOn: FailOnOptions = 'truncated',
): Promise<Sharp> {
  if (formatOf(header.mime)?.sharp?.includes('pixels') !== true) {
    // Brings the media library, which most pictures do without.
    const { openStill } = await import('./still-picture.ts');
    return await openStill(header);
  }
  return openPicture(header.path, header.limits.pixelsMax, failOn).autoOrient();
}
