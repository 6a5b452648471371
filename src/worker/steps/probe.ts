/** A picture is decoded to a stamp: that reads every byte of the data, at a third of the time of full pixels. */
import { toPictureFault } from '../media/media-fault.ts';
import type { PictureHeader } from '../media/picture.ts';
import { readHeader } from '../pictures/header.ts';
import { readMediaType } from '../pictures/media-header.ts';
import { openUpright } from '../pictures/upright-picture.ts';
import type { DecodeLimits } from '../protocol/decode-protocol.ts';
import type { Probe } from '../protocol/decoded-media.ts';

const STAMP_SIDE = 16;

export async function probe(path: string, limits: DecodeLimits): Promise<Probe> {
  const type = await readMediaType(path);
  if (type.kind !== 'image') {
    const { probeContainer } = await import('./probe-container.ts');
    return probeContainer(path, type, limits);
  }
  const header = await readHeader(path, limits, type);
  await decodeStamp(header);
  const { mime, width, height, pages } = header;
  return { kind: 'image', mime, width, height, pages, durationSeconds: null, hasSound: false };
}

async function decodeStamp(header: PictureHeader): Promise<void> {
  try {
    const upright = await openUpright(header);
    await upright.resize(STAMP_SIDE, STAMP_SIDE, { fit: 'fill' }).raw().toBuffer();
  } catch (error) {
    throw toPictureFault(error, header.format);
  }
}
