/**
 * Pictures that the picture library cannot decode, by the media library: HEIC (one item or a grid of tiles) and
 * JPEG XL. The whole picture is in memory once, as RGBA or RGB.
 */
import type { Frame, Stream } from 'node-av/lib';
import sharp, { type Sharp } from 'sharp';
import { Container } from '../libav/container.ts';
import { type Display, displayOf, shownSides } from '../libav/display.ts';
import { toUprightPicture } from '../libav/frame-picture.ts';
import { type HeifPicture, type HeifTurn, readHeifPicture } from '../libav/heif-items.ts';
import { StreamDecoder } from '../libav/stream-decoder.ts';
import { MediaFaultFound } from '../media/media-fault.ts';
import type { Picture, PictureHeader } from '../media/picture.ts';

/** What turns a HEIC is said in its items, and done with the whole. */
const AS_STORED: Display = { turn: 'none', pixelAspect: 1 };

export async function openStill(header: PictureHeader): Promise<Sharp> {
  if (header.mime === 'image/jxl') return openJxl(header);
  const layout = await readHeifPicture(header.path);
  if (layout === null) throw new MediaFaultFound('corrupt', 'the HEIC data names no picture');
  let image = toSharp(decodeHeif(header, layout), 3);
  // The library turns before it mirrors, whatever the order of calls, so each step is a picture of its own.
  for (const turn of layout.turns) image = await apply(image, turn);
  return image;
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

function decodeHeif({ path, mime, format, limits }: PictureHeader, layout: HeifPicture): Picture {
  using container = Container.open(path, { mime, name: format });
  const { items, columns } = layout;
  let canvas: Picture | null = null;
  for (const [index, item] of items.entries()) {
    const tile = decodeItem(container, item, format);
    if (items.length === 1 && layout.width === null) return tile;
    const { width, height } = { width: layout.width ?? tile.width, height: layout.height ?? tile.height };
    if (width * height > limits.pixelsMax)
      throw new MediaFaultFound(
        'too_many_pixels',
        `the picture has ${width * height} pixels (${width} × ${height})`,
      );
    canvas ??= { width, height, rgb: Buffer.alloc(width * height * 3) };
    lay(canvas, tile, (index % columns) * tile.width, Math.floor(index / columns) * tile.height);
  }
  if (canvas === null) throw new MediaFaultFound('corrupt', 'the HEIC data names no picture');
  return canvas;
}

function decodeItem(container: Container, item: number, format: string): Picture {
  const stream = container.streams.find(({ id }) => id === item);
  if (stream === undefined)
    throw new MediaFaultFound('corrupt', `the ${format} data lacks a part of the picture`);
  container.readOnly(stream);
  container.seek(stream, 0n);
  using decoder = new StreamDecoder(container, stream);
  const frame = decoder.next();
  if (frame === null) throw new MediaFaultFound('corrupt', `a part of the ${format} picture is damaged`);
  return toUprightPicture(frame, AS_STORED);
}

/** Tiles at the right and lower edge reach beyond the picture. */
function lay(canvas: Picture, tile: Picture, x: number, y: number): void {
  const bytes = Math.min(tile.width, canvas.width - x) * 3;
  if (bytes <= 0) return;
  for (let row = 0; row < tile.height && y + row < canvas.height; row++) {
    const from = row * tile.width * 3;
    tile.rgb.copy(canvas.rgb, ((y + row) * canvas.width + x) * 3, from, from + bytes);
  }
}

function toSharp({ width, height, rgb }: Picture, channels: 3 | 4): Sharp {
  return sharp(rgb, { raw: { width, height, channels }, limitInputPixels: false });
}

async function apply(image: Sharp, turn: HeifTurn): Promise<Sharp> {
  const turned =
    turn.type === 'rotate' ? image.rotate(turn.clockwise) : turn.isUpDown ? image.flip() : image.flop();
  const { data, info } = await turned.raw().toBuffer({ resolveWithObject: true });
  return toSharp({ width: info.width, height: info.height, rgb: data }, 3);
}
