/** Pictures in formats that the picture library does not write: HEIC and AVIF with items of every kind, JPEG XL. */
import { crc32 } from 'node:zlib';
import {
  FF_ENCODER_LIBJXL,
  FF_ENCODER_LIBJXL_ANIM,
  FF_ENCODER_LIBSVTAV1,
  FF_ENCODER_LIBX265,
} from 'node-av/constants';
import sharp from 'sharp';
import { makeVideo } from './make-media.ts';

/** What is done to the picture before it is shown, in order: property boxes as ISO/IEC 23008-12 names them. */
export type HeicStep =
  /** Quarters against the clock. */
  | { irot: 0 | 1 | 2 | 3 }
  /** 0 exchanges top and bottom, 1 left and right. */
  | { imir: 0 | 1 }
  /** Sides of what is left, and how far its middle lies from the picture's. */
  | { clap: [width: number, height: number, right: number, down: number] };

export interface HeicRecipe {
  /** width × height × RGB. */
  rgb: Buffer;
  width: number;
  height: number;
  /** Side of a tile; without it the picture is one item. */
  tile?: number;
  /** The tiles lie on a canvas at places of their own (`iovl`) instead of in a grid; or the one item is named again (`iden`). */
  derived?: 'iovl' | 'iden';
  steps?: HeicStep[];
  /** Steps of the one coded item; those of a derived item follow them. */
  codedSteps?: HeicStep[];
  /** Each coded item lies in two places. */
  isSplit?: boolean;
  /** Bytes of a box before the description, as a manifest lies there. */
  bytesBefore?: number;
  codec?: 'hevc' | 'av1';
}

/** Numbered frames (`paintFrame`). */
export function makeJxlAnimation(width: number, height: number, count: number): Buffer {
  const recipe = { container: 'image2pipe', codec: FF_ENCODER_LIBJXL_ANIM, seconds: count, fps: 1 };
  return makeVideo({ ...recipe, width, height });
}

export function makeJxl(rgb: Buffer, width: number, height: number): Buffer {
  const recipe = { container: 'image2pipe', codec: FF_ENCODER_LIBJXL, seconds: 1, fps: 1 };
  return makeVideo({ ...recipe, width, height, paint: (_, picture) => rgb.copy(picture) });
}

/** Numbered frames in a track (`paintFrame`), with the brand of a sequence. */
export function makeSequence(kind: 'avif' | 'heic', width: number, height: number, count: number): Buffer {
  const isHeic = kind === 'heic';
  const codec = isHeic ? FF_ENCODER_LIBX265 : FF_ENCODER_LIBSVTAV1;
  const encoderOptions: Record<string, string> = isHeic
    ? { 'x265-params': 'log-level=none:info=0', crf: '8' }
    : {};
  const container = isHeic ? 'mp4' : 'avif';
  const bytes = makeVideo({ container, codec, seconds: count, fps: 1, width, height, encoderOptions });
  if (isHeic) bytes.write('hevc', 8, 'latin1');
  return bytes;
}

/** PNGs of equal sides and colours as frames of one animation; `outside` is what readers without animations show. */
export function makeApng(frames: readonly Buffer[], outside?: Buffer): Buffer {
  const [first] = frames;
  if (first === undefined) throw new Error('an animation has a frame');
  const sides = bodyOf(first, 'IHDR').subarray(0, 8);
  let sequence = 0;
  const control = () =>
    chunk('fcTL', Buffer.from([...u(4, sequence++), ...sides, ...u(4, 0), ...u(4, 0), 0, 1, 0, 1, 0, 0]));
  const parts = [first.subarray(0, 8), chunk('IHDR', bodyOf(first, 'IHDR'))];
  parts.push(chunk('acTL', Buffer.from([...u(4, frames.length), ...u(4, 0)])));
  if (outside !== undefined) parts.push(chunk('IDAT', bodyOf(outside, 'IDAT')));
  for (const [index, frame] of frames.entries()) {
    parts.push(control());
    const data = bodyOf(frame, 'IDAT');
    const isDefault = index === 0 && outside === undefined;
    parts.push(isDefault ? chunk('IDAT', data) : chunk('fdAT', Buffer.from([...u(4, sequence++), ...data])));
  }
  return Buffer.concat([...parts, chunk('IEND', Buffer.alloc(0))]);
}

/** A PNG with a chunk right behind its signature. */
export function withFirstChunk(png: Buffer, type: string, body: Buffer): Buffer {
  return Buffer.concat([png.subarray(0, 8), chunk(type, body), png.subarray(8)]);
}

/** All chunks of the type, as one. */
function bodyOf(png: Buffer, type: string): Buffer {
  const bodies: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) !== type) continue;
    bodies.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  return Buffer.concat(bodies);
}

function chunk(type: string, body: Buffer): Buffer {
  const checked = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  return Buffer.concat([Buffer.from(u(4, body.length)), checked, Buffer.from(u(4, crc32(checked)))]);
}

/** Each tile is the one key frame of a video; its samples and decoder settings are moved into items. */
export async function makeHeic(recipe: HeicRecipe): Promise<Buffer> {
  const { rgb, width, height, tile, codec = 'hevc' } = recipe;
  const columns = tile === undefined ? 1 : Math.ceil(width / tile);
  const rows = tile === undefined ? 1 : Math.ceil(height / tile);
  const sides = { width: tile ?? width, height: tile ?? height };
  const tiles: Tile[] = [];
  for (let index = 0; index < rows * columns; index++) {
    const left = (index % columns) * sides.width;
    const top = Math.floor(index / columns) * sides.height;
    tiles.push(encodeTile(await cutTile(rgb, { width, height, left, top, sides }), sides, codec));
  }
  return assemble(tiles, { ...recipe, rows, columns, sides });
}

interface Tile {
  settings: Buffer;
  sample: Buffer;
}

interface Cut {
  width: number;
  height: number;
  left: number;
  top: number;
  sides: { width: number; height: number };
}

async function cutTile(rgb: Buffer, { width, height, left, top, sides }: Cut): Promise<Buffer> {
  const visible = {
    width: Math.min(sides.width, width - left),
    height: Math.min(sides.height, height - top),
  };
  return await sharp(rgb, { raw: { width, height, channels: 3 } })
    .extract({ left, top, ...visible })
    .extend({ right: sides.width - visible.width, bottom: sides.height - visible.height, background: '#000' })
    .raw()
    .toBuffer();
}

function encodeTile(rgb: Buffer, sides: { width: number; height: number }, coded: 'hevc' | 'av1'): Tile {
  const isHevc = coded === 'hevc';
  const encoderOptions = isHevc ? { 'x265-params': 'log-level=none:info=0:bframes=0', crf: '8' } : {};
  const codec = isHevc ? FF_ENCODER_LIBX265 : FF_ENCODER_LIBSVTAV1;
  const video = makeVideo({
    ...{ container: 'mp4', codec, seconds: 1, fps: 1, ...sides, encoderOptions },
    paint: (_, picture) => rgb.copy(picture),
  });
  const bodyOf = (type: string) => {
    const at = video.indexOf(type);
    return video.subarray(at + 4, at - 4 + video.readUInt32BE(at - 4));
  };
  return { settings: bodyOf(isHevc ? 'hvcC' : 'av1C'), sample: bodyOf('mdat') };
}

interface Assembled extends HeicRecipe {
  rows: number;
  columns: number;
  sides: { width: number; height: number };
}

function assemble(tiles: Tile[], recipe: Assembled): Buffer {
  const derived = recipe.derived ?? (recipe.tile === undefined ? undefined : 'grid');
  const payloads = tiles.map(({ sample }) => sample);
  if (derived === 'grid') payloads.push(gridOf(recipe));
  if (derived === 'iovl') payloads.push(overlayOf(recipe));
  const brand = recipe.codec === 'av1' ? 'avif' : 'heic';
  const head = [box('ftyp', Buffer.from(`${brand}\0\0\0\0mif1${brand}`, 'latin1'))];
  if (recipe.bytesBefore !== undefined) head.push(box('uuid', Buffer.alloc(recipe.bytesBefore)));
  const metaOf = (base: number) => meta(tiles, recipe, { derived, payloads, base });
  const base = Buffer.concat(head).length + metaOf(0).length + 8;
  return Buffer.concat([...head, metaOf(base), box('mdat', ...payloads)]);
}

function gridOf({ rows, columns, width, height }: Assembled): Buffer {
  return Buffer.from([0, 0, rows - 1, columns - 1, ...u(2, width), ...u(2, height)]);
}

/** The same tiles at places that are written out, on blue. */
function overlayOf({ rows, columns, width, height, sides }: Assembled): Buffer {
  const places = Array.from({ length: rows * columns }, (_, index) => [
    ...u(2, (index % columns) * sides.width),
    ...u(2, Math.floor(index / columns) * sides.height),
  ]);
  const blue = [0, 0, 0xffff, 0xffff].flatMap((value) => u(2, value));
  return Buffer.from([0, 0, ...blue, ...u(2, width), ...u(2, height), ...places.flat()]);
}

interface Layout {
  derived: 'grid' | 'iovl' | 'iden' | undefined;
  payloads: Buffer[];
  base: number;
}

function stepBox(step: HeicStep): Buffer {
  if ('irot' in step) return box('irot', [step.irot]);
  if ('imir' in step) return box('imir', [step.imir]);
  return box('clap', ...step.clap.flatMap((value) => [u(4, value * 2), u(4, 2)]));
}

function meta(
  tiles: Tile[],
  { width, height, sides, steps = [], codedSteps = [], isSplit = false, codec }: Assembled,
  { derived, payloads, base }: Layout,
): Buffer {
  const primary = derived === undefined ? 1 : tiles.length + 1;
  const types: string[] = tiles.map(() => (codec === 'av1' ? 'av01' : 'hvc1'));
  if (derived !== undefined) types.push(derived);
  // What a picture is put together of is hidden: it is no picture of its own.
  const infos = types.map((type, index) =>
    full('infe', 2, index + 1 === primary ? 0 : 1, u(2, index + 1), u(2, 0), Buffer.from(`${type}\0`)),
  );
  const starts = payloads.map(
    (_, index) => base + payloads.slice(0, index).reduce((sum, one) => sum + one.length, 0),
  );
  const places = payloads.map(({ length }, index) => {
    const first = isSplit ? Math.floor(length / 2) : length;
    const start = starts[index] ?? 0;
    const second = isSplit ? [...u(4, start + first), ...u(4, length - first)] : [];
    return [
      ...u(2, index + 1),
      ...u(2, 0),
      ...u(2, isSplit ? 2 : 1),
      ...u(4, start),
      ...u(4, first),
      ...second,
    ];
  });
  const settings = [...new Set(tiles.map((tile) => tile.settings.toString('latin1')))];
  const [shown, beneath] = derived === undefined ? [[...codedSteps, ...steps], []] : [steps, codedSteps];
  const properties = [
    ...settings.map((text) => box(codec === 'av1' ? 'av1C' : 'hvcC', Buffer.from(text, 'latin1'))),
    full('ispe', 0, 0, u(4, sides.width), u(4, sides.height)),
    full('ispe', 0, 0, u(4, width), u(4, height)),
    ...[...shown, ...beneath].map(stepBox),
  ];
  const stored = settings.length + 1;
  const indexesOf = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => 0x80 | (stored + 2 + from + index));
  const shownIndexes = indexesOf(0, shown.length);
  const codedIndexes = derived === undefined ? shownIndexes : indexesOf(shown.length, beneath.length);
  const links = tiles.map((tile, index) => {
    const own = 0x80 | (settings.indexOf(tile.settings.toString('latin1')) + 1);
    return [...u(2, index + 1), 2 + codedIndexes.length, own, stored, ...codedIndexes];
  });
  if (derived !== undefined) links.push([...u(2, primary), 1 + shown.length, stored + 1, ...shownIndexes]);
  const inputs = tiles.map((_, index) => u(2, index + 1));
  const references = box('dimg', u(2, primary), u(2, inputs.length), inputs.flat());
  return full(
    'meta',
    0,
    0,
    full('hdlr', 0, 0, u(4, 0), Buffer.from('pict'), Buffer.alloc(13)),
    full('pitm', 0, 0, u(2, primary)),
    full('iloc', 0, 0, [0x44, 0x00], u(2, payloads.length), places.flat()),
    full('iinf', 0, 0, u(2, infos.length), ...infos),
    ...(derived === undefined ? [] : [full('iref', 0, 0, references)]),
    box('iprp', box('ipco', ...properties), full('ipma', 0, 0, u(4, links.length), links.flat())),
  );
}

type Bytes = Buffer | number[];

function u(size: number, value: number): number[] {
  return Array.from({ length: size }, (_, index) => Math.floor(value / 256 ** (size - 1 - index)) % 256);
}

function box(type: string, ...body: Bytes[]): Buffer {
  const whole = Buffer.concat(body.map((part) => Buffer.from(part)));
  return Buffer.concat([Buffer.from(u(4, whole.length + 8)), Buffer.from(type, 'latin1'), whole]);
}

function full(type: string, version: number, flags: number, ...body: Bytes[]): Buffer {
  return box(type, [version, ...u(3, flags)], ...body);
}
