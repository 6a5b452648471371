/**
 * Whether a file can be analysed at all, answered within its submission. The picture is decoded to a stamp:
 * that reads every byte of the data (a JPEG that lacks its last byte is noticed), at a third of the time of full pixels.
 */
import { toPictureFault } from '../media-fault.ts';
import type { DecodeLimits, Probe } from '../protocol.ts';
import { type PictureHeader, readHeader } from './header.ts';
import { openPicture } from './picture-file.ts';

const STAMP_SIDE = 16;

export async function probe(path: string, limits: DecodeLimits): Promise<Probe> {
  const header = await readHeader(path, limits);
  await decodeStamp(header);
  const { mime, width, height, pages } = header;
  return { kind: 'image', mime, width, height, pages, durationSeconds: null };
}

async function decodeStamp({ path, format, limits }: PictureHeader): Promise<void> {
  try {
    await openPicture(path, limits.pixelsMax)
      .resize(STAMP_SIDE, STAMP_SIDE, { fit: 'fill' })
      .raw()
      .toBuffer();
  } catch (error) {
    throw toPictureFault(error, format);
  }
}
