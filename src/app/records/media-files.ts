/** The stored bytes of a record as a browser may show them: the file itself, its heatmap, a video's frames and sound. */
import { open, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { codeOf } from '../../domain/error-code.ts';
import { AppError } from '../../domain/errors.ts';
import { HEATMAPS, type HeatmapLayer } from '../../domain/media/heatmap.ts';
import type { VideoResult } from '../../domain/verdicts/result.ts';
import type { Principal } from '../callers/principal.ts';
import { getHeatmap, readableClassification, readablePart } from './classifications.ts';
import type { RecordParts } from './parts.ts';

/** A turn of the file system's few threads, shared by all requests, costs more than holding a browser's piece. */
export const PIECE_BYTES = 256 * 1024;

export type MediaPart =
  | { type: 'original' }
  | { type: 'heatmap'; layer: HeatmapLayer }
  | { type: 'frame'; index: number }
  | { type: 'track'; index: number };

export interface MediaInput {
  principal: Principal;
  identifier: string;
  part: MediaPart;
  /** `shown`: in the page; `taken`: it leaves the box; absent: somebody only asks about it. */
  use?: 'shown' | 'taken' | undefined;
}

/** Lies in a file, from `offset` on, or in memory. */
export type MediaFile = MediaDescription & (FilePlace | { bytes: Buffer });

interface FilePlace {
  path: string;
  offset?: number;
  /** For a stored original: the expected hash of its bytes. */
  originalHash?: string;
}

interface MediaDescription {
  mime: string;
  sizeBytes: number;
  /** File name of a download. */
  name: string;
  /** Identifies the content: stored bytes never change. */
  tag: string;
}

/** Throws `classification` for a foreign record, `media` if the bytes are gone or not there yet. */
export async function getMedia(app: RecordParts, input: MediaInput): Promise<MediaFile> {
  const file = await findMedia(app, input);
  noteUse(app, input);
  return file;
}

/** A key always takes; a person's page shows, unless the browser saves the file or opens it by itself. */
function noteUse({ accessLog }: RecordParts, { part, use, ...input }: MediaInput): void {
  if (part.type !== 'original' || use === undefined) return;
  const isShown = use === 'shown' && input.principal.key === undefined;
  accessLog.note(isShown ? 'looked_at' : 'downloaded', input);
}

async function findMedia(app: RecordParts, input: MediaInput): Promise<MediaFile> {
  const { identifier, part } = input;
  const ofVideo = part.type === 'original' ? await partFile(app, input) : undefined;
  if (ofVideo !== undefined) return ofVideo;
  const own = readableClassification(app, input);
  if (part.type === 'heatmap') {
    const { layer } = part;
    const heatmap = await getHeatmap(app, { ...input, layer });
    return { ...heatmap, mime: 'image/png', name: HEATMAPS[layer].file, tag: `${identifier}-${layer}` };
  }
  if (part.type === 'original') {
    const { hash, mime, name } = own;
    if (hash === '') throw gone();
    const path = app.store.blobs.pathOf(hash);
    const file = await measure({ path, mime, name, tag: hash, originalHash: hash });
    // A wrong length is found before it is announced.
    if (file.sizeBytes !== own.sizeBytes) await app.store.blobs.checks.check(hash);
    return file;
  }
  return await videoPart(app, own.analysisId, part);
}

/** A frame or track has an identifier of its own, whose original is the stored picture or sound. */
async function partFile(
  app: RecordParts,
  { principal, identifier }: MediaInput,
): Promise<MediaFile | undefined> {
  const found = readablePart(app, { principal, identifier });
  if (found === undefined) return undefined;
  const { whole, part } = found;
  const type = part.kind === 'image' ? 'frame' : 'track';
  return await videoPart(app, whole.analysisId, { type, index: part.index });
}

async function videoPart(
  app: RecordParts,
  analysisId: string,
  { type, index }: { type: 'frame' | 'track'; index: number },
): Promise<MediaFile> {
  const result = app.store.read.analyses.get(analysisId)?.result;
  if (result?.kind !== 'video') throw gone();
  const found = storedPart(result, type, index);
  if (found === undefined) throw gone();
  const { file, hash, mime } = found;
  return await measure({ path: app.store.artifacts.pathOf(analysisId, file), mime, name: file, tag: hash });
}

function storedPart(
  { frames, tracks }: VideoResult,
  type: 'frame' | 'track',
  index: number,
): { file: string; hash: string; mime: string } | undefined {
  const frame = type === 'frame' ? frames[index] : undefined;
  if (frame !== undefined) return { ...frame, mime: frame.image.mime };
  const track = type === 'track' ? tracks[index] : undefined;
  return track && { ...track, mime: track.audio.mime };
}

async function measure(file: Omit<MediaDescription, 'sizeBytes'> & FilePlace): Promise<MediaFile> {
  try {
    return { ...file, sizeBytes: (await stat(file.path)).size };
  } catch (error) {
    throw goneWhereMissing(error);
  }
}

/** The bytes from `first` to `last`. A whole original is hashed as it streams, and breaks off if it was changed. */
export async function openMedia(
  { store }: Pick<RecordParts, 'store'>,
  file: MediaDescription & FilePlace,
  { first, last }: { first: number; last: number },
): Promise<Readable> {
  const { path, offset = 0, originalHash, sizeBytes } = file;
  try {
    if (originalHash !== undefined) {
      const isWhole = first === 0 && last === sizeBytes - 1;
      if (isWhole) return Readable.from(readOriginal(store, originalHash), { objectMode: false });
      await store.blobs.checks.check(originalHash);
    }
    const handle = await open(path);
    const range = { start: offset + first, end: offset + last };
    return handle.createReadStream({ ...range, highWaterMark: PIECE_BYTES });
  } catch (error) {
    // It was deleted or swept between the look-up and the opening.
    throw goneWhereMissing(error);
  }
}

async function* readOriginal(store: RecordParts['store'], hash: string): AsyncGenerator<Buffer> {
  try {
    yield* store.blobs.checks.read(hash);
  } catch (error) {
    throw goneWhereMissing(error);
  }
}

const goneWhereMissing = (error: unknown): unknown => (codeOf(error) === 'ENOENT' ? gone(error) : error);

function gone(cause?: unknown): AppError {
  return new AppError('media', 'the media of this record are not stored', { cause });
}
