/** Analyses one picture. The decode child's slot is held throughout, since the patches lie in it. */

import { HEATMAPS } from '../../domain/media/heatmap.ts';
import { STABILITY_VARIANTS, type StabilityVariantName } from '../../domain/media/stability.ts';
import type { ImagePack } from '../../domain/packs/model-pack.ts';
import { isClear } from '../../domain/packs/stability-reach.ts';
import { usableRuns } from '../../domain/verdicts/heuristics.ts';
import type { ImageResult, ModelRun, StabilityVariant } from '../../domain/verdicts/result.ts';
import type { DecodeImageRequest, RenderHeatmapRequest } from '../../worker/protocol/decode-protocol.ts';
import type { DecodedImage, PatchedPicture } from '../../worker/protocol/decoded-media.ts';
import { WorkerLostError } from '../children/worker-errors.ts';
import { DECODE_LIMITS } from '../decode/decode-limits.ts';
import type { AnalysisSlot } from '../decode/decode-slot.ts';
import { placeOriginal } from '../decode/place-original.ts';
import type { AnalysisParts, Attempt } from './analysis-parts.ts';
import { judgeAxes, openAxes } from './axes.ts';
import type { Axis } from './axis.ts';
import { toProbabilities, toStabilityVariant } from './calibration.ts';
import { isOfCopy, type PlannedSet, planPatchSets, requestsOf } from './image-patches.ts';
import {
  type Answer,
  findMap,
  imagePacksOf,
  inferPatches,
  type QueuedPack,
  StepCount,
  toImageRuns,
} from './image-runs.ts';
import { type DecidingPicture, judgeAnimation, setsOf } from './judge-animation.ts';
import { timed } from './timed-parts.ts';

export async function analyseImage(parts: AnalysisParts, attempt: Attempt): Promise<ImageResult> {
  const { signal } = attempt;
  return await parts.decodePool.run('analysis', (slot) => analyseInSlot(parts, attempt, slot), { signal });
}

async function analyseInSlot(
  parts: AnalysisParts,
  attempt: Attempt,
  slot: AnalysisSlot,
): Promise<ImageResult> {
  const { analysis, signal, report } = attempt;
  const packs = imagePacksOf(analysis.models, parts.findPack);
  const { withHeatmap } = analysis.options;
  const usable = packs.flatMap(({ found }) => found?.pack ?? []);
  const wholePlan = planPatchSets(usable, { withMap: withHeatmap, withStability: parts.stability });
  const plan = wholePlan.filter((set) => !isOfCopy(set));
  const copies = wholePlan.filter(isOfCopy);
  const axes = openAxes(analysis, parts.findPack, 'picture');
  const drawings = plan.filter(({ purpose }) => purpose === 'map');
  const steps = new StepCount([...wholePlan, ...drawings, ...axes].length, report);
  const input = await timed(parts, 'copy', () =>
    placeOriginal(slot, parts.store.blobs, { hash: analysis.hash, signal }),
  );

  const keepsPicture = copies.length > 0;
  const work = { input, plan, axes, steps, keepsPicture };
  const { image, answers } = await decodeAndInfer(parts, attempt, slot, work);
  const deciding = await judgeAnimation(parts, attempt, slot, { input, image, answers, packs, plan });
  const judged = { deciding, packs, plan: copies, steps };
  const { variants: stability, notNeeded } = await judgeCopies(parts, attempt, slot, judged);
  const map = findMap(deciding.answers, deciding.runs);
  if (map !== undefined) {
    await timed(parts, 'heatmap', () =>
      drawHeatmap(parts, attempt, slot, { ...deciding, map, name: HEATMAPS.origin.file }),
    );
  }
  if (drawings.length > 0) steps.advance('heatmap');
  const whole = { slot, input, folder: 'in', picture: image, axes } as const;
  const found = await judgeAxes(parts, attempt, whole, ({ step }) => steps.advance(step));
  if (image.likeness !== null) attempt.seen({ likeness: image.likeness, timeSeconds: null });
  const { mime, width, height, pages, provenance, marks, quality } = image;
  const { animation } = deciding;
  return {
    kind: 'image',
    mime,
    width,
    height,
    pages,
    ...(animation === undefined ? {} : { animation }),
    ...found,
    runs: [...deciding.runs, ...found.runs],
    provenance,
    stability,
    quality,
    hasHeatmap: map !== undefined,
    marks,
    ...(notNeeded.length === 0 ? {} : { copiesNotNeeded: notNeeded }),
  };
}

type DecodeImageWork = Omit<DecodeImageRequest, 'id'>;

interface WorkInChild {
  input: string;
  plan: PlannedSet[];
  axes: readonly Axis[];
  steps: StepCount;
  keepsPicture: boolean;
}

/** The models begin once the patches are cut, since the rest of the child's reading takes about as long as they do. */
async function decodeAndInfer(
  parts: AnalysisParts,
  { signal }: Attempt,
  slot: AnalysisSlot,
  { input, plan, axes, steps, keepsPicture }: WorkInChild,
): Promise<{ image: DecodedImage; answers: Answer[] }> {
  let inferring: Promise<Answer[]> | undefined;
  let inferred: Promise<unknown> = Promise.resolve();
  const onPatched = (picture: PatchedPicture) => {
    inferring ??= timed(parts, 'infer', () =>
      inferPatches(parts, slot, { picture, plan, signal }, () => steps.advance('models')),
    );
    inferred = Promise.allSettled([inferring]);
  };
  const { trust } = parts;
  const work: DecodeImageWork = {
    type: 'decode-image',
    input,
    limits: DECODE_LIMITS,
    trust,
    patchSets: [...requestsOf(plan), ...axes.flatMap(({ patchSets = [] }) => patchSets)],
    viewSets: axes.flatMap(({ viewSets = [] }) => viewSets),
    frameSets: requestsOf(setsOf(plan, 'origin')),
    keepsPicture,
  };
  try {
    const { image } = await timed(parts, 'decode', () =>
      slot.request(work, { signal, onProgress: (progress) => steps.decoding(progress), onPatched }),
    );
    steps.decoded();
    if (inferring === undefined) throw new WorkerLostError('broken', 'the decoder reported no patches');
    return { image, answers: await inferring };
  } finally {
    // The models may still read files that vanish with the slot.
    await inferred;
  }
}

export async function drawHeatmap(
  { store }: AnalysisParts,
  { analysis, signal }: Attempt,
  slot: AnalysisSlot,
  {
    input,
    folder,
    map,
    name,
  }: Pick<RenderHeatmapRequest, 'input' | 'folder'> & { map: Answer; name: string },
): Promise<void> {
  const { planned, set, logits } = map;
  await slot.request(
    {
      type: 'render-heatmap',
      input,
      folder,
      limits: DECODE_LIMITS,
      output: name,
      size: set.size,
      positions: set.positions,
      layer: 'origin',
      probabilities: toProbabilities(planned.pack, logits),
    },
    { signal },
  );
  using drawn = slot.openOut(name);
  await store.artifacts.put(analysis.id, name, drawn);
}

interface CopiesToJudge {
  deciding: DecidingPicture;
  packs: readonly QueuedPack<ImagePack>[];
  /** The sets of all copies. */
  plan: readonly PlannedSet[];
  steps: StepCount;
}

interface JudgedCopies {
  variants: StabilityVariant[];
  notNeeded: StabilityVariantName[];
}

/** Judges recompressed and scaled copies of a picture that could change its answer. */
async function judgeCopies(
  parts: AnalysisParts,
  { signal }: Attempt,
  slot: AnalysisSlot,
  { deciding, packs, plan, steps }: CopiesToJudge,
): Promise<JudgedCopies> {
  const { input, folder, picture, runs: originRuns } = deciding;
  // Without an answer of a model there is nothing for a copy to change.
  const isAsked = plan.length > 0 && usableRuns(originRuns).length > 0;
  const notNeeded = isAsked ? findClear(packs, originRuns) : [];
  const needed = (isAsked ? plan : []).filter(({ purpose }) => !notNeeded.some((name) => name === purpose));
  for (let skipped = needed.length; skipped < plan.length; skipped++) steps.advance('models');
  if (needed.length === 0) return { variants: [], notNeeded };
  const patchSets = await timed(parts, 'decode', async () => {
    const work = {
      type: 'copy-patches',
      input,
      folder,
      limits: DECODE_LIMITS,
      patchSets: requestsOf(needed),
    } as const;
    return (await slot.request(work, { signal })).sets;
  });
  const copies = { ...picture, patchSets };
  const answers = await timed(parts, 'infer', () =>
    inferPatches(parts, slot, { picture: copies, plan: needed, signal }, () => steps.advance('models')),
  );
  const known = packs.filter(({ found }) => found !== undefined);
  const variants = STABILITY_VARIANTS.flatMap(
    (name) => toStabilityVariant(name, toImageRuns(known, copies, answers, name)) ?? [],
  );
  return { variants, notNeeded };
}

/** Kinds of copies that cannot change the answer's side. */
function findClear(
  packs: readonly QueuedPack<ImagePack>[],
  originRuns: readonly ModelRun[],
): StabilityVariantName[] {
  const answers = packs.flatMap(({ key, found }) => {
    const run = originRuns.find(({ model, version }) => `${model}@${version}` === key);
    return run === undefined ? [] : [{ run, reach: found?.pack.stability }];
  });
  return STABILITY_VARIANTS.filter((variant) => isClear(answers, variant));
}
