/** The renditions of a record's file for a browser, and their bytes. */
import { createHash } from 'node:crypto';
import type { ClassificationRecord } from '../../domain/answers/record.ts';
import { AppError } from '../../domain/errors.ts';
import { flag, nullable, number, oneOf, text, type ValuesOf, whole } from '../../domain/field.ts';
import {
  isShowable,
  RENDITION_KINDS,
  RENDITION_STATES,
  type RenditionFigures,
  type RenditionKind,
  renditionKindsOf,
  SHEET_FRAMES_MAX,
  TILE_PIXELS,
  tileLevels,
} from '../../domain/media/rendition.ts';
import type {
  FileOrder,
  RenditionOrder,
  RenditionView,
  SheetOrder,
} from '../../engine/decode/rendition-maker.ts';
import type { StoredRendition } from '../../store/rendition-store.ts';
import type { Principal } from '../callers/principal.ts';
import { getClassification } from './classifications.ts';
import type { MediaFile } from './media-files.ts';
import type { RecordParts } from './parts.ts';

const RENDITION_KIND = {
  name: 'RenditionKind',
  words: RENDITION_KINDS,
  description:
    'PICTURE, FILM and SOUND stand in for the file; TILES are a large picture in pieces; STRIP and PEAKS show it over time; SHEET is the contact sheet of a video, THUMBNAIL what a list shows of a picture or video.',
};
const RENDITION_STATE = {
  name: 'RenditionState',
  words: RENDITION_STATES,
  description: 'NONE until somebody asks for its address, which begins the work.',
};

export const RENDITION = {
  name: 'Rendition',
  description:
    'Made for eyes and ears, never analysed. It can be made again at any time and may go when disk is short.',
  fields: {
    kind: oneOf(RENDITION_KIND),
    state: oneOf(RENDITION_STATE),
    /** The address of the file or, for a kind with several files, of the description that names them. */
    url: text('With the same key. Answers 202 with Retry-After while it is made, 422 where it cannot be.'),
    mime: text({ documented: 'mimetype' }),
    isNeeded: flag(
      'Browsers do not show the file itself. Only playing a video or sound shows this for sure.',
    ),
    madeFrom: text('SHA-256 in hex of the file that it is made of.'),
    width: nullable(whole('Pixels, once made; of a strip, of one thumbnail.')),
    height: nullable(whole()),
    durationSeconds: nullable(number()),
    done: nullable(whole()),
    total: nullable(whole('Seconds for a film or sound; null if nothing is being made.')),
    error: text('Why it cannot be made; empty where it can.'),
  },
};
type RenditionInfo = ValuesOf<typeof RENDITION.fields>;

/** The files under `/media/<identifier>/rendition/`: those that the decode child wrote, or their figures. */
const RESOURCES = {
  'picture.webp': { kind: 'picture', mime: 'image/webp' },
  'preview.jpg': { kind: 'preview', mime: 'image/jpeg' },
  'tiles.json': { kind: 'tiles', mime: 'application/json' },
  'film.webm': { kind: 'film', mime: 'video/webm' },
  'sound.webm': { kind: 'sound', mime: 'audio/webm' },
  'strip.webp': { kind: 'strip', mime: 'image/webp' },
  'strip.json': { kind: 'strip', mime: 'application/json' },
  'peaks.json': { kind: 'peaks', mime: 'application/json' },
  'spectrum.webp': { kind: 'peaks', mime: 'image/webp' },
  'sheet.png': { kind: 'sheet', mime: 'image/png' },
  'sheet.json': { kind: 'sheet', mime: 'application/json' },
  'thumbnail.webp': { kind: 'thumbnail', mime: 'image/webp' },
} as const satisfies Record<string, { kind: RenditionKind; mime: string }>;
type ResourceName = keyof typeof RESOURCES;

/** The file that a client asks for first. */
const MAIN_RESOURCES: Readonly<Record<RenditionKind, ResourceName>> = {
  picture: 'picture.webp',
  preview: 'preview.jpg',
  tiles: 'tiles.json',
  film: 'film.webm',
  sound: 'sound.webm',
  strip: 'strip.json',
  peaks: 'peaks.json',
  sheet: 'sheet.png',
  thumbnail: 'thumbnail.webp',
};

/** Most pictures are ready by then, and no connection stays open for long. */
const WAIT_MS = 3000;

export interface RenditionInput {
  principal: Principal;
  identifier: string;
  /** A name of RESOURCES, or a tile as `tiles/<level>/<column>_<row>.webp`. */
  resource: string;
}

export type OpenedRendition =
  | { type: 'file'; file: MediaFile }
  /** Being made, or waiting for its turn. */
  | { type: 'making'; state: 'waiting' | 'making'; done: number; total: number };

/** Makes it if missing, and waits a moment. Throws `classification`, `media`, and why the file cannot be shown. */
export async function openRendition(app: RecordParts, input: RenditionInput): Promise<OpenedRendition> {
  const { resource } = input;
  const tile = parseTile(resource);
  const name = tile === undefined ? resource : 'tiles.json';
  if (!isResource(name)) throw noRendition();
  const record = getClassification(app, input);
  const order = ordersOf(app, record).find(({ kind }) => kind === RESOURCES[name].kind);
  if (order === undefined) throw noRendition();
  if (!app.store.renditions.isWanted(order.owner)) throw gone();
  const accountId = input.principal.account.id;
  const view = await app.renditions.open(order, { accountId, waitMs: WAIT_MS });
  if (view.state === 'failed') throw view.error;
  if (view.state === 'none') throw gone();
  if (view.state !== 'ready') return { type: 'making', ...view };
  // A person sees, while a key only asks. Thumbnails in a list are no look at each record.
  if (input.principal.key === undefined && order.kind !== 'thumbnail') app.accessLog.note('looked_at', input);
  const file = tile === undefined ? toFile(view.rendition, name) : toTileFile(view.rendition, tile);
  return { type: 'file', file };
}

/** The contact sheet of a video as PNG; waits until it is made or the caller goes. Throws as openRendition does. */
export async function getContactSheet(
  app: RecordParts,
  input: Omit<RenditionInput, 'resource'>,
  signal: AbortSignal,
): Promise<{ path: string }> {
  for (;;) {
    signal.throwIfAborted();
    const opened = await openRendition(app, { ...input, resource: 'sheet.png' });
    if (opened.type === 'file' && 'path' in opened.file) return opened.file;
  }
}

/** Renditions of a record that the caller may see; makes none. */
export async function listRenditions(
  app: RecordParts,
  record: ClassificationRecord,
): Promise<RenditionInfo[]> {
  const orders = ordersOf(app, record).filter(({ owner }) => app.store.renditions.isWanted(owner));
  const views = orders.map(async (order) => {
    return toInfo(app, record, order.kind, await app.renditions.look(order));
  });
  return await Promise.all(views);
}

/** The replacement of the whole file comes first. */
function ordersOf(app: RecordParts, record: ClassificationRecord): RenditionOrder[] {
  const sheet = sheetOrder(app, record);
  return [...fileOrders(app, record), ...(sheet === null ? [] : [sheet])];
}

/** A frame is a PNG and a track is FLAC, which browsers show; of a track there are peaks. */
function fileOrders({ store }: RecordParts, record: ClassificationRecord): FileOrder[] {
  const part = store.read.parts.get(record.identifier);
  if (part === undefined) {
    if (record.hash === '') return [];
    const source = { owner: record.hash, sourcePath: store.blobs.pathOf(record.hash), isOriginal: true };
    return renditionKindsOf(record.kind, sidesOf(record)).map((kind) => ({ ...source, name: kind, kind }));
  }
  const result = store.read.analyses.get(part.analysisId)?.result;
  const track = result?.kind === 'video' && part.kind === 'audio' ? result.tracks[part.index] : undefined;
  if (track === undefined) return [];
  const sourcePath = store.artifacts.pathOf(part.analysisId, track.file);
  const name = `track-${part.index}-peaks`;
  return [{ owner: part.analysisId, name, kind: 'peaks', sourcePath, isOriginal: false }];
}

function sidesOf(record: ClassificationRecord): { width: number | null; height: number | null } {
  return record.kind === 'audio' ? { width: null, height: null } : record;
}

function toInfo(
  { config }: Pick<RecordParts, 'config'>,
  record: ClassificationRecord,
  kind: RenditionKind,
  view: RenditionView,
): RenditionInfo {
  const resource = MAIN_RESOURCES[kind];
  const figures = view.state === 'ready' ? view.rendition.figures : undefined;
  const hasSides = figures !== undefined && 'width' in figures;
  const isStandIn = kind === 'picture' || kind === 'tiles' || kind === 'film' || kind === 'sound';
  return {
    kind,
    state: view.state,
    url: `${config.publicUrl}/media/${record.identifier}/rendition/${resource}`,
    mime: RESOURCES[resource].mime,
    isNeeded: isStandIn && !isShowable({ kind: record.kind, mime: record.mime, ...sidesOf(record) }),
    madeFrom: record.hash,
    width: hasSides ? figures.width : null,
    height: hasSides ? figures.height : null,
    durationSeconds: figures !== undefined && 'durationSeconds' in figures ? figures.durationSeconds : null,
    ...('total' in view ? { done: view.done, total: view.total } : { done: null, total: null }),
    error: view.state === 'failed' ? view.error.message : '',
  };
}

const isResource = (name: string): name is ResourceName => Object.hasOwn(RESOURCES, name);

function toFile(rendition: StoredRendition, name: ResourceName): MediaFile {
  const { mime } = RESOURCES[name];
  if (mime === 'application/json') {
    const bytes = Buffer.from(JSON.stringify(describe(rendition.figures)));
    const tag = createHash('sha256').update(bytes).digest('hex');
    return { bytes, mime, sizeBytes: bytes.length, name, tag };
  }
  const found = rendition.files.find((file) => file.name === name);
  if (found === undefined) throw gone();
  return { path: found.path, mime, sizeBytes: found.sizeBytes, name, tag: found.hash };
}

/** Figures by which the page lays the pictures out. */
function describe(figures: RenditionFigures): object {
  if (figures.kind !== 'tiles') return figures;
  const { kind, width, height } = figures;
  return { kind, width, height, tilePixels: TILE_PIXELS, levels: tileLevels(width, height) };
}

interface Tile {
  level: number;
  column: number;
  row: number;
}

function parseTile(resource: string): Tile | undefined {
  const match = /^tiles\/(\d{1,2})\/(\d{1,4})_(\d{1,4})\.webp$/.exec(resource);
  if (match === null) return undefined;
  const [level = 0, column = 0, row = 0] = match.slice(1).map(Number);
  return { level, column, row };
}

function toTileFile({ figures, files: [packed] }: StoredRendition, { level, column, row }: Tile): MediaFile {
  if (figures.kind !== 'tiles' || packed === undefined) throw gone();
  const levels = tileLevels(figures.width, figures.height);
  const grid = levels[level];
  if (grid === undefined || column >= grid.columns || row >= grid.rows) throw noRendition();
  const before = levels.slice(0, level).reduce((sum, { columns, rows }) => sum + columns * rows, 0);
  const index = before + row * grid.columns + column;
  const offset = figures.tileBytes.slice(0, index).reduce((sum, bytes) => sum + bytes, 0);
  const name = `${level}-${column}_${row}.webp`;
  const sizeBytes = Math.min(figures.tileBytes[index] ?? 0, Math.max(0, packed.sizeBytes - offset));
  return { path: packed.path, offset, mime: 'image/webp', sizeBytes, name, tag: `${packed.hash}-${index}` };
}

function noRendition(): AppError {
  return new AppError('media', 'there is no such rendition of this record');
}

function gone(): AppError {
  return new AppError('media', 'the media of this record are not stored');
}

/** Enough to distinguish the drawings of one analysis. */
const NAME_CHARACTERS = 16;

/** Null if the record is no video, or has no frames (yet). */
export function sheetOrder({ store }: RecordParts, record: ClassificationRecord): SheetOrder | null {
  if (record.kind !== 'video' || record.images.length === 0) return null;
  const analysisId = store.read.records.get(record.identifier)?.analysisId ?? '';
  const result = store.read.analyses.get(analysisId)?.result;
  if (result?.kind !== 'video') return null;
  const { hash } = record;
  const { durationSeconds, width, height } = result;
  const facts = { hash, durationSeconds, width, height };
  const frames = result.frames.slice(0, SHEET_FRAMES_MAX).map(({ timeSeconds, file }, index) => ({
    timeSeconds,
    probability: record.images[index]?.assessment?.probability ?? null,
    sourcePath: store.artifacts.pathOf(analysisId, file),
  }));
  return { owner: analysisId, name: `sheet-${digestOf({ facts, frames })}`, kind: 'sheet', facts, frames };
}

/** A later version may read the same figures otherwise, so a different look gets another name. */
function digestOf({ facts, frames }: Pick<SheetOrder, 'facts' | 'frames'>): string {
  const drawn = [facts, frames.map(({ timeSeconds, probability }) => [timeSeconds, probability])];
  return createHash('sha256').update(JSON.stringify(drawn)).digest('hex').slice(0, NAME_CHARACTERS);
}
