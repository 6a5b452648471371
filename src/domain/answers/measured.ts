/** Parts of a record that follow from a result: verdicts, model results and assessment, by kind of media. Pure. */
import type { ClipRecord, DetectionRecord, ModelResult } from '../contract/record-parts.ts';
import { HEATMAP_LAYERS, type HeatmapLayer } from '../media/heatmap.ts';
import { sayMedium } from '../media/medium.ts';
import { NO_VIEW_ANSWERS, showViewAnswers } from '../packs/view-axes.ts';
import { type C2paPolicy, forcesArtificial, type Provenance } from '../provenance/provenance.ts';
import { toProvenanceRecord } from '../provenance/provenance-record.ts';
import { fileFactsOf } from '../provenance/shown-facts.ts';
import { summaryOf } from '../transcripts/transcript.ts';
import { assessAudio, assessImage, assessVideo } from '../verdicts/assessment.ts';
import { type HeuristicName, judge } from '../verdicts/heuristics.ts';
import { marksOf } from '../verdicts/marks.ts';
import type {
  AudioResult,
  ClipResult,
  Detection,
  ImageResult,
  ModelRun,
  VideoResult,
} from '../verdicts/result.ts';
import { judgeVideo } from '../verdicts/video-verdict.ts';
import type { AudioRecord, ImageRecord, RecordBase, VideoRecord } from './record.ts';

/** How an account weighs the measured figures. */
export interface Reading {
  heuristic: HeuristicName;
  policy: C2paPolicy;
  /** The submission asked that no signature forces the verdict. */
  preventC2paForces: boolean;
}

type Measured<R extends RecordBase> = Omit<R, keyof RecordBase | 'kind'>;
export type MeasuredImage = Measured<ImageRecord>;
export type MeasuredAudio = Measured<AudioRecord>;
/** Its frames and tracks are records with identifiers and overrides of their own. */
export type MeasuredVideo = Omit<Measured<VideoRecord>, 'images' | 'audios' | 'shots'>;

const NOTHING = {
  verdict: null,
  verdicts: [],
  assessment: null,
  marks: null,
  c2pa: null,
  provenance: null,
  fileFacts: null,
} as const;

/** The values before the analysis has ended. */
export const UNMEASURED_IMAGE: MeasuredImage = {
  ...NOTHING,
  verdicts: [],
  timeSeconds: null,
  width: null,
  height: null,
  medium: null,
  ...showViewAnswers(NO_VIEW_ANSWERS),
  hasHeatmap: false,
  heatmapLayers: [],
  results: [],
  details: [],
};
export const UNMEASURED_AUDIO: MeasuredAudio = {
  ...NOTHING,
  verdicts: [],
  durationSeconds: null,
  speechSeconds: null,
  results: [],
  clips: [],
  transcript: null,
};
export const UNMEASURED_VIDEO: MeasuredVideo = {
  ...NOTHING,
  verdicts: [],
  width: null,
  height: null,
  durationSeconds: null,
  ...showViewAnswers(NO_VIEW_ANSWERS),
};

/** A frame or a track takes its declarations from its video's container: it was never a file of its own. */
export function measureImage(
  result: ImageResult,
  reading: Reading,
  provenance: Provenance = result.provenance,
): MeasuredImage {
  const verdicts = judge(result.runs, isForced(provenance, reading));
  return {
    timeSeconds: null,
    width: result.width,
    height: result.height,
    medium: mediumOf(result),
    ...showViewAnswers(result),
    c2pa: provenance.c2pa,
    hasHeatmap: result.hasHeatmap,
    heatmapLayers: layersOf(result),
    verdict: mainOf(verdicts, reading),
    verdicts,
    results: toModelResults(result.runs),
    details: result.detections.length === 0 ? [] : [{ detections: result.detections.map(toDetection) }],
    assessment: assessImage({ ...result, provenance }),
    marks: marksOf(result),
    provenance: toProvenanceRecord(result.provenance),
    fileFacts: fileFactsOf(result.provenance),
  };
}

export function measureAudio(
  result: AudioResult,
  reading: Reading,
  provenance: Provenance = result.provenance,
): MeasuredAudio {
  const forced = isForced(provenance, reading);
  const verdicts = judge(result.runs, forced);
  return {
    durationSeconds: result.durationSeconds,
    speechSeconds: result.speechSeconds,
    c2pa: provenance.c2pa,
    verdict: mainOf(verdicts, reading),
    verdicts,
    results: toModelResults(result.runs),
    clips: result.clips.flatMap((clip) => toClip(clip, forced, reading) ?? []),
    transcript: result.transcript === undefined ? null : summaryOf(result.transcript),
    assessment: assessAudio({ ...result, provenance }),
    marks: marksOf(result),
    provenance: toProvenanceRecord(result.provenance),
    fileFacts: fileFactsOf(result.provenance),
  };
}

export function measureVideo(result: VideoResult, reading: Reading): MeasuredVideo {
  const { provenance } = result;
  const forced = isForced(provenance, reading);
  const parts = [
    ...result.frames.map(({ image }) => judge(image.runs, forced)),
    ...result.tracks.map(({ audio }) => judge(audio.runs, forced)),
  ];
  const verdicts = judgeVideo(result.runs, forced, parts);
  return {
    width: result.width,
    height: result.height,
    durationSeconds: result.durationSeconds,
    ...showViewAnswers(result),
    c2pa: provenance.c2pa,
    verdict: mainOf(verdicts, reading),
    verdicts,
    assessment: assessVideo(result),
    marks: marksOf(result),
    provenance: toProvenanceRecord(result.provenance),
    fileFacts: fileFactsOf(result.provenance),
  };
}

/** The medium by the first model that looked for it. */
function mediumOf({ runs }: ImageResult): ImageRecord['medium'] {
  const media = runs.find((run) => run.media !== undefined)?.media;
  return media === undefined ? null : sayMedium(media);
}

function layersOf({ hasHeatmap, tampering }: ImageResult): HeatmapLayer[] {
  return HEATMAP_LAYERS.filter((layer) => (layer === 'origin' ? hasHeatmap : tampering?.hasMap === true));
}

function isForced(provenance: Provenance, { policy, preventC2paForces }: Reading): boolean {
  return forcesArtificial(provenance, policy, preventC2paForces);
}

function mainOf<V extends { heuristic: HeuristicName }>(
  verdicts: readonly V[],
  { heuristic }: Reading,
): V | null {
  return verdicts.find((verdict) => verdict.heuristic === heuristic) ?? verdicts[0] ?? null;
}

function toModelResults(runs: readonly ModelRun[]): ModelResult[] {
  return runs.filter((run) => run.axis !== 'nsfw' && run.axis !== 'face').map(toModelResult);
}

function toModelResult(run: ModelRun): ModelResult {
  const { model, version, axis, device, unknown, reason, elapsedSeconds, probability, places = null } = run;
  const classification: ModelResult['classification'] =
    unknown || probability === null
      ? []
      : [
          { label: 'human', score: 1 - probability },
          { label: 'artificial', score: probability },
        ];
  return { model, version, axis, device, unknown, reason, elapsedSeconds, classification, places };
}

function toDetection({ box, runs }: Detection): DetectionRecord {
  const [verdict] = judge(runs, false);
  if (verdict === undefined) throw new Error('a heuristic always answers');
  return { box, results: runs.map(toModelResult), verdict };
}

function toClip(clip: ClipResult, forced: boolean, reading: Reading): ClipRecord | null {
  const { index, startSeconds, endSeconds, runs } = clip;
  const verdict = mainOf(judge(runs, forced), reading);
  return verdict && { index, startSeconds, endSeconds, results: toModelResults(runs), verdict };
}
