/**
 * The analysis of one picture: a decode child reads it and cuts patches, the models answer for each set of them,
 * and the heatmap is drawn where it was asked for. The slot is held throughout, since the patches lie in it.
 */
import type { Analysis, Progress } from '../domain/classification.ts';
import { PIXELS_MAX, SIDE_PIXELS_MAX } from '../domain/limits.ts';
import { type ModelPack, packKey } from '../domain/model-pack.ts';
import type { ImageResult, ModelRun, StabilityVariant } from '../domain/result.ts';
import type { Store } from '../store/store.ts';
import { type DecodedImage, type PatchSet, STABILITY_VARIANTS } from '../worker/protocol.ts';
import {
  toAnsweredRun,
  toMissingRun,
  toProbabilities,
  toStabilityVariant,
  toUnknownRun,
} from './calibration.ts';
import type { DecodePool } from './decode-pool.ts';
import type { DecodeSlot } from './decode-slot.ts';
import { findPatchSet, type PatchPurpose, type PlannedSet, planPatchSets } from './image-patches.ts';
import type { InferencePool } from './inference-pool.ts';
import type { InstalledPack } from './packs.ts';

export const HEATMAP_NAME = 'heatmap.png';
export const DECODE_LIMITS = { pixelsMax: PIXELS_MAX, sidePixelsMax: SIDE_PIXELS_MAX } as const;

export interface ImageParts {
  store: Pick<Store, 'blobs' | 'artifacts'>;
  decodePool: Pick<DecodePool, 'run'>;
  inference: Pick<InferencePool, 'infer'>;
  /** The usable pack with the key. */
  findPack: (key: string) => InstalledPack | undefined;
  trustAnchorsPem: string;
  stability: boolean;
  /** A model process that answered nobody for so long is taken for hung. */
  inferTimeoutMs: number;
  stepTimed: (step: string, seconds: number) => void;
}

/** One attempt at an analysis. */
export interface Attempt {
  analysis: Analysis;
  signal: AbortSignal;
  report: (progress: Progress) => void;
}

/** Counts the steps of one attempt, so that a bar only grows: the decode child's own, one per set, the heatmap. */
interface StepCount {
  decode: number;
  rest: number;
}

interface Answer {
  planned: PlannedSet;
  set: PatchSet;
  logits: Float32Array;
  elapsedMs: number;
}

export async function analyseImage(parts: ImageParts, attempt: Attempt): Promise<ImageResult> {
  const { signal } = attempt;
  return await parts.decodePool.run('analysis', (slot) => analyseInSlot(parts, attempt, slot), { signal });
}

async function analyseInSlot(parts: ImageParts, attempt: Attempt, slot: DecodeSlot): Promise<ImageResult> {
  const { analysis } = attempt;
  const installed = analysis.models.map((key) => ({ key, found: parts.findPack(key) }));
  const packs = installed.flatMap(({ found }) => (found === undefined ? [] : [found.pack]));
  const { withHeatmap } = analysis.options;
  const plan = planPatchSets(packs, { withMap: withHeatmap, withStability: parts.stability });
  const steps: StepCount = { decode: 0, rest: plan.length + (withHeatmap ? 1 : 0) };
  const input = await slot.placeInput(parts.store.blobs.pathOf(analysis.hash));

  const image = await timed(parts, 'decode', () => decode(parts, attempt, slot, { input, plan, steps }));
  const answers = await timed(parts, 'infer', () => inferAll(parts, attempt, slot, { image, plan, steps }));
  const map = answers.find(({ planned }) => planned.purpose === 'map');
  if (map !== undefined) {
    await timed(parts, 'heatmap', () => drawHeatmap(parts, attempt, slot, { input, map }));
  }

  const { mime, width, height, pages, provenance, quality } = image;
  const runs = installed.map(({ key, found }) =>
    found === undefined ? toMissingRun(key) : toRun(found, image, answers, 'origin'),
  );
  const stability = stabilityOf(installed, image, answers);
  return {
    ...{ kind: 'image', mime, width, height, pages, runs, nsfw: null, detections: [] },
    ...{ provenance, stability, quality, hasHeatmap: map !== undefined },
  };
}

async function timed<T>(parts: ImageParts, step: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  parts.stepTimed(step, (performance.now() - startedAt) / 1000);
  return result;
}

async function decode(
  { trustAnchorsPem }: ImageParts,
  { signal, report }: Attempt,
  slot: DecodeSlot,
  { input, plan, steps }: { input: string; plan: PlannedSet[]; steps: StepCount },
): Promise<DecodedImage> {
  const patchSets = plan.map(({ request }) => request);
  const { image } = await slot.request(
    { type: 'decode-image', input, limits: DECODE_LIMITS, trustAnchorsPem, patchSets },
    {
      signal,
      onProgress({ step, done, total }) {
        steps.decode = total;
        report({ step, done, total: total + steps.rest });
      },
    },
  );
  return image;
}

async function inferAll(
  { inference, inferTimeoutMs }: ImageParts,
  { signal, report }: Attempt,
  slot: DecodeSlot,
  { image, plan, steps }: { image: DecodedImage; plan: PlannedSet[]; steps: StepCount },
): Promise<Answer[]> {
  const made = plan.flatMap((planned) => {
    const set = findPatchSet(image, planned);
    const isAnswered = set !== undefined && isLargeEnough(planned.pack, image);
    return isAnswered ? [{ planned, set, path: slot.outPath(set.file) }] : [];
  });
  let done = steps.decode;
  const work = made.map(async ({ planned, set, path }) => {
    const patches = { pack: packKey(planned.pack), path, count: set.positions.length };
    const answer = await inference.infer(patches, { signal, timeoutMs: inferTimeoutMs });
    done += 1;
    report({ step: 'models', done, total: steps.decode + steps.rest });
    return { planned, set, logits: answer.logits, elapsedMs: answer.elapsedMs };
  });
  // Waits for all even where one fails: their files vanish with the slot.
  await Promise.allSettled(work);
  return await Promise.all(work);
}

function isLargeEnough({ minimumShortSide }: ModelPack, { width, height }: DecodedImage): boolean {
  return Math.min(width, height) >= minimumShortSide;
}

function toRun(
  { pack, report }: InstalledPack,
  image: DecodedImage,
  answers: readonly Answer[],
  purpose: PatchPurpose,
): ModelRun {
  const answer = answers.find(({ planned }) => planned.pack === pack && planned.purpose === purpose);
  if (answer !== undefined) return toAnsweredRun(pack, { ...answer, device: report?.provider ?? '' });
  const needed = Math.max(pack.minimumShortSide, pack.view.size);
  const { width, height } = image;
  return toUnknownRun(
    pack,
    `The picture has ${width} × ${height} pixels; the model needs ${needed} on the short side.`,
  );
}

function stabilityOf(
  installed: readonly { found: InstalledPack | undefined }[],
  image: DecodedImage,
  answers: readonly Answer[],
): StabilityVariant[] {
  return STABILITY_VARIANTS.flatMap((name) => {
    const runs = installed.flatMap(({ found }) =>
      found === undefined ? [] : [toRun(found, image, answers, name)],
    );
    return toStabilityVariant(name, runs) ?? [];
  });
}

async function drawHeatmap(
  { store }: ImageParts,
  { analysis, signal }: Attempt,
  slot: DecodeSlot,
  { input, map: { planned, set, logits } }: { input: string; map: Answer },
): Promise<void> {
  await slot.request(
    {
      ...{ type: 'render-heatmap', input, limits: DECODE_LIMITS, output: HEATMAP_NAME },
      ...{ size: set.size, positions: set.positions },
      probabilities: toProbabilities(planned.pack, logits),
    },
    { signal },
  );
  await store.artifacts.put(analysis.id, HEATMAP_NAME, slot.outPath(HEATMAP_NAME));
}
