/** Pictures in formats that the picture library does not write: HEIC with one item or a grid of tiles, JPEG XL. */
import { FF_ENCODER_LIBJXL, FF_ENCODER_LIBX265 } from 'node-av/constants';
import sharp from 'sharp';
import { makeVideo } from './make-media.ts';

export interface HeicRecipe {
  /** width × height × RGB. */
  rgb: Buffer;
  width: number;
  height: number;
  /** Side of a tile; without it the picture is one item. */
  tile?: number;
  /** Quarters against the clock, as `irot` counts them. */
  quarters?: 0 | 1 | 2 | 3;
  /** 0 exchanges top and bottom, 1 left and right. */
  mirror?: 0 | 1;
}

export function makeJxl(rgb: Buffer, width: number, height: number): Buffer {
  const recipe = { container: 'image2pipe', codec: FF_ENCODER_LIBJXL, seconds: 1, fps: 1 };
  return makeVideo({ ...recipe, width, height, paint: (_, picture) => rgb.copy(picture) });
}

/** Each tile is the one key frame of a video; its samples and decoder settings are moved into items. */
export async function makeHeic(recipe: HeicRecipe): Promise<Buffer> {
  const { rgb, width, height, tile } = recipe;
  const columns = tile === undefined ? 1 : Math.ceil(width / tile);
  const rows = tile === undefined ? 1 : Math.ceil(height / tile);
  const sides = { width: tile ?? width, height: tile ?? height };
  const tiles: Tile[] = [];
  for (let index = 0; index < rows * columns; index++) {
    const left = (index % columns) * sides.width;
    const top = Math.floor(index / columns) * sides.height;
    tiles.push(encodeTile(await cutTile(rgb, { width, height, left, top, sides }), sides));
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

function encodeTile(rgb: Buffer, sides: { width: number; height: number }): Tile {
  const encoderOptions = { 'x265-params': 'log-level=none:info=0:bframes=0', crf: '8' };
  const video = makeVideo({
    ...{ container: 'mp4', codec: FF_ENCODER_LIBX265, seconds: 1, fps: 1, ...sides, encoderOptions },
    paint: (_, picture) => rgb.copy(picture),
  });
  const bodyOf = (type: string) => {
    const at = video.indexOf(type);
    return video.subarray(at + 4, at - 4 + video.readUInt32BE(at - 4));
  };
  return { settings: bodyOf('hvcC'), sample: bodyOf('mdat') };
}

function assemble(
  tiles: Tile[],
  recipe: HeicRecipe & { rows: number; columns: number; sides: { width: number; height: number } },
): Buffer {
  const isGrid = tiles.length > 1 || recipe.tile !== undefined;
  const primary = isGrid ? tiles.length + 1 : 1;
  const grid = Buffer.from([
    0,
    0,
    recipe.rows - 1,
    recipe.columns - 1,
    ...u(2, recipe.width),
    ...u(2, recipe.height),
  ]);
  const payloads = [...tiles.map(({ sample }) => sample), ...(isGrid ? [grid] : [])];
  const head = box('ftyp', Buffer.from('heic\0\0\0\0mif1heic', 'latin1'));
  const metaOf = (base: number) => meta(tiles, recipe, { primary, isGrid, payloads, base });
  const base = head.length + metaOf(0).length + 8;
  return Buffer.concat([head, metaOf(base), box('mdat', ...payloads)]);
}

interface Layout {
  primary: number;
  isGrid: boolean;
  payloads: Buffer[];
  base: number;
}

function meta(
  tiles: Tile[],
  { width, height, sides, quarters, mirror }: HeicRecipe & { sides: { width: number; height: number } },
  { primary, isGrid, payloads, base }: Layout,
): Buffer {
  const items = tiles.map((_, index) => index + 1);
  const types = [...items.map(() => 'hvc1'), ...(isGrid ? ['grid'] : [])];
  // Tiles are hidden: they are no pictures of their own.
  const flagsOf = (type: string) => (isGrid && type !== 'grid' ? 1 : 0);
  const infos = types.map((type, index) =>
    full('infe', 2, flagsOf(type), u(2, index + 1), u(2, 0), Buffer.from(`${type}\0`)),
  );
  const starts = payloads.map(
    (_, index) => base + payloads.slice(0, index).reduce((sum, one) => sum + one.length, 0),
  );
  const places = payloads.map((payload, index) => [
    ...[...u(2, index + 1), ...u(2, 0), ...u(2, 1), ...u(4, starts[index] ?? 0), ...u(4, payload.length)],
  ]);
  const turns = [
    ...(quarters === undefined ? [] : [box('irot', Buffer.from([quarters]))]),
    ...(mirror === undefined ? [] : [box('imir', Buffer.from([mirror]))]),
  ];
  const properties = [
    ...tiles.map(({ settings }) => box('hvcC', settings)),
    full('ispe', 0, 0, u(4, sides.width), u(4, sides.height)),
    full('ispe', 0, 0, u(4, width), u(4, height)),
    ...turns,
  ];
  const turnIndexes = turns.map((_, index) => 0x80 | (tiles.length + 3 + index));
  const links = items.map((item) => {
    const own = [0x80 | item, tiles.length + 1, ...(isGrid ? [] : turnIndexes)];
    return [...u(2, item), own.length, ...own];
  });
  if (isGrid) links.push([...u(2, primary), 1 + turns.length, tiles.length + 2, ...turnIndexes]);
  return full(
    'meta',
    0,
    0,
    full('hdlr', 0, 0, u(4, 0), Buffer.from('pict'), Buffer.alloc(13)),
    full('pitm', 0, 0, u(2, primary)),
    full('iloc', 0, 0, [0x44, 0x00], u(2, payloads.length), places.flat()),
    full('iinf', 0, 0, u(2, infos.length), ...infos),
    ...(isGrid
      ? [
          full(
            'iref',
            0,
            0,
            box(
              'dimg',
              u(2, primary),
              u(2, items.length),
              items.flatMap((item) => u(2, item)),
            ),
          ),
        ]
      : []),
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
