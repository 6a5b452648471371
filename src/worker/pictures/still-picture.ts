/**
 * Pictures that the picture library cannot decode, by the media library: HEIC and JPEG XL. The whole picture is in memory once, as RGBA or RGB.
 */
import type { Frame, Stream } from 'node-av/lib';
import sharp, { type Sharp } from 'sharp';
import { Container } from '../libav/container.ts';
import { displayOf, shownSides } from '../libav/display.ts';
import { toUprightPicture } from '../libav/frame-picture.ts';
import { StreamDecoder } from '../libav/stream-decoder.ts';
import { MediaFaultFound } from '../media/media-fault.ts';
import type { Picture, PictureHeader } from '../media/picture.ts';
import { drawHeif } from './heif-picture.ts';

export async function openStill(header: PictureHeader): Promise<Sharp> {
  if (header.mime === 'image/jxl') return openJxl(header);
  return toSharp(await drawHeif(header.path, header.limits), 3);
}

function openJxl(header: PictureHeader): Sharp {
  const picture = onStill(header, (stream, frame) =>
    toUprightPicture(frame, displayOf(stream, frame), 'rgba'),
  );
  return toSharp(picture, 4);
}

type StillFile = Pick<PictureHeader, 'path' | 'mime' | 'format'>;

/** The sides as the picture stands upright. Decodes it: its header does not say how it is turned. */
export function readStillSides(file: StillFile): { width: number; height: number } {
  return onStill(file, (stream, frame) => shownSides(frame, displayOf(stream, frame)));
}

function onStill<T>({ path, mime, format }: StillFile, read: (stream: Stream, frame: Frame) => T): T {
  using container = Container.open(path, { mime, name: format });
  const stream = container.video;
  if (stream === null) throw new MediaFaultFound('corrupt', `the ${format} data holds no picture`);
  container.readOnly(stream);
  using decoder = new StreamDecoder(container, stream);
  const frame = decoder.next();
  if (frame === null) throw new MediaFaultFound('corrupt', `the ${format} data is damaged or ends early`);
  return read(stream, frame);
}

function toSharp({ width, height, rgb }: Picture, channels: 3 | 4): Sharp {
  return sharp(rgb, { raw: { width, height, channels }, limitInputPixels: false });
}
