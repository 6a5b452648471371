/**
 * The analysis of one picture: a decode child reads it and cuts patches, the models answer for each set of them,
 * and the heatmap is drawn if it was asked for. The slot is held throughout, since the patches lie in it.
 */

import { HEATMAP_FILES } from '../../domain/media/heatmap.ts';
import type { Detection, ImageResult, ModelRun } from '../../domain/verdicts/result.ts';
import type {
  CutViewsRequest,
  DecodeImageRequest,
  PatchSetRequest,
  RenderHeatmapRequest,
  ViewSetRequest,
} from '../../worker/protocol/decode-protocol.ts';
import type { DecodedImage, PatchedPicture, PatchSet } from '../../worker/protocol/decoded-media.ts';
import { WorkerLostError } from '../children/worker-errors.ts';
import { DECODE_LIMITS } from '../decode/decode-limits.ts';
import type { AnalysisSlot } from '../decode/decode-slot.ts';
import { placeOriginal } from '../decode/place-original.ts';
import { type ContentPacks, contentPacksOf, viewSetsOf } from '../packs/content-packs.ts';
import type { AnalysisParts, Attempt } from './analysis-parts.ts';
import { toProbabilities } from './calibration.ts';
import { judgeFaces, measureNsfw } from './content-runs.ts';
import { isOfCopy, type PlannedSet, planPatchSets, requestsOf } from './image-patches.ts';
import { type Answer, findMap, imagePacksOf, inferPatches, StepCount } from './image-runs.ts';
import { judgeAnimation, setsOf } from './judge-animation.ts';
import { judgeCopies } from './judge-copies.ts';
import { lookForEdits } from './tampering-maps.ts';
import { tileSetsOf } from './tampering-runs.ts';
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
  const content = contentPacksOf(analysis.models, parts.findPack);
  const viewSets = viewSetsOf(content);
  const tileSets = tileSetsOf(content.tampering, 'picture');
  const stepCount = wholePlan.length + viewSets.length + tileSets.length + (withHeatmap ? 1 : 0);
  const steps = new StepCount(stepCount, report);
  const input = await timed(parts, 'copy', () =>
    placeOriginal(slot, parts.store.blobs, { hash: analysis.hash, signal }),
  );

  const keepsPicture = copies.length > 0;
  const work = { input, plan, tileSets, viewSets, steps, keepsPicture };
  const { image, answers } = await decodeAndInfer(parts, attempt, slot, work);
  const deciding = await judgeAnimation(parts, attempt, slot, { input, image, answers, packs, plan });
  const judged = { deciding, packs, plan: copies, steps };
  const { variants: stability, notNeeded } = await judgeCopies(parts, attempt, slot, judged);
  const map = findMap(deciding.answers, deciding.runs);
  if (map !== undefined) {
    await timed(parts, 'heatmap', () =>
      drawHeatmap(parts, attempt, slot, { ...deciding, map, name: HEATMAP_FILES.origin }),
    );
  }

  const seen = await timed(parts, 'content', () =>
    seeContent(parts, attempt, slot, { input, image, content, steps }),
  );
  const edits = await timed(parts, 'tampering', () =>
    lookForEdits(parts, attempt, slot, { input, picture: image, packs: content.tampering }),
  );
  if (tileSets.length > 0) steps.advance('tampering');
  if (image.likeness !== null) attempt.seen({ likeness: image.likeness, timeSeconds: null });
  const { mime, width, height, pages, provenance, marks, quality } = image;
  const runs = [...deciding.runs, ...seen.runs, ...edits.runs];
  const { animation } = deciding;
  return {
    kind: 'image',
    mime,
    width,
    height,
    pages,
    ...(animation === undefined ? {} : { animation }),
    runs,
    nsfw: seen.nsfw,
    detections: seen.detections,
    provenance,
    stability,
    quality,
    hasHeatmap: map !== undefined,
    marks,
    ...(notNeeded.length === 0 ? {} : { copiesNotNeeded: notNeeded }),
    ...(edits.summary === undefined ? {} : { tampering: edits.summary }),
  };
}

type DecodeImageWork = Omit<DecodeImageRequest, 'id'>;

interface WorkInChild {
  input: string;
  plan: PlannedSet[];
  tileSets: PatchSetRequest[];
  viewSets: ViewSetRequest[];
  steps: StepCount;
  keepsPicture: boolean;
}

/** The models begin once the patches are cut: what else the child reads of the picture takes about as long as they do. */
async function decodeAndInfer(
  parts: AnalysisParts,
  { signal }: Attempt,
  slot: AnalysisSlot,
  { input, plan, tileSets, viewSets, steps, keepsPicture }: WorkInChild,
): Promise<{ image: DecodedImage; answers: Answer[] }> {
  let inferring: Promise<Answer[]> | undefined;
  let inferred: Promise<unknown> = Promise.resolve();
  const onPatched = (picture: PatchedPicture) => {
    inferring ??= timed(parts, 'infer', () =>
      inferPatches(parts, slot, { picture, plan, signal }, () => steps.advance('models')),
    );
    inferred = Promise.allSettled([inferring]);
  };
  const patchSets = [...requestsOf(plan), ...tileSets];
  const { trust } = parts;
  const work: DecodeImageWork = {
    type: 'decode-image',
    input,
    limits: DECODE_LIMITS,
    trust,
    patchSets,
    viewSets,
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

interface Seen {
  nsfw: number | null;
  detections: Detection[];
  runs: ModelRun[];
}

async function seeContent(
  parts: AnalysisParts,
  { signal }: Attempt,
  slot: AnalysisSlot,
  {
    input,
    image,
    content,
    steps,
  }: { input: string; image: DecodedImage; content: ContentPacks; steps: StepCount },
): Promise<Seen> {
  const work = { picture: image, packs: content, signal };
  const nsfw = await measureNsfw(parts, slot, work);
  if (nsfw !== null) steps.advance('nsfw');
  const judged = await judgeFaces(parts, slot, work, (faces) =>
    cutFaces(slot, { ...faces, folder: 'in', input, signal }),
  );
  if (content.detector !== null) steps.advance('faces');
  return { nsfw, ...judged };
}

interface FacesToCut extends Pick<CutViewsRequest, 'folder' | 'input' | 'name' | 'size' | 'views'> {
  signal: AbortSignal;
}

export async function cutFaces(slot: AnalysisSlot, { signal, ...faces }: FacesToCut): Promise<PatchSet> {
  const request = { type: 'cut-views', kernel: 'linear', limits: DECODE_LIMITS } as const;
  const { set } = await slot.request({ ...request, ...faces }, { signal });
  return set;
}

/** Draws the map of a picture or a frame, and keeps it under the name. */
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
