/** An axis: a question about a picture or frame beside its origin. Each has a file here, and is a line of `axes.ts`. */
import { placeViews } from '../../domain/media/views.ts';
import {
  type FaceDetectorPack,
  type LabelsPack,
  type ModelPack,
  packKey,
} from '../../domain/packs/model-pack.ts';
import type { ViewAxis } from '../../domain/packs/view-axes.ts';
import type { ProgressStep } from '../../domain/records/progress-steps.ts';
import type { ImageResult } from '../../domain/verdicts/result.ts';
import type {
  CutViewsRequest,
  PatchSetRequest,
  ViewSetRequest,
} from '../../worker/protocol/decode-protocol.ts';
import type { PatchSet } from '../../worker/protocol/decoded-media.ts';
import { WorkerLostError } from '../children/worker-errors.ts';
import type { AnalysisSlot } from '../decode/decode-slot.ts';
import type { Inference } from '../inference/inference-process.ts';
import type { InstalledPack } from '../packs/installed-packs.ts';
import type { AnalysisJob, AnalysisParts, Attempt } from './analysis-parts.ts';
import type { InferParts, Patched } from './image-runs.ts';

/** A picture of its own, or one of a video's many frames, which is looked at less closely. */
export type PictureKind = 'picture' | 'frame';

export interface JudgedPicture extends Pick<CutViewsRequest, 'input' | 'folder'> {
  slot: AnalysisSlot;
  picture: Patched;
}

export type AxisAnswer = Partial<Pick<ImageResult, 'runs' | ViewAxis | 'detections' | 'tampering'>>;

export interface Axis {
  step: ProgressStep;
  /** Name of its step time. */
  time: string;
  /** Whether it asks the decode child again, for which frames wait until all are decoded. */
  asksChild: boolean;
  viewSets?: ViewSetRequest[];
  patchSets?: PatchSetRequest[];
  judge(parts: AnalysisParts, attempt: Attempt, work: JudgedPicture): Promise<AxisAnswer>;
}

/** Null if it was not asked for; `packs` are the usable ones of the analysis. */
export type OpenAxis = (
  packs: readonly InstalledPack[],
  kind: PictureKind,
  options: AnalysisJob['options'],
) => Axis | null;

export function packsOf<P extends ModelPack>(
  packs: readonly InstalledPack[],
  is: (pack: ModelPack) => pack is P,
): P[] {
  return packs.flatMap(({ pack }) => (is(pack) ? [pack] : []));
}

/** The picture's views for the models that take a fixed size. */
export type PictureOfViews = Pick<JudgedPicture, 'slot' | 'picture'> & { signal: AbortSignal };

export function toViewSet(pack: LabelsPack | FaceDetectorPack): ViewSetRequest {
  const { size, fit, levels, kernel } = pack.view;
  return { name: `view-${pack.id}`, layout: { size, fit, levels }, kernel };
}

export async function inferViews(
  { inference, inferTimeoutMs }: InferParts,
  { slot, picture, signal }: PictureOfViews,
  pack: LabelsPack | FaceDetectorPack,
): Promise<Inference> {
  const { name, layout } = toViewSet(pack);
  const count = placeViews(picture.width, picture.height, layout).length;
  const set = picture.patchSets.find((made) => made.name === name);
  if (set === undefined)
    throw new WorkerLostError('broken', `the decoder did not make the views for ${pack.id}`);
  assertAsked(set, layout.size, count);
  const views = { pack: packKey(pack), path: slot.outPath(set.file), count };
  return await inference.infer(views, { signal, timeoutMs: inferTimeoutMs });
}

/** The child has read hostile bytes, so its answer may hold only what was asked for. */
export function assertAsked(set: PatchSet, size: number, count: number): void {
  if (set.size !== size || set.positions.length !== count)
    throw new WorkerLostError('broken', 'the decoder made other views than it was asked for');
}
