/** Judges recompressed and scaled copies of a picture that could change its answer. */
import { STABILITY_VARIANTS, type StabilityVariantName } from '../../domain/media/stability.ts';
import type { ImagePack } from '../../domain/packs/model-pack.ts';
import { isClear } from '../../domain/packs/stability-reach.ts';
import { usableRuns } from '../../domain/verdicts/heuristics.ts';
import type { ModelRun, StabilityVariant } from '../../domain/verdicts/result.ts';
import { DECODE_LIMITS } from '../decode/decode-limits.ts';
import type { AnalysisSlot } from '../decode/decode-slot.ts';
import type { AnalysisParts, Attempt } from './analysis-parts.ts';
import { toStabilityVariant } from './calibration.ts';
import { type PlannedSet, requestsOf } from './image-patches.ts';
import { inferPatches, type QueuedPack, type StepCount, toImageRuns } from './image-runs.ts';
import type { DecidingPicture } from './judge-animation.ts';
import { timed } from './timed-parts.ts';

export interface CopiesToJudge {
  deciding: DecidingPicture;
  packs: readonly QueuedPack<ImagePack>[];
  /** The sets of all copies. */
  plan: readonly PlannedSet[];
  steps: StepCount;
}

export interface JudgedCopies {
  variants: StabilityVariant[];
  notNeeded: StabilityVariantName[];
}

export async function judgeCopies(
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
