/** Whether what a worker says of a picture, or of a frame of a video, can be. Pure. */
import { formatOf } from '../../domain/media/formats.ts';
import { HEATMAP_FILES } from '../../domain/media/heatmap.ts';
import type { MediaKind } from '../../domain/media/media.ts';
import { STABILITY_VARIANTS } from '../../domain/media/stability.ts';
import { NO_PROVENANCE, type Provenance } from '../../domain/provenance/provenance.ts';
import { logistic } from '../../domain/verdicts/heuristics.ts';
import type { Detection, ImageResult, ModelRun } from '../../domain/verdicts/result.ts';
import { mostSuspicious } from '../analyses/content-runs.ts';
import { framePacksOf, imagePacksOf } from '../analyses/image-runs.ts';
import { findClear } from '../analyses/judge-copies.ts';
import { type ContentPacks, contentPacksOf } from '../packs/content-packs.ts';
import { agree, isNear, must } from './contradiction.ts';
import { type AskedRun, askOf, askSame, checkRuns } from './judge-runs.ts';
import type { JudgedJob } from './judged-job.ts';

/** Throws a Contradiction. Adds the files that it names. */
export function checkImage(job: JudgedJob, image: ImageResult, files: Set<string>): void {
  const { mime, stability, copiesNotNeeded = [], provenance, marks, hasHeatmap, tampering } = image;
  checkMime('image', mime);
  checkProvenance(provenance);
  must(marks !== undefined, () => 'marks: were not looked for');
  checkPicture('image', job, image);
  checkAnimation(image);
  const names = [...stability.map(({ name }) => name), ...copiesNotNeeded];
  const isKnown = names.every((name) => STABILITY_VARIANTS.some((variant) => variant === name));
  must(isKnown && new Set(names).size === names.length, () => `stability: of ${names.join(', ')}`);
  must(job.stability || names.length === 0, () => 'stability: copies that were not asked for');
  for (const { name, logOdds, probability } of stability) {
    must(isNear(probability, logistic(logOdds)), () => `stability: ${name} has figures that do not agree`);
  }
  const clear: readonly string[] = findClear(imagePacksOf(job.analysis.models, job.findPack), image.runs);
  const unclear = copiesNotNeeded.find((name) => !clear.includes(name));
  must(unclear === undefined, () => `stability: ${unclear} left out, though it may change the answer`);
  must(tampering?.hasMap !== false, () => 'tampering: a summary without its map');
  if (hasHeatmap) files.add(HEATMAP_FILES.origin);
  if (tampering === undefined) return;
  files.add(HEATMAP_FILES.tampering);
  files.add(HEATMAP_FILES.tampering_reliability);
}

function checkAnimation({ pages, animation }: ImageResult): void {
  if (animation === undefined) return;
  const { frames, decides } = animation;
  const isAscending = frames.every((number, index) => index === 0 || number > (frames[index - 1] ?? 0));
  const isInside = frames[0] === 1 && (frames.at(-1) ?? 0) <= pages;
  must(isAscending && isInside, () => `animation: frames ${frames.join(', ')} of ${pages}`);
  must(frames.includes(decides), () => `animation: frame ${decides} decides, which was not judged`);
}

/** Throws a Contradiction. */
export function checkFrameImage(place: string, job: JudgedJob, image: ImageResult): void {
  const { mime, pages, animation, width, height, provenance, stability, quality, marks, tampering } = image;
  const shortSide = Math.min(width, height);
  const { copiesNotNeeded } = image;
  const hasMap = tampering?.hasMap ?? false;
  const own = { mime, pages, animation, provenance, stability, copiesNotNeeded, quality, marks, hasMap };
  const expected = {
    mime: 'image/png',
    pages: 1,
    animation: undefined,
    provenance: NO_PROVENANCE,
    stability: [],
    copiesNotNeeded: undefined,
    marks: undefined,
    quality: { shortSide, jpegQuality: null, truncated: false },
    hasMap: false,
  };
  for (const [field, value] of Object.entries(expected)) {
    must(agree(Reflect.get(own, field), value), () => `${place}: ${field} is not that of a frame`);
  }
  checkPicture(place, job, image);
}

/** The packs that look at a picture's content; a video is searched for faces as well if frames are chosen by them. */
export function contentOf({ analysis, findPack }: Pick<JudgedJob, 'analysis' | 'findPack'>): ContentPacks {
  const found = contentPacksOf(analysis.models, findPack);
  return analysis.kind === 'image' || analysis.options.withMorphing ? found : { ...found, detector: null };
}

/** The answers that every picture and frame has, before its faces were looked at. */
export function askPicture(
  { analysis, findPack }: Pick<JudgedJob, 'analysis' | 'findPack'>,
  { tampering }: Pick<ContentPacks, 'tampering'>,
  shortSide: number | null,
): AskedRun[] {
  const packsOf = analysis.kind === 'video' ? framePacksOf : imagePacksOf;
  const mustBeUnknown = (pack: object) =>
    shortSide !== null && 'minimumShortSide' in pack && shortSide < Number(pack.minimumShortSide);
  const edits = tampering.map((found) => ({ key: `${found.pack.id}@${found.pack.version}`, found }));
  return [
    ...askOf(packsOf(analysis.models, findPack), 'image-origin', { mustBeUnknown }),
    ...askOf(edits, 'image-tampering', { mustBeUnknown }),
  ];
}

function checkPicture(place: string, job: JudgedJob, image: ImageResult): void {
  const { runs, width, height, nsfw, hasHeatmap, tampering, detections } = image;
  const content = contentOf(job);
  const faces = checkFaces(place, content, image);
  checkRuns(place, runs, [...askPicture(job, content, Math.min(width, height)), ...faces]);
  const isNsfwAsked = content.nsfw.length > 0;
  must(
    (nsfw !== null) === isNsfwAsked,
    () => `${place}: nsfw is ${nsfw}, ${isNsfwAsked ? 'was' : 'was not'} asked`,
  );
  const answered = (task: ModelRun['task']) => runs.some((run) => run.task === task && !run.unknown);
  const mayHaveMap = job.analysis.options.withHeatmap && answered('image-origin');
  must(!hasHeatmap || mayHaveMap, () => `${place}: a heatmap that was not asked for, or of no answer`);
  const isSearched = answered('image-tampering');
  must(
    (tampering !== undefined) === isSearched,
    () => `${place}: a summary of edits without an answer, or none with one`,
  );
  must(
    detections.length === 0 || content.detector !== null,
    () => `${place}: faces, which were not looked for`,
  );
}

/** The face models' answers for the picture as a whole, which follow from those for each face. */
function checkFaces(
  place: string,
  { detector, faces }: ContentPacks,
  { detections, width, height }: ImageResult,
): AskedRun[] {
  if (detector === null) return [];
  const queued = faces.map((found) => ({ key: `${found.pack.id}@${found.pack.version}`, found }));
  for (const [index, { box, runs }] of detections.entries()) {
    const at = `${place}: face ${index + 1}`;
    const isInside = box.x1 < box.x2 && box.y1 < box.y2 && box.x2 <= width && box.y2 <= height;
    must(isInside, () => `${at}: its box does not lie in the picture`);
    const side = Math.min(box.x2 - box.x1, box.y2 - box.y1);
    const mustBeUnknown = (pack: object) => 'minimumFaceSide' in pack && side < Number(pack.minimumFaceSide);
    checkRuns(at, runs, askOf(queued, 'face-origin', { mustBeUnknown }));
  }
  return queued.map((one) => askFace(one, detections));
}

function askFace(queued: Parameters<typeof askOf>[0][number], detections: readonly Detection[]): AskedRun {
  const runs = detections.flatMap((detection) =>
    detection.runs.filter(({ model, version }) => `${model}@${version}` === queued.key),
  );
  const most = mostSuspicious(runs);
  if (most !== undefined) return askSame(most);
  const [asked] = askOf([queued], 'face-origin', { mustBeUnknown: () => true });
  if (asked === undefined) throw new Error('one pack is one answer');
  return asked;
}

export function checkMime(kind: MediaKind, mime: string): void {
  const format = formatOf(mime);
  must(format !== undefined && kind in format.kinds, () => `mime: ${mime} is no type of ${kind}`);
}

/** A manifest that declares an origin is a manifest that was read. */
export function checkProvenance({
  c2pa,
  declaredOrigin,
  signer,
  remoteManifestUrl,
  fault,
}: Provenance): void {
  if (c2pa === null) {
    must(declaredOrigin === null && signer === null, () => 'provenance: a signed origin without a manifest');
  } else {
    const isWhole = declaredOrigin !== null && remoteManifestUrl === null && fault === null;
    must(isWhole, () => 'provenance: a manifest that was read and was not');
  }
}
