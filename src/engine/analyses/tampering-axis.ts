/** One run per pack that looks for edits; a picture also gets a map of edits and one of its reliability. */
import { HEATMAPS, type HeatmapLayer } from '../../domain/media/heatmap.ts';
import { measurePicture, weighPicture } from '../../domain/media/picture-evidence.ts';
import { coverageOf, placeTiles, splitTiles, type TileAnswers } from '../../domain/media/tampering-score.ts';
import { isTamperingPack, packKey } from '../../domain/packs/model-pack.ts';
import type { TamperingPack } from '../../domain/packs/tampering-pack.ts';
import { logistic } from '../../domain/verdicts/heuristics.ts';
import type { ModelRun } from '../../domain/verdicts/result.ts';
import type { PatchSetRequest } from '../../worker/protocol/decode-protocol.ts';
import type { PatchSet } from '../../worker/protocol/decoded-media.ts';
import { WorkerLostError } from '../children/worker-errors.ts';
import { DECODE_LIMITS } from '../decode/decode-limits.ts';
import { type AnalysisParts, type Attempt, settled } from './analysis-parts.ts';
import { type JudgedPicture, type OpenAxis, type PictureKind, packsOf } from './axis.ts';
import { toAnsweredRun, toUnknownRun } from './calibration.ts';
import type { InferParts, Patched } from './image-runs.ts';

interface TamperingMap {
  set: PatchSet;
  pack: TamperingPack;
  answers: TileAnswers;
}

export const tampering: OpenAxis = (usable, kind) => {
  const packs = packsOf(usable, isTamperingPack);
  if (packs.length === 0) return null;
  return {
    step: 'tampering',
    time: 'tampering',
    asksChild: false,
    patchSets: packs.map((pack) => tileSetOf(pack, kind)),
    async judge(parts, attempt, work) {
      const asked = packs.map((pack) => askPack(parts, attempt, work, { pack, kind }));
      const judged = await settled(asked);
      const runs = judged.map(({ run }) => run);
      const map = judged.find((one) => one.map !== null)?.map ?? null;
      if (map === null) return { runs };
      const coverage = coverageOf(map.set.positions, map.set.size, work.picture);
      const hasMap = kind === 'picture';
      if (hasMap) {
        await drawLayer(parts, attempt, work, { map, layer: 'tampering', logits: map.answers.cells });
        await drawLayer(parts, attempt, work, {
          map,
          layer: 'tampering_reliability',
          logits: map.answers.trust,
        });
      }
      return { runs, tampering: { coverage, hasMap } };
    },
  };
};

function tileSetOf(pack: TamperingPack, kind: PictureKind): PatchSetRequest {
  return {
    name: `tiles-${pack.id}`,
    variant: 'original',
    layout: layoutOf(pack, kind),
    isMirrored: true,
    // Frames have no search for repeats: for many frames it would cost more than the models.
    withRepeats: kind === 'picture' && pack.picture !== undefined,
  };
}

function layoutOf({ view }: TamperingPack, kind: PictureKind): PatchSetRequest['layout'] {
  const { size, align, countMax, frameCountMax } = view;
  return { size, align, countMax: kind === 'picture' ? countMax : Math.min(countMax, frameCountMax) };
}

async function askPack(
  { inference, inferTimeoutMs }: InferParts,
  { signal }: Attempt,
  { slot, picture }: JudgedPicture,
  { pack, kind }: { pack: TamperingPack; kind: PictureKind },
): Promise<{ run: ModelRun; map: TamperingMap | null }> {
  const { width, height } = picture;
  if (Math.min(width, height) < pack.minimumShortSide) {
    const figures = { width, height, needed: pack.minimumShortSide };
    return { run: toUnknownRun(pack, 'too_small', figures), map: null };
  }
  const set = findTiles(picture, pack, kind);
  const tiles = { pack: packKey(pack), path: slot.outPath(set.file), count: set.positions.length };
  const { logits, elapsedMs, device } = await inference.infer(tiles, { signal, timeoutMs: inferTimeoutMs });
  const answers = splitTiles(logits, pack.view);
  const run = toAnsweredRun(pack, { logits: poolTiles(pack, set, answers), elapsedMs, device });
  return { run, map: run.unknown ? null : { set, pack, answers } };
}

/** The picture's logits: by the pack's own weights, else those of the tiles, whose mean counts. */
function poolTiles({ picture, view }: TamperingPack, set: PatchSet, answers: TileAnswers): Float32Array {
  if (picture === undefined) return answers.tiles;
  const places = { positions: set.positions, size: set.size, cell: view.cell };
  return Float32Array.of(weighPicture(measurePicture(places, answers, set.repeats ?? []), picture));
}

/** The child has read hostile bytes, so its tiles must be those that were asked for. */
function findTiles(picture: Patched, pack: TamperingPack, kind: PictureKind): PatchSet {
  const set = picture.patchSets.find(({ name }) => name === `tiles-${pack.id}`);
  const layout = layoutOf(pack, kind);
  const expected = placeTiles(picture.width, picture.height, layout);
  if (set?.size !== layout.size || set.positions.length !== expected.length) {
    throw new WorkerLostError('broken', 'the decoder made other tiles than it was asked for');
  }
  return set;
}

const SHADES = 1000;

/** Rounded to steps finer than a map's colours: tens of thousands of these travel as text. */
function toShade(logit: number): number {
  return Math.round(logistic(logit) * SHADES) / SHADES;
}

async function drawLayer(
  { store }: AnalysisParts,
  { analysis, signal }: Attempt,
  { slot, input, folder }: JudgedPicture,
  { map: { set, pack }, layer, logits }: { map: TamperingMap; layer: HeatmapLayer; logits: Float32Array },
): Promise<void> {
  const output = HEATMAPS[layer].file;
  const place = { input, folder, limits: DECODE_LIMITS, output, layer };
  const { size, positions } = set;
  const drawing = { size, positions, cellPx: pack.view.cell, probabilities: Array.from(logits, toShade) };
  await slot.request({ type: 'render-heatmap', ...place, ...drawing }, { signal });
  using drawn = slot.openOut(output);
  await store.artifacts.put(analysis.id, output, drawn);
}
