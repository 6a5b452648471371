/** Reads how a HEIF file's pictures are put together (ISO/IEC 23008-12). No library does it all: see ARCHITECTURE.md. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { MediaFaultFound } from '../media/media-fault.ts';
import { BoxReader } from './box-reader.ts';

/** What is done to an item before it is shown, in the order of its properties. */
export type HeifStep =
  | { type: 'rotate'; clockwise: 0 | 90 | 180 | 270 }
  | { type: 'mirror'; isUpDown: boolean }
  /** Sides of the remainder, and the offset of its middle from the picture's: pixels, perhaps halves. */
  | { type: 'crop'; width: number; height: number; right: number; down: number };

/** Numbered as in ITU-T H.273; they override those of the coded picture. */
export interface HeifColours {
  primaries: number;
  transfer: number;
  matrix: number;
  isFullRange: boolean;
}

export interface HeifItem {
  id: number;
  /** `hvc1`, `av01`, …; or how it is derived: `grid`, `iden`, `iovl`. */
  type: string;
  isHidden: boolean;
  /** As the file states them, before any step; null if it does not. */
  sides: { width: number; height: number } | null;
  /** The decoder's configuration, which lies beside the data. */
  settings: Buffer | null;
  colours: HeifColours | null;
  steps: HeifStep[];
  /** Items that this one is derived from. */
  inputs: number[];
  /** The item with its opacity, before any step; null if it is opaque. */
  alpha: number | null;
}

/** The description has no pixels, so a larger one is an attack. */
const META_BYTES_MAX = 4 * 1024 ** 2;
/** Boxes before the description: a manifest, a free space, rarely more than ten. */
const FILE_BOXES_MAX = 1000;
/** 256 tiles of 512² are 67 megapixels; no phone writes more. */
const INPUTS_MAX = 1024;
const EXTENTS_MAX = 1024;

interface Place {
  /** 0: offsets in the file, 1: in the description's own data. */
  method: number;
  extents: { offset: number; length: number }[];
}

type Property =
  | { type: 'step'; step: HeifStep }
  | { type: 'sides'; sides: { width: number; height: number } }
  | { type: 'settings'; settings: Buffer }
  | { type: 'colours'; colours: HeifColours }
  | { type: 'alpha' }
  | { type: 'other' };

interface ItemType {
  type: string;
  isHidden: boolean;
  /** What a `mime` item holds. */
  content: string;
}

interface Meta {
  primary: number;
  types: Map<number, ItemType>;
  references: Map<number, number[]>;
  /** Items that belong to others, such as thumbnails, masks and descriptions, and to which. */
  attached: Map<number, { to: number[]; type: string }>;
  places: Map<number, Place>;
  properties: Property[];
  associations: Map<number, number[]>;
  data: Buffer;
}

/** Items that are pictures, coded or derived. */
const PICTURE = /^(hvc1|hev1|lhv1|av01|avc1|vvc1|jpeg|j2k1|unci|grid|iden|iovl|tmap)$/;

const XMP = 'application/rdf+xml';
/** Roles of an item that gives another's opacity. */
const ALPHA = /^urn:mpeg:(mpegB:cicp:systems:auxiliary:alpha|hevc:2015:auxid:1)\0/;

export class HeifFile implements Disposable {
  readonly #file: number;
  readonly #bytes: number;
  readonly #meta: Meta;

  private constructor(file: number, bytes: number, meta: Meta) {
    this.#file = file;
    this.#bytes = bytes;
    this.#meta = meta;
  }

  /** Null without such a description: the file is damaged, or holds only a sequence. */
  static open(path: string): HeifFile | null {
    const file = openSync(path, 'r');
    try {
      const { size } = fstatSync(file);
      const box = findBox(file, size, 'meta');
      if (box === null && findBox(file, size, 'mini') !== null)
        throw new MediaFaultFound(
          'unsupported_media_type',
          'the HEIF picture lies in a `mini` box, which is not read',
        );
      if (box === null || box.length > META_BYTES_MAX) {
        closeSync(file);
        return null;
      }
      return new HeifFile(file, size, parseMeta(new BoxReader(readAt(file, box.offset, box.length))));
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

  get primary(): number {
    return this.#meta.primary;
  }

  /** The pictures that a viewer can choose from, with the shown one. */
  get pictureCount(): number {
    const { types, attached, references } = this.#meta;
    const inputs = new Set([...references.values()].flat());
    const isChoice = ([id, { type, isHidden }]: [number, ItemType]) =>
      PICTURE.test(type) && !isHidden && !attached.has(id) && !inputs.has(id);
    return Math.max(1, [...types].filter(isChoice).length);
  }

  /** Throws MediaFaultFound if the file names no such item. */
  item(id: number): HeifItem {
    const { types, references } = this.#meta;
    const named = types.get(id);
    if (named === undefined)
      throw new MediaFaultFound('corrupt', 'the HEIF data lacks a part of the picture');
    const item: HeifItem = {
      id,
      ...named,
      sides: null,
      settings: null,
      colours: null,
      steps: [],
      inputs: references.get(id) ?? [],
      alpha: this.#alphaOf(id),
    };
    for (const property of this.#propertiesOf(id)) {
      if (property.type === 'step') item.steps.push(property.step);
      if (property.type === 'sides') item.sides = property.sides;
      if (property.type === 'settings') item.settings = property.settings;
      if (property.type === 'colours') item.colours = property.colours;
    }
    return item;
  }

  readMetadata(): { exif?: Buffer; xmp?: Buffer } {
    const found: { exif?: Buffer; xmp?: Buffer } = {};
    for (const [id, { type, content }] of this.#meta.types) {
      if (this.#meta.attached.get(id)?.to.includes(this.primary) === false) continue;
      // The first four bytes give the offset of the block behind them.
      if (type === 'Exif') found.exif = skipPrefix(this.read({ id }));
      if (type === 'mime' && content === XMP) found.xmp = this.read({ id });
    }
    return found;
  }

  /** The bytes of an item, from all its extents. Throws MediaFaultFound if they do not lie in the file. */
  read({ id }: Pick<HeifItem, 'id'>): Buffer {
    const { method, extents } = this.#meta.places.get(id) ?? { method: 0, extents: [] };
    const { data } = this.#meta;
    const end = method === 1 ? data.length : this.#bytes;
    // An extent without a length reaches to the end.
    const parts = extents.map(({ offset, length }) => ({ offset, length: length || end - offset }));
    const total = parts.reduce((sum, { length }) => sum + length, 0);
    const isWhole = parts.every(({ offset, length }) => length > 0 && offset + length <= end);
    // Overlapping extents would make more bytes than there are.
    if (method > 1 || parts.length === 0 || !isWhole || total > end)
      throw new MediaFaultFound('corrupt', 'the HEIF data ends early or is damaged');
    return Buffer.concat(
      parts.map(({ offset, length }) =>
        method === 1 ? data.subarray(offset, offset + length) : readAt(this.#file, offset, length),
      ),
    );
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  #propertiesOf(id: number): Property[] {
    const { associations, properties } = this.#meta;
    return (associations.get(id) ?? []).flatMap((index) => properties[index - 1] ?? []);
  }

  #alphaOf(id: number): number | null {
    const isAlpha = ([item, { to, type }]: [number, { to: number[]; type: string }]) =>
      type === 'auxl' &&
      to.includes(id) &&
      this.#propertiesOf(item).some((property) => property.type === 'alpha');
    return [...this.#meta.attached].find(isAlpha)?.[0] ?? null;
  }
}

function skipPrefix(block: Buffer): Buffer {
  return block.length < 4 ? block : block.subarray(4 + block.readUInt32BE(0));
}

function readAt(file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, offset));
}

/** Brands of files whose sequence is what viewers show, though they may hold a picture beside it. */
const SEQUENCE_BRAND = /^(avis|msf1|hev[cx])/;

/** Whether a file shows a sequence, which is a track as in films, and not an item. */
export function showsSequence(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const [shown, other] = SEQUENCE_BRAND.test(readAt(file, 8, 4).toString('latin1'))
      ? (['moov', 'meta'] as const)
      : (['meta', 'moov'] as const);
    const found = findBox(file, size, shown) !== null ? shown : other;
    return found === 'moov' && findBox(file, size, 'moov') !== null;
  } finally {
    closeSync(file);
  }
}

function findBox(file: number, fileBytes: number, type: string): { offset: number; length: number } | null {
  let offset = 0;
  for (let count = 0; count < FILE_BOXES_MAX && offset + 8 <= fileBytes; count++) {
    const [box] = new BoxReader(readAt(file, offset, 16)).boxes();
    if (box === undefined) return null;
    // A length of zero reaches to the end of the file, which the reader does not see.
    const isRest = readAt(file, offset, 4).readUInt32BE(0) === 0;
    const length = isRest ? fileBytes - offset - box.start : box.length;
    if (box.type === type) return { offset: offset + box.start, length };
    offset += box.start + length;
  }
  return null;
}

function parseMeta(reader: BoxReader): Meta {
  const meta: Meta = {
    primary: 0,
    types: new Map(),
    references: new Map(),
    attached: new Map(),
    places: new Map(),
    properties: [],
    associations: new Map(),
    data: Buffer.alloc(0),
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
  for (const { type: box, body: entry } of body.boxes()) {
    if (box !== 'infe') continue;
    const item = entry.version() === 2 ? entry.uint(2) : entry.uint(4);
    entry.uint(2);
    const type = entry.text(4);
    const [, content = ''] = entry.rest().toString('latin1').split('\0');
    types.set(item, { type, isHidden: (entry.flags & 1) === 1, content });
  }
}

function parseReferences(body: BoxReader, { references, attached }: Meta): void {
  const bytes = body.version() === 0 ? 2 : 4;
  for (const { type, body: entry } of body.boxes()) {
    const from = entry.uint(bytes);
    const count = Math.min(entry.uint(2), INPUTS_MAX + 1);
    const named = Array.from({ length: count }, () => entry.uint(bytes));
    if (type === 'dimg') references.set(from, named);
    if (/^(thmb|auxl|cdsc)$/.test(type)) attached.set(from, { to: named, type });
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
    const extents: Place['extents'] = [];
    for (let left = body.uint(2); left > 0 && !body.isEnded; left--) {
      body.uint(indexBytes);
      const offset = base + body.uint(offsetBytes);
      const length = body.uint(lengthBytes);
      if (extents.length < EXTENTS_MAX) extents.push({ offset, length });
    }
    places.set(item, { method, extents });
  }
}

function parseProperties(body: BoxReader, meta: Meta): void {
  for (const { type, body: entry } of body.boxes()) {
    if (type === 'ipco') for (const property of entry.boxes()) meta.properties.push(parseProperty(property));
    if (type === 'ipma') parseAssociations(entry, meta);
  }
}

/** ISO/IEC 23008-12 6.5 and 14496-12 12.1: `irot` counts quarters against the clock; `imir` 0 exchanges top and bottom. */
function parseProperty({ type, body }: { type: string; body: BoxReader }): Property {
  switch (type) {
    case 'irot': {
      const clockwise = ([0, 270, 180, 90] as const)[body.uint(1) & 3] ?? 0;
      return { type: 'step', step: { type: 'rotate', clockwise } };
    }
    case 'imir':
      return { type: 'step', step: { type: 'mirror', isUpDown: (body.uint(1) & 1) === 0 } };
    case 'clap':
      return { type: 'step', step: parseCrop(body) };
    case 'ispe':
      body.version();
      return { type: 'sides', sides: { width: body.uint(4), height: body.uint(4) } };
    case 'hvcC':
    case 'av1C':
      return { type: 'settings', settings: body.rest() };
    case 'auxC':
      body.version();
      return { type: ALPHA.test(body.rest().toString('latin1')) ? 'alpha' : 'other' };
    case 'colr':
      return parseColours(body);
    default:
      return { type: 'other' };
  }
}

function parseCrop(body: BoxReader): HeifStep {
  const share = (): number => {
    const [over, under] = [body.uint(4) | 0, body.uint(4) | 0];
    return under === 0 ? 0 : over / under;
  };
  const [width, height, right, down] = [share(), share(), share(), share()];
  return { type: 'crop', width, height, right, down };
}

function parseColours(body: BoxReader): Property {
  if (body.text(4) !== 'nclx') return { type: 'other' };
  const [primaries, transfer, matrix] = [body.uint(2), body.uint(2), body.uint(2)];
  return { type: 'colours', colours: { primaries, transfer, matrix, isFullRange: body.uint(1) >> 7 === 1 } };
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
