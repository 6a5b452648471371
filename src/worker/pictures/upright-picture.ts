/** Opens a picture of any accepted type, upright and at full size, with the decoder that can. */
import type { FailOnOptions, Sharp } from 'sharp';
import type { PictureHeader } from '../media/picture.ts';
import { openPicture, openPixels } from './picture-file.ts';
import { openLab, openSamples } from './tiff-samples.ts';

export async function openUpright(
  header: PictureHeader,
  failOn: FailOnOptions = 'truncated',
  colours: 'stored' | 'shown' = 'stored',
): Promise<Sharp> {
  const { path, mime, limits } = header;
  switch (header.reader) {
    case 'library': {
      // An unreadable part of a TIFF would be black, and judged.
      const failsOn = mime === 'image/tiff' && failOn === 'truncated' ? 'error' : failOn;
      return openPicture(path, limits.pixelsMax, failsOn, colours).autoOrient();
    }
    case 'samples':
      return await openSamples(header);
    case 'lab':
      return await openLab(header);
    // Both load the media library, which most pictures do without.
    case 'items': {
      const { drawHeif } = await import('./heif-picture.ts');
      return openPixels(await drawHeif(path, limits));
    }
    case 'track': {
      const { openTrack } = await import('./track-picture.ts');
      return openTrack(header);
    }
  }
}
