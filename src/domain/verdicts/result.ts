/** What an analysis measured, as stored: figures alone, from which all that clients read follows; no NaN, no infinity. */
import { z } from 'zod';
import { FRAMES_JUDGED_MAX } from '../media/animation.ts';
import { MEDIA } from '../media/medium.ts';
import { MODEL_TASKS } from '../packs/model-pack.ts';
import { AXES } from '../packs/pack-parts.ts';
import { describeFault } from '../packs/schema-fault.ts';
import { STORED_VIEW_ANSWERS } from '../packs/view-axes.ts';
import { provenanceSchema } from '../provenance/provenance.ts';
import { CHANNELS_MAX, transcriptSchema } from '../transcripts/transcript.ts';
import { FACES_MAX } from './faces.ts';
import { markSearchSchema } from './marks.ts';
import { BOUNDS_FOR } from './pack-bounds.ts';
import { CLIPS_MAX } from './speech.ts';

/** More packs than any box has. */
const RUNS_MAX = 200;
/** More frames than a submission may ask for. */
const FRAMES_MAX = 1000;
const VARIANTS_MAX = 16;

const count = z.int().min(0);
const probability = z.number().min(0).max(1);
const figure = z.number();
const name = z.string().max(200);
const mime = z.string().max(100);
/** Pixels. */
export const side = z.int().min(1).max(100_000);
export const seconds = z.number().min(0).max(1e9);
/** SHA-256 in hexadecimal. */
export const hash = z.string().regex(/^[0-9a-f]{64}$/);
export const sizeBytes = z.int().min(1);
/** A plain file name. */
export const outFile = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9.-]{0,127}$/);

const bounds = {
  /** At most 1 % of the calibration set's human media lie at or above it. */
  cautiousThreshold: probability,
  /** Answers between these are inconclusive. */
  inconclusiveLow: probability,
  inconclusiveHigh: probability,
};
const boundsSchema = z.strictObject(bounds);
export type Bounds = z.infer<typeof boundsSchema>;

/** Bounds of the fused score of some packs, which is finer than that of one alone. */
const setBounds = z.strictObject({
  ...bounds,
  /** `id@version` of every pack whose answers were fused when the bounds were set. */
  packs: z.array(name).max(RUNS_MAX),
});

/** More places than any pack looks at. */
const PLACES_MAX = 1000;

const placeSpread = z.strictObject({
  count: z.int().min(2).max(PLACES_MAX),
  spread: z.number().min(0),
});
/** The spread of a picture's answers over its places: standard deviation of the calibrated natural log-odds. */
export type PlaceSpread = z.infer<typeof placeSpread>;

const modelRunSchema = z.strictObject({
  ...bounds,
  model: name,
  version: name,
  task: z.enum(MODEL_TASKS),
  axis: z.enum(AXES),
  /** Models of one family share their errors and answer as one; absent if the pack names none. */
  family: name.exactOptional(),
  /** True if the model gave no usable answer; then `reason` says why and the scores are null. */
  unknown: z.boolean(),
  reason: z.string().max(2000),
  /** The model's own mean output. */
  logit: figure.nullable(),
  /** Calibrated natural log-odds of `artificial` at even prior odds. */
  logOdds: figure.nullable(),
  /** Calibrated probability of `artificial`, 0..1. */
  probability: probability.nullable(),
  /** Absent for a model that looked at one place or the whole, without an answer, and in results of earlier versions. */
  places: placeSpread.exactOptional(),
  /** Positive, since fusing divides by it. */
  weight: z.number().positive().max(1e9),
  /** Replaces the pack's own bounds if all packs of the set answered; absent if the pack names no set. */
  together: setBounds.exactOptional(),
  /** The case that the bounds are for, if they are not the pack's usual ones; absent in results of earlier versions. */
  boundsFor: z.enum(BOUNDS_FOR).exactOptional(),
  /** What the model takes the picture for; absent without media, if it did not look, and in earlier results. */
  media: z.partialRecord(z.enum(MEDIA), probability).exactOptional(),
  elapsedSeconds: seconds,
  /** The execution provider that ran it: `cpu`, `cuda`, … */
  device: z.string().regex(/^[a-z0-9-]{0,50}$/),
});
export type ModelRun = z.infer<typeof modelRunSchema>;
const runsSchema = z.array(modelRunSchema).max(RUNS_MAX);

const stabilityVariant = z.strictObject({
  /** The copy's kind: `jpeg-60`, `scale-75`. */
  name,
  logOdds: figure,
  probability,
});
/** The same models on a re-encoded or scaled copy. */
export type StabilityVariant = z.infer<typeof stabilityVariant>;

const imageQuality = z.strictObject({
  shortSide: side,
  /** Estimated from the quantisation table, 1..100; null if the file is no JPEG. */
  jpegQuality: z.int().min(1).max(100).nullable(),
  /** Whether the file's data ended early and the rest is grey. */
  truncated: z.boolean(),
});
export type ImageQuality = z.infer<typeof imageQuality>;

const edge = z.int().min(0).max(100_000);
const detection = z.strictObject({
  box: z.strictObject({ x1: edge, y1: edge, x2: edge, y2: edge }),
  runs: runsSchema,
});
/** A face and the face models' answers; box in pixels of the oriented picture. */
export type Detection = z.infer<typeof detection>;

const tamperingSummary = z.strictObject({
  /** Share of the picture, 0..1. */
  coverage: probability,
  /** Whether the map of edits and that of its reliability were drawn. */
  hasMap: z.boolean(),
});
/** The extent of the search for edits. */
export type TamperingSummary = z.infer<typeof tamperingSummary>;

const animation = z.strictObject({
  /** Numbers of the judged frames, ascending from the first, which is 1. */
  frames: z.array(z.int().min(1)).min(2).max(FRAMES_JUDGED_MAX),
  /** The most suspicious frame, which `runs`, the copies and the heatmap are of. */
  decides: z.int().min(1),
});

const imageResult = z.strictObject({
  kind: z.literal('image'),
  mime,
  /** After EXIF orientation, pixels. */
  width: side,
  height: side,
  /** Pages or animation frames in the file; the first is analysed. */
  pages: z.int().min(1),
  /** Absent if no other frame was judged. */
  animation: animation.exactOptional(),
  runs: runsSchema,
  ...STORED_VIEW_ANSWERS,
  detections: z.array(detection).max(FACES_MAX),
  provenance: provenanceSchema,
  stability: z.array(stabilityVariant).max(VARIANTS_MAX),
  /** Names of copies that were not judged, since they cannot change the answer; absent if all were, or none was asked for. */
  copiesNotNeeded: z.array(name).min(1).max(VARIANTS_MAX).exactOptional(),
  quality: imageQuality,
  hasHeatmap: z.boolean(),
  /** Absent if no model looked for edits. */
  tampering: tamperingSummary.exactOptional(),
  /** Absent in results of versions that looked for none, and of frames. */
  marks: markSearchSchema.exactOptional(),
});
export type ImageResult = z.infer<typeof imageResult>;

const clipSchema = z.strictObject({
  index: count,
  startSeconds: seconds,
  endSeconds: seconds,
  runs: runsSchema,
});
/** A segment of a sound, seconds from its beginning. */
export type ClipResult = z.infer<typeof clipSchema>;
const clipsSchema = z.array(clipSchema).max(CLIPS_MAX);

/** A tone's power above a telephone's band against one inside, dB; null for silence, absent in earlier results. */
const upperBandDb = z.number().min(-200).max(200).nullable().exactOptional();

const channelResult = z.strictObject({
  /** `channel-1` …, `track-1` … */
  name,
  speechSeconds: seconds,
  upperBandDb,
  runs: runsSchema,
});
/** One channel of a sound whose channels hold different voices, or one of several tracks. */
export type ChannelResult = z.infer<typeof channelResult>;

const audioResult = z.strictObject({
  kind: z.literal('audio'),
  mime,
  durationSeconds: seconds,
  /** Samples a second of the original. */
  sampleRate: z.int().min(1),
  channelCount: z.int().min(1),
  /** Seconds that the detector took for speech. */
  speechSeconds: seconds,
  upperBandDb,
  /** Whether the file's data ended early or was damaged in part. */
  damaged: z.boolean(),
  runs: runsSchema,
  clips: clipsSchema,
  /** The number of further tracks that were not judged; absent if there are none. */
  tracksNotJudged: z.int().min(1).exactOptional(),
  /** Empty if all channels hold the same and there is one track. */
  channels: z.array(channelResult).max(CHANNELS_MAX),
  /** Absent if it was not asked for. */
  transcript: transcriptSchema.exactOptional(),
  provenance: provenanceSchema,
  /** Absent in results of versions that looked for none, and of a video's track. */
  marks: markSearchSchema.exactOptional(),
});
export type AudioResult = z.infer<typeof audioResult>;

const part = {
  identifier: z.string().max(100),
  /** Name of the artifact. */
  file: outFile,
  /** SHA-256 of the file. */
  hash,
  sizeBytes,
};

const frameResult = z.strictObject({
  ...part,
  timeSeconds: seconds,
  /** The number of its moving picture, from 1; absent for the one that players show first. */
  picture: z.int().min(2).exactOptional(),
  /** A frame has no provenance of its own: it was never a file. */
  image: imageResult,
});
/** An analysed frame of a video: a PNG among the analysis' artifacts. */
export type FrameResult = z.infer<typeof frameResult>;

const trackResult = z.strictObject({ ...part, audio: audioResult });
/** A video's sound: a FLAC among the analysis' artifacts. */
export type TrackResult = z.infer<typeof trackResult>;

const videoResult = z.strictObject({
  kind: z.literal('video'),
  mime,
  /** In pixels, as it is shown. */
  width: side,
  height: side,
  durationSeconds: seconds,
  frames: z.array(frameResult).max(FRAMES_MAX),
  /** Chosen frames that could not be decoded. */
  damagedFrames: count,
  /** The number of further moving pictures without a judged frame; absent if there are none. */
  picturesNotJudged: z.int().min(1).exactOptional(),
  tracks: z.array(trackResult).max(1),
  /** Whether the track was asked for; a silent video has none either way. */
  withTrack: z.boolean(),
  /** The image models over all frames, and the speech models on the track. */
  runs: runsSchema,
  ...STORED_VIEW_ANSWERS,
  provenance: provenanceSchema,
  /** Absent in results of versions that looked for none. */
  marks: markSearchSchema.exactOptional(),
});
export type VideoResult = z.infer<typeof videoResult>;

export const resultSchema = z.discriminatedUnion('kind', [imageResult, audioResult, videoResult]);
export type AnalysisResult = z.infer<typeof resultSchema>;

/** A checked result, the only kind that can be stored. */
export const checkedResultSchema = resultSchema.brand<'checked'>();
export type CheckedResult = z.infer<typeof checkedResultSchema>;

/** No result is ever changed in place, so that each is checked once. */
const checkedResults = new WeakSet<AnalysisResult>();

const isChecked = (result: AnalysisResult): result is CheckedResult => checkedResults.has(result);

/** Throws an error that names the first faulty field: a programming error, or damage. */
export function checkResult(result: AnalysisResult): CheckedResult {
  if (isChecked(result)) return result;
  const checked = checkedResultSchema.safeParse(result);
  if (checked.success) {
    checkedResults.add(checked.data);
    return checked.data;
  }
  throw new Error(`a result that cannot be stored: ${describeFault(checked.error)}`);
}

/** A part of a result with an identifier of its own: a video's frame or track. */
export interface ResultPart {
  identifier: string;
  kind: 'image' | 'audio';
  /** Index in `frames` or `tracks`. */
  index: number;
}

export function partsOf(result: AnalysisResult | null): ResultPart[] {
  if (result?.kind !== 'video') return [];
  return [
    ...result.frames.map(({ identifier }, index) => ({ identifier, kind: 'image' as const, index })),
    ...result.tracks.map(({ identifier }, index) => ({ identifier, kind: 'audio' as const, index })),
  ];
}
