/** What the image models say of a decoded picture or frame: one request per set of patches, one run per model. */
import { type MediumChances, toMediumChances } from '../../domain/media/medium.ts';
import { poolViews, refuseTexture } from '../../domain/media/resized-view.ts';
import { type ImagePack, imageOutputLength, isImagePack, packKey } from '../../domain/packs/model-pack.ts';
import type { Progress } from '../../domain/records/classification.ts';
import type { ProgressStep } from '../../domain/records/progress-steps.ts';
import { boundedByMedium } from '../../domain/verdicts/pack-bounds.ts';
import type { ModelRun } from '../../domain/verdicts/result.ts';
import type { DecodedFrame, DecodedImage, PatchSet } from '../../worker/protocol/decoded-media.ts';
import type { AnalysisSlot } from '../decode/decode-slot.ts';
import type { InferencePool } from '../inference/inference-pool.ts';
import type { InstalledPack } from '../packs/installed-packs.ts';
import { settled } from './analysis-parts.ts';
import { mean, toAnsweredRun, toMissingRun, toPlaceSpread, toUnknownRun } from './calibration.ts';
import { findPatchSet, type PatchPurpose, type PlannedSet } from './image-patches.ts';

export type Patched = Pick<DecodedImage | DecodedFrame, 'width' | 'height' | 'patchSets'>;

/** A pack that the analysis was queued for; `found` is undefined if it is not usable any more. */
export interface QueuedPack<P> {
  key: string;
  found: (InstalledPack & { pack: P }) | undefined;
}

export interface Answer {
  planned: PlannedSet;
  set: PatchSet;
  logits: Float32Array;
  /** What the picture is of; undefined if the pack does not say. */
  media: MediumChances | undefined;
  elapsedMs: number;
  device: string;
}

export interface InferParts {
  inference: Pick<InferencePool, 'infer'>;
  inferTimeoutMs: number;
}

/** The image packs among the keys; one that is gone counts as one, since nothing shows what it was. */
export function imagePacksOf(
  keys: readonly string[],
  findPack: (key: string) => InstalledPack | undefined,
): QueuedPack<ImagePack>[] {
  return keys.flatMap((key): QueuedPack<ImagePack>[] => {
    const found = findPack(key);
    if (found === undefined) return [{ key, found }];
    const { pack } = found;
    return isImagePack(pack) ? [{ key, found: { ...found, pack } }] : [];
  });
}

export function framePacksOf(
  keys: readonly string[],
  findPack: (key: string) => InstalledPack | undefined,
): QueuedPack<ImagePack>[] {
  return imagePacksOf(keys, findPack).map(({ key, found }) => ({
    key,
    found: found && { ...found, pack: boundedForFrames(found.pack) },
  }));
}

/** Asks for every set that was made; `onDone` after each. */
export async function inferPatches(
  { inference, inferTimeoutMs }: InferParts,
  slot: Pick<AnalysisSlot, 'outPath'>,
  { picture, plan, signal }: { picture: Patched; plan: readonly PlannedSet[]; signal: AbortSignal },
  onDone: () => void,
): Promise<Answer[]> {
  const made = plan.flatMap((planned) => {
    const set = findPatchSet(picture, planned);
    const isAnswered = set !== undefined && isLargeEnough(planned.pack, picture);
    return isAnswered ? [{ planned, set, path: slot.outPath(set.file) }] : [];
  });
  const work = made.map(async ({ planned, set, path }) => {
    const patches = { pack: packKey(planned.pack), path, count: set.positions.length };
    const { logits, elapsedMs, device } = await inference.infer(patches, {
      signal,
      timeoutMs: inferTimeoutMs,
    });
    onDone();
    return { planned, set, ...splitMedia(planned.pack, logits), elapsedMs, device };
  });
  return await settled(work);
}

/** The model puts out one logit for the origin of each patch, one for each medium, and it may end in one for frames; this separates them. */
export function splitMedia(pack: ImagePack, values: Float32Array): Pick<Answer, 'logits' | 'media'> {
  const length = imageOutputLength(pack);
  const column = (at: number) => values.filter((_, index) => index % length === at);
  const { media, readsLastLogit } = pack;
  return {
    logits: column(readsLastLogit === true ? length - 1 : 0),
    media:
      media &&
      toMediumChances(
        media,
        media.map((_, index) => mean(column(1 + index))),
      ),
  };
}

function isLargeEnough({ minimumShortSide }: ImagePack, { width, height }: Patched): boolean {
  return Math.min(width, height) >= minimumShortSide;
}

export function toImageRuns(
  packs: readonly QueuedPack<ImagePack>[],
  picture: Patched,
  answers: readonly Answer[],
  purpose: PatchPurpose,
): ModelRun[] {
  return packs.map(({ key, found }) =>
    found === undefined ? toMissingRun(key, 'image-origin') : toRun(found, picture, answers, purpose),
  );
}

function toRun(
  { pack }: { pack: ImagePack },
  { width, height }: Patched,
  answers: readonly Answer[],
  purpose: PatchPurpose,
): ModelRun {
  const answer = answers.find(({ planned }) => planned.pack === pack && planned.purpose === purpose);
  const { view, refusal, minimumShortSide } = pack;
  if (answer !== undefined) {
    const { media, set } = answer;
    const seen = media === undefined ? {} : { media };
    const bounded = boundedByMedium(pack, media);
    const { texture } = set;
    const silence = refusal === undefined || texture === undefined ? null : refuseTexture(refusal, texture);
    if (silence !== null) return { ...toUnknownRun(bounded, silence), ...seen };
    const logits = view.type === 'resized' ? Float32Array.of(poolViews(view, answer.logits)) : answer.logits;
    const run = toAnsweredRun(bounded, { ...answer, logits });
    const places = run.unknown ? null : toPlaceSpread(pack, logits);
    return { ...run, ...seen, ...(places === null ? {} : { places }) };
  }
  const needed = view.type === 'resized' ? minimumShortSide : Math.max(minimumShortSide, view.size);
  return toUnknownRun(pack, 'too_small', { width, height, needed });
}

/** What the map is drawn from; undefined if its model gave no answer: colours would say what the model does not. */
export function findMap(answers: readonly Answer[], runs: readonly ModelRun[]): Answer | undefined {
  const answered = new Set(runs.flatMap((run) => (run.unknown ? [] : `${run.model}@${run.version}`)));
  return answers.find(({ planned }) => planned.purpose === 'map' && answered.has(packKey(planned.pack)));
}

/** Counts the steps of one attempt, so that a bar only grows. */
export class StepCount {
  readonly #report: (progress: Progress) => void;
  /** Steps beside and after the decoding. */
  readonly #rest: number;
  #decode = 0;
  #decoded = 0;
  #advanced = 0;

  constructor(rest: number, report: (progress: Progress) => void) {
    this.#rest = rest;
    this.#report = report;
  }

  decoding({ step, done, total }: Progress): void {
    this.#decode = total;
    this.#decoded = done;
    this.#reportStep(step);
  }

  decoded(): void {
    this.#decoded = this.#decode;
  }

  advance(step: ProgressStep): void {
    this.#advanced += 1;
    this.#reportStep(step);
  }

  /** So many steps are done; says so in any case, since something was found. */
  reach(step: ProgressStep, count: number): void {
    this.#advanced = Math.max(this.#advanced, count);
    this.#reportStep(step);
  }

  #reportStep(step: ProgressStep): void {
    this.#report({ step, done: this.#decoded + this.#advanced, total: this.#decode + this.#rest });
  }
}

/** The most suspicious frames decide a video, so that bounds of pictures accuse more videos: a pack may judge and bound frames apart. */
export function boundedForFrames(pack: ImagePack): ImagePack {
  const { frames, noPhotograph: _, ...decision } = pack.decision;
  if (frames === undefined) return pack;
  const { line, ...bounds } = frames;
  const bounded = { ...pack, decision: { ...decision, ...bounds } };
  return line === undefined
    ? bounded
    : { ...bounded, calibration: { ...pack.calibration, ...line }, readsLastLogit: true };
}
