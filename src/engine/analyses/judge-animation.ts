/** The most suspicious of a few frames decides, as in films, since a generated part may follow an innocent first frame. */
import type { ImagePack } from '../../domain/packs/model-pack.ts';
import { probabilityOf } from '../../domain/verdicts/heuristics.ts';
import type { ImageResult, ModelRun } from '../../domain/verdicts/result.ts';
import type { CutViewsRequest } from '../../worker/protocol/decode-protocol.ts';
import type { AnimationFrame, DecodedImage } from '../../worker/protocol/decoded-media.ts';
import { DECODE_LIMITS } from '../decode/decode-limits.ts';
import type { AnalysisSlot } from '../decode/decode-slot.ts';
import { type AnalysisParts, type Attempt, settled } from './analysis-parts.ts';
import { type PlannedSet, requestsOf } from './image-patches.ts';
import { type Answer, inferPatches, type Patched, type QueuedPack, toImageRuns } from './image-runs.ts';

/** The picture by which an origin is judged, and where the decode child finds it again. */
export interface DecidingPicture extends Pick<CutViewsRequest, 'input' | 'folder'> {
  picture: Patched;
  answers: Answer[];
  runs: ModelRun[];
  animation?: ImageResult['animation'];
}

export interface AnimationWork {
  input: string;
  image: DecodedImage;
  /** Answers for the first frame. */
  answers: Answer[];
  packs: readonly QueuedPack<ImagePack>[];
  /** Without the sets of copies. */
  plan: readonly PlannedSet[];
}

export async function judgeAnimation(
  parts: AnalysisParts,
  { signal }: Attempt,
  slot: AnalysisSlot,
  { input, image, answers, packs, plan }: AnimationWork,
): Promise<DecidingPicture> {
  const runs = toImageRuns(packs, image, answers, 'origin');
  const first: DecidingPicture = { input, folder: 'in', picture: image, answers, runs };
  if (image.frames.length === 0) return first;
  const origin = setsOf(plan, 'origin');
  const judgeFrame = async (frame: AnimationFrame) => {
    const found = await inferPatches(parts, slot, { picture: frame, plan: origin, signal }, () => {});
    return { frame, found, runs: toImageRuns(packs, frame, found, 'origin') };
  };
  const judging = image.frames.map(judgeFrame);
  const judged = await settled(judging);
  const frames = [1, ...image.frames.map(({ number }) => number)];
  const suspicion = (one: { runs: ModelRun[] }) => probabilityOf(one.runs) ?? 0;
  const [worst] = judged.toSorted((one, other) => suspicion(other) - suspicion(one));
  if (worst === undefined || suspicion(worst) <= suspicion(first))
    return { ...first, animation: { frames, decides: 1 } };
  const { frame } = worst;
  const place = { input: frame.file, folder: 'out' } as const;
  const drawn = setsOf(plan, 'map');
  const work = {
    type: 'copy-patches',
    ...place,
    limits: DECODE_LIMITS,
    patchSets: requestsOf(drawn),
  } as const;
  const picture =
    drawn.length === 0 ? frame : { ...frame, patchSets: (await slot.request(work, { signal })).sets };
  const map = await inferPatches(parts, slot, { picture, plan: drawn, signal }, () => {});
  const deciding = { ...place, picture: frame, answers: [...worst.found, ...map], runs: worst.runs };
  return { ...deciding, animation: { frames, decides: frame.number } };
}

export function setsOf(plan: readonly PlannedSet[], wanted: PlannedSet['purpose']): PlannedSet[] {
  return plan.filter(({ purpose }) => purpose === wanted);
}
