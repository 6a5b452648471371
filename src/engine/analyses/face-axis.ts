/** Judges each face of a picture; the picture is as suspicious as its worst face. */
import { placeViews, type View } from '../../domain/media/views.ts';
import {
  type FaceDetectorPack,
  type FacePack,
  isFaceDetectorPack,
  isFacePack,
  packKey,
} from '../../domain/packs/model-pack.ts';
import { type Face, findFaces } from '../../domain/verdicts/faces.ts';
import type { ModelRun } from '../../domain/verdicts/result.ts';
import { DECODE_LIMITS } from '../decode/decode-limits.ts';
import type { Inference } from '../inference/inference-process.ts';
import type { AnalysisParts } from './analysis-parts.ts';
import {
  assertAsked,
  inferViews,
  type JudgedPicture,
  type OpenAxis,
  type PictureOfViews,
  packsOf,
  toViewSet,
} from './axis.ts';
import { toAnsweredRun, toUnknownRun } from './calibration.ts';
import type { InferParts } from './image-runs.ts';

export const faces: OpenAxis = (usable, _kind, { withMorphing }) => {
  const detector = packsOf(usable, isFaceDetectorPack).at(-1);
  const packs = packsOf(usable, isFacePack);
  // The detector may be loaded for a choice of frames alone.
  if (detector === undefined || !withMorphing) return null;
  return {
    step: 'faces',
    time: 'content',
    asksChild: true,
    viewSets: [toViewSet(detector)],
    async judge(parts, { signal }, work) {
      const found = await detectFaces(parts, { ...work, signal }, detector);
      const detections = found.map(({ box }) => ({ box, runs: [] as ModelRun[] }));
      const runs: ModelRun[] = [];
      for (const pack of packs) {
        const answers = await judgeWith(parts, { ...work, signal }, { pack, faces: found });
        for (const [index, run] of answers.entries()) detections[index]?.runs.push(run);
        runs.push(mostSuspicious(answers) ?? toUnknownRun(pack, 'no_face'));
      }
      return { detections, runs };
    },
  };
};

/** The surest first. */
export async function detectFaces(
  parts: InferParts,
  work: PictureOfViews,
  pack: FaceDetectorPack,
): Promise<Face[]> {
  const { picture } = work;
  const { logits } = await inferViews(parts, work, pack);
  return findFaces(logits, placeViews(picture.width, picture.height, pack.view), picture, {
    ...pack.output,
    size: pack.view.size,
  });
}

/** One run per face; a face too small for the model is not judged. */
async function judgeWith(
  { inference, inferTimeoutMs }: Pick<AnalysisParts, 'inference' | 'inferTimeoutMs'>,
  { slot, picture, input, folder, signal }: JudgedPicture & { signal: AbortSignal },
  { pack, faces }: { pack: FacePack; faces: readonly Face[] },
): Promise<ModelRun[]> {
  const { size, margin } = pack.view;
  const large = faces.filter((face) => sideOf(face) >= pack.minimumFaceSide);
  let inferred: Inference = { logits: new Float32Array(0), elapsedMs: 0, waitedMs: 0, device: '' };
  if (large.length > 0) {
    const views = large.map((face) => viewOf(face, margin, picture));
    const cut = { type: 'cut-views', kernel: 'linear', limits: DECODE_LIMITS, input, folder } as const;
    const { set } = await slot.request({ ...cut, name: `face-${pack.id}`, size, views }, { signal });
    assertAsked(set, size, views.length);
    const patches = { pack: packKey(pack), path: slot.outPath(set.file), count: views.length };
    inferred = await inference.infer(patches, { signal, timeoutMs: inferTimeoutMs });
  }
  const share = { elapsedMs: inferred.elapsedMs / Math.max(1, large.length), device: inferred.device };
  return faces.map((face) => {
    const at = large.indexOf(face);
    if (at >= 0) return toAnsweredRun(pack, { logits: inferred.logits.subarray(at, at + 1), ...share });
    return toUnknownRun(pack, 'small_face', { side: sideOf(face), needed: pack.minimumFaceSide });
  });
}

function mostSuspicious(runs: readonly ModelRun[]): ModelRun | undefined {
  const answered = runs.filter(({ unknown }) => !unknown);
  if (answered.length === 0) return runs[0];
  return answered.reduce((most, run) => ((run.logOdds ?? 0) > (most.logOdds ?? 0) ? run : most));
}

function sideOf({ box }: Face): number {
  return Math.min(box.x2 - box.x1, box.y2 - box.y1);
}

/** A square around the face, moved into the picture: black borders would show how tightly a portrait was cut. */
export function viewOf(
  { box }: Pick<Face, 'box'>,
  margin: number,
  { width, height }: { width: number; height: number },
): View {
  const wanted = Math.round(Math.max(box.x2 - box.x1, box.y2 - box.y1) * margin);
  const side = Math.max(1, Math.min(wanted, width, height));
  const place = (centre: number, length: number) =>
    Math.max(0, Math.min(Math.round(centre - side / 2), length - side));
  return {
    x: place((box.x1 + box.x2) / 2, width),
    y: place((box.y1 + box.y2) / 2, height),
    width: side,
    height: side,
  };
}
