/**
 * Reads from a HEIF file how its primary picture is put together (ISO/IEC 23008-12): the items that are coded
 * pictures, in what grid they lie, and how the whole is turned. The media library decodes the items and says
 * them apart by number; the grid it does not show.
 */
import { open } from 'node:fs/promises';
import { BoxReader } from './box-reader.ts';

export interface HeifPicture {
  /** Coded items, row by row. */
  items: number[];
  columns: number;
  /** Size of the whole picture before it is turned; null if the one item says. */
  width: number | null;
  height: number | null;
  /** In the order in which they apply. */
  turns: HeifTurn[];
}

export type HeifTurn =
  | { type: 'rotate'; clockwise: 0 | 90 | 180 | 270 }
  | { type: 'mirror'; isUpDown: boolean };

/** The description of the pictures lies at the beginning and has no pixels. */
const META_BYTES_MAX = 4 * 1024 ** 2;
const HEAD_BYTES = 64 * 1024;
/** 256 tiles of 512² are 67 megapixels; no phone writes more. */
const TILES_MAX = 1024;

interface Meta {
  primary: number;
  types: Map<number, string>;
  references: Map<number, number[]>;
  places: Map<number, { method: number; offset: number; length: number }>;
  properties: HeifProperty[];
  associations: Map<number, number[]>;
  data: Buffer | null;
}

type HeifProperty = { type: 'turn'; turn: HeifTurn } | { type: 'other' };

/** Null if the file has no such description: it is damaged, or an image sequence only. */
export async function readHeifPicture(path: string): Promise<HeifPicture | null> {
  await using file = await open(path, 'r');
  const read = async (offset: number, length: number) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  };
  const box = findMeta(await read(0, HEAD_BYTES));
  if (box === null || box.length > META_BYTES_MAX) return null;
  const meta = parseMeta(new BoxReader(await read(box.offset, box.length)));
  const turns = (meta.associations.get(meta.primary) ?? []).flatMap((index) => {
    const property = meta.properties[index - 1];
    return property?.type === 'turn' ? [property.turn] : [];
  });
  const single = { items: [meta.primary], columns: 1, width: null, height: null, turns };
  if (meta.types.get(meta.primary) !== 'grid') return single;
  const place = meta.places.get(meta.primary);
  if (place === undefined) return null;
  const payload =
    place.method === 1
      ? (meta.data ?? Buffer.alloc(0)).subarray(place.offset, place.offset + place.length)
      : await read(place.offset, Math.min(place.length, 16));
  return toGrid(payload, meta.references.get(meta.primary) ?? [], turns);
}

function findMeta(head: Buffer): { offset: number; length: number } | null {
  const reader = new BoxReader(head);
  for (const box of reader.boxes()) if (box.type === 'meta') return { offset: box.start, length: box.length };
  return null;
}

function toGrid(payload: Buffer, items: number[], turns: HeifTurn[]): HeifPicture | null {
  if (payload.length < 8) return null;
  const [rows, columns] = [payload.readUInt8(2) + 1, payload.readUInt8(3) + 1];
  const isLong = (payload.readUInt8(1) & 1) === 1;
  if (payload.length < (isLong ? 12 : 8)) return null;
  const width = isLong ? payload.readUInt32BE(4) : payload.readUInt16BE(4);
  const height = isLong ? payload.readUInt32BE(8) : payload.readUInt16BE(6);
  const isWhole = items.length === rows * columns && items.length <= TILES_MAX;
  return isWhole ? { items, columns, width, height, turns } : null;
}

function parseMeta(reader: BoxReader): Meta {
  const meta: Meta = {
    primary: 0,
    types: new Map(),
    references: new Map(),
    places: new Map(),
    properties: [],
    associations: new Map(),
    data: null,
  };
  for (const box of reader.inside(4).boxes()) {
    const body = box.body;
    if (box.type === 'pitm') meta.primary = body.version() === 0 ? body.uint(2) : body.uint(4);
    if (box.type === 'iinf') parseItemTypes(body, meta);
    if (box.type === 'iref') parseReferences(body, meta);
    if (box.type === 'iloc') parsePlaces(body, meta);
    if (box.type === 'iprp') parseProperties(body, meta);
    if (box.type === 'idat') meta.data = body.rest();
  }
  return meta;
}

function parseItemTypes(body: BoxReader, { types }: Meta): void {
  body.uint(body.version() === 0 ? 2 : 4);
  for (const { type, body: entry } of body.boxes()) {
    if (type !== 'infe') continue;
    const item = entry.version() === 2 ? entry.uint(2) : entry.uint(4);
    entry.uint(2);
    types.set(item, entry.text(4));
  }
}

function parseReferences(body: BoxReader, { references }: Meta): void {
  const bytes = body.version() === 0 ? 2 : 4;
  for (const { type, body: entry } of body.boxes()) {
    if (type !== 'dimg') continue;
    const from = entry.uint(bytes);
    const count = Math.min(entry.uint(2), TILES_MAX + 1);
    references.set(
      from,
      Array.from({ length: count }, () => entry.uint(bytes)),
    );
  }
}

function parsePlaces(body: BoxReader, { places }: Meta): void {
  const version = body.version();
  const sizes = body.uint(2);
  const [offsetBytes, lengthBytes, baseBytes] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
  const indexBytes = version === 0 ? 0 : sizes & 15;
  const count = body.uint(version < 2 ? 2 : 4);
  for (let index = 0; index < count && !body.isEnded; index++) {
    const item = body.uint(version < 2 ? 2 : 4);
    const method = version === 0 ? 0 : body.uint(2) & 15;
    body.uint(2);
    const base = body.uint(baseBytes);
    const extents = body.uint(2);
    for (let extent = 0; extent < extents && !body.isEnded; extent++) {
      body.uint(indexBytes);
      const offset = base + body.uint(offsetBytes);
      const length = body.uint(lengthBytes);
      if (extent === 0) places.set(item, { method, offset, length });
    }
  }
}

function parseProperties(body: BoxReader, meta: Meta): void {
  for (const { type, body: entry } of body.boxes()) {
    if (type === 'ipco') for (const property of entry.boxes()) meta.properties.push(parseProperty(property));
    if (type === 'ipma') parseAssociations(entry, meta);
  }
}

/** `irot` counts quarters against the clock; `imir` 0 exchanges top and bottom, 1 left and right (6.5.10, 6.5.12). */
function parseProperty({ type, body }: { type: string; body: BoxReader }): HeifProperty {
  if (type === 'irot') {
    const clockwise = ([0, 270, 180, 90] as const)[body.uint(1) & 3] ?? 0;
    return { type: 'turn', turn: { type: 'rotate', clockwise } };
  }
  if (type === 'imir') return { type: 'turn', turn: { type: 'mirror', isUpDown: (body.uint(1) & 1) === 0 } };
  return { type: 'other' };
}

function parseAssociations(body: BoxReader, { associations }: Meta): void {
  const version = body.version();
  const isLong = (body.flags & 1) === 1;
  const count = body.uint(4);
  for (let index = 0; index < count && !body.isEnded; index++) {
    const item = body.uint(version < 1 ? 2 : 4);
    const size = body.uint(1);
    const properties = Array.from({ length: size }, () =>
      isLong ? body.uint(2) & 0x7fff : body.uint(1) & 0x7f,
    );
    associations.set(item, properties);
  }
}
