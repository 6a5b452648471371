/** What the packs that look at a picture's content say of it: a probability of NSFW, and each face with its verdicts. */

import { placeViews, type View } from '../../domain/media/views.ts';
import {
  type FaceDetectorPack,
  type FacePack,
  type NsfwPack,
  packKey,
} from '../../domain/packs/model-pack.ts';
import { type Face, findFaces } from '../../domain/verdicts/faces.ts';
import type { Detection, ModelRun } from '../../domain/verdicts/result.ts';
import type { PatchSet } from '../../worker/protocol/decoded-media.ts';
import { WorkerLostError } from '../children/worker-errors.ts';
import type { AnalysisSlot } from '../decode/decode-slot.ts';
import type { Inference } from '../inference/inference-process.ts';
import { type ContentPacks, type Found, toViewSet } from '../packs/content-packs.ts';
import { toAnsweredRun, toUnknownRun } from './calibration.ts';
import type { InferParts, Patched } from './image-runs.ts';

export interface ContentWork {
  picture: Patched;
  packs: ContentPacks;
  signal: AbortSignal;
}

/** Cuts squares of the picture that was analysed, scaled to a size; the answer lies in the slot. */
export type CutFaces = (request: { name: string; size: number; views: View[] }) => Promise<PatchSet>;

export interface JudgedFaces {
  detections: Detection[];
  /** One per face model, for the picture as a whole. */
  runs: ModelRun[];
}

const NO_FACE = 'No face was found.';

/** The least safe answer of the packs; null if none was asked. */
export async function measureNsfw(
  parts: InferParts,
  slot: Pick<AnalysisSlot, 'outPath'>,
  { picture, packs, signal }: ContentWork,
): Promise<number | null> {
  const answers = packs.nsfw.map(async ({ pack }) => {
    const { logits } = await inferViews(parts, slot, { picture, pack, signal });
    return toNsfw(pack, logits);
  });
  await Promise.allSettled(answers);
  const probabilities = await Promise.all(answers);
  return probabilities.length === 0 ? null : Math.max(...probabilities);
}

function toNsfw({ id, output }: NsfwPack, values: Float32Array): number {
  const sum = output.labels.reduce(
    (total, label, index) =>
      output.positive.includes(label) ? total + (values[index] ?? Number.NaN) : total,
    0,
  );
  if (Number.isNaN(sum)) throw new Error(`the model ${id} gave no number`);
  return Math.min(1, Math.max(0, sum));
}

/** Finds the faces and asks the face models for each. */
export async function judgeFaces(
  parts: InferParts,
  slot: Pick<AnalysisSlot, 'outPath'>,
  work: ContentWork,
  cut: CutFaces,
): Promise<JudgedFaces> {
  const { picture, packs, signal } = work;
  if (packs.detector === null) return { detections: [], runs: [] };
  const faces = await detectFaces(parts, slot, { picture, pack: packs.detector.pack, signal });
  const detections: Detection[] = faces.map(({ box }) => ({ box, runs: [] }));
  const runs: ModelRun[] = [];
  for (const found of packs.faces) {
    const answers = await judgeWith(parts, slot, { ...work, found, faces }, cut);
    for (const [index, run] of answers.entries()) detections[index]?.runs.push(run);
    runs.push(mostSuspicious(answers) ?? toUnknownRun(found.pack, NO_FACE));
  }
  return { detections, runs };
}

/** The surest first. */
export async function detectFaces(
  parts: InferParts,
  slot: Pick<AnalysisSlot, 'outPath'>,
  { picture, pack, signal }: { picture: Patched; pack: FaceDetectorPack; signal: AbortSignal },
): Promise<Face[]> {
  const { logits } = await inferViews(parts, slot, { picture, pack, signal });
  return findFaces(logits, placeViews(picture.width, picture.height, pack.view), picture, {
    ...pack.output,
    size: pack.view.size,
  });
}

/** One run per face; a face too small for the model is not judged. */
async function judgeWith(
  { inference, inferTimeoutMs }: InferParts,
  slot: Pick<AnalysisSlot, 'outPath'>,
  { picture, found, faces, signal }: ContentWork & { found: Found<FacePack>; faces: readonly Face[] },
  cut: CutFaces,
): Promise<ModelRun[]> {
  const { pack } = found;
  const { size, margin } = pack.view;
  const large = faces.filter((face) => sideOf(face) >= pack.minimumFaceSide);
  let inferred: Inference = { logits: new Float32Array(0), elapsedMs: 0, waitedMs: 0, device: '' };
  if (large.length > 0) {
    const views = large.map((face) => viewOf(face, margin, picture));
    const set = await cut({ name: `face-${pack.id}`, size, views });
    assertAsked(set, size, views.length);
    const patches = { pack: packKey(pack), path: slot.outPath(set.file), count: views.length };
    inferred = await inference.infer(patches, { signal, timeoutMs: inferTimeoutMs });
  }
  const share = { elapsedMs: inferred.elapsedMs / Math.max(1, large.length), device: inferred.device };
  return faces.map((face) => {
    const at = large.indexOf(face);
    if (at >= 0) return toAnsweredRun(pack, { logits: inferred.logits.subarray(at, at + 1), ...share });
    const needed = `the model needs ${pack.minimumFaceSide}`;
    return toUnknownRun(pack, `The face has ${sideOf(face)} pixels on its short side; ${needed}.`);
  });
}

export function mostSuspicious(runs: readonly ModelRun[]): ModelRun | undefined {
  const answered = runs.filter(({ unknown }) => !unknown);
  if (answered.length === 0) return runs[0];
  return answered.reduce((most, run) => ((run.logOdds ?? 0) > (most.logOdds ?? 0) ? run : most));
}

function sideOf({ box }: Face): number {
  return Math.min(box.x2 - box.x1, box.y2 - box.y1);
}

/**
 * A square around the face, moved into the picture if it reaches beyond an edge, and smaller if the picture is:
 * black that the camera did not see would show a model how tightly a portrait was cut.
 */
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

async function inferViews(
  { inference, inferTimeoutMs }: InferParts,
  slot: Pick<AnalysisSlot, 'outPath'>,
  { picture, pack, signal }: { picture: Patched; pack: NsfwPack | FaceDetectorPack; signal: AbortSignal },
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

/** The child has read hostile bytes: other work than was asked for would be without bound. */
function assertAsked(set: PatchSet, size: number, count: number): void {
  if (set.size !== size || set.positions.length !== count)
    throw new WorkerLostError('broken', 'the decoder made other views than it was asked for');
}
