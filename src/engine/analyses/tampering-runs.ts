/** What the packs that look for edits say of a picture or a frame: a run each, and the maps of the first that answered. */

import { measurePicture, weighPicture } from '../../domain/media/picture-evidence.ts';
import { coverageOf, placeTiles, splitTiles, type TileAnswers } from '../../domain/media/tampering-score.ts';
import { packKey } from '../../domain/packs/model-pack.ts';
import type { TamperingPack } from '../../domain/packs/tampering-pack.ts';
import type { ModelRun, TamperingSummary } from '../../domain/verdicts/result.ts';
import type { PatchSetRequest } from '../../worker/protocol/decode-protocol.ts';
import type { PatchSet } from '../../worker/protocol/decoded-media.ts';
import { WorkerLostError } from '../children/worker-errors.ts';
import type { AnalysisSlot } from '../decode/decode-slot.ts';
import type { Found } from '../packs/content-packs.ts';
import { toAnsweredRun, toUnknownRun } from './calibration.ts';
import type { InferParts, Patched } from './image-runs.ts';

/** A picture of its own, or one frame among many of a video, which gets fewer tiles. */
export type TiledMedia = 'picture' | 'frame';

export interface TamperingMap {
  set: PatchSet;
  pack: TamperingPack;
  answers: TileAnswers;
}

export interface JudgedTampering {
  runs: ModelRun[];
  /** Absent if no pack was asked or none could answer. */
  summary?: TamperingSummary;
  map: TamperingMap | null;
}

/** What the decode child has to cut for them. */
export function tileSetsOf(packs: readonly Found<TamperingPack>[], media: TiledMedia): PatchSetRequest[] {
  return packs.map(({ pack }) => ({
    name: `tiles-${pack.id}`,
    variant: 'original',
    layout: layoutOf(pack, media),
    isMirrored: true,
    // Frames go without: many of one video would cost more than its models.
    withRepeats: media === 'picture' && pack.picture !== undefined,
  }));
}

function layoutOf({ view }: TamperingPack, media: TiledMedia): PatchSetRequest['layout'] {
  const { size, align, countMax, frameCountMax } = view;
  return { size, align, countMax: media === 'picture' ? countMax : Math.min(countMax, frameCountMax) };
}

export interface TamperingWork {
  picture: Patched;
  packs: readonly Found<TamperingPack>[];
  media: TiledMedia;
  signal: AbortSignal;
}

export async function judgeTampering(
  parts: InferParts,
  slot: Pick<AnalysisSlot, 'outPath'>,
  { picture, packs, media, signal }: TamperingWork,
): Promise<JudgedTampering> {
  const work = packs.map((found) => askPack(parts, slot, { picture, found, media, signal }));
  // Waits for all even if one fails: their files vanish with the slot.
  await Promise.allSettled(work);
  const judged = await Promise.all(work);
  const runs = judged.map(({ run }) => run);
  const map = judged.find((one) => one.map !== null)?.map ?? null;
  if (map === null) return { runs, map };
  return {
    runs,
    map,
    summary: { coverage: coverageOf(map.set.positions, map.set.size, picture), hasMap: false },
  };
}

async function askPack(
  { inference, inferTimeoutMs }: InferParts,
  slot: Pick<AnalysisSlot, 'outPath'>,
  { picture, found, media, signal }: Omit<TamperingWork, 'packs'> & { found: Found<TamperingPack> },
): Promise<{ run: ModelRun; map: TamperingMap | null }> {
  const { pack } = found;
  const { width, height } = picture;
  if (Math.min(width, height) < pack.minimumShortSide) {
    const needed = `the model needs ${pack.minimumShortSide} on the short side`;
    return { run: toUnknownRun(pack, `The picture has ${width} × ${height} pixels; ${needed}.`), map: null };
  }
  const set = findTiles(picture, pack, media);
  const tiles = { pack: packKey(pack), path: slot.outPath(set.file), count: set.positions.length };
  const { logits, elapsedMs, device } = await inference.infer(tiles, { signal, timeoutMs: inferTimeoutMs });
  const answers = splitTiles(logits, pack.view);
  const run = toAnsweredRun(pack, { logits: poolTiles(pack, set, answers), elapsedMs, device });
  return { run, map: run.unknown ? null : { set, pack, answers } };
}

/** What counts as the picture's logit: by the pack's own weights, else each tile's, of which the mean is taken. */
function poolTiles({ picture, view }: TamperingPack, set: PatchSet, answers: TileAnswers): Float32Array {
  if (picture === undefined) return answers.tiles;
  const places = { positions: set.positions, size: set.size, cell: view.cell };
  return Float32Array.of(weighPicture(measurePicture(places, answers, set.repeats ?? []), picture));
}

/** The child has read hostile bytes: other work than was asked for would be without bound. */
function findTiles(picture: Patched, pack: TamperingPack, media: TiledMedia): PatchSet {
  const set = picture.patchSets.find(({ name }) => name === `tiles-${pack.id}`);
  const layout = layoutOf(pack, media);
  const expected = placeTiles(picture.width, picture.height, layout);
  if (set?.size !== layout.size || set.positions.length !== expected.length) {
    throw new WorkerLostError('broken', 'the decoder made other tiles than it was asked for');
  }
  return set;
}
