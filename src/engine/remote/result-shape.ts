/** The shape of a result that comes from another box, field for field as `domain/verdicts/result.ts` has it. */
import { z } from 'zod';
import { MODEL_TASKS } from '../../domain/packs/model-pack.ts';
import { AXES } from '../../domain/packs/pack-parts.ts';
import type { StepTime } from '../../domain/records/step-times.ts';
import type {
  AnalysisResult,
  AudioResult,
  ImageResult,
  ModelRun,
  VideoResult,
} from '../../domain/verdicts/result.ts';
import type { Findings } from '../../domain/verdicts/tentative.ts';
import type { SeenLikeness } from '../analyses/analysis-parts.ts';
import { hash, likenessHashes, marks, outFile, seconds, side, sizeBytes } from '../decode/decode-answer.ts';
import { provenance } from '../decode/provenance-answer.ts';

/** Most a submission may ask for. */
const FRAMES_MAX = 1000;
/** Two hours, a clip every four seconds. */
const CLIPS_MAX = 2000;
const DETECTIONS_MAX = 1000;
const RUNS_MAX = 64;

const count = z.int().min(0);
const probability = z.number().min(0).max(1);
const figure = z.number().min(-1e9).max(1e9);
const name = z.string().max(200);
const mime = z.string().max(100);

const bounds = { cautiousThreshold: figure, inconclusiveLow: figure, inconclusiveHigh: figure };

const run = z.strictObject({
  ...bounds,
  model: name,
  version: name,
  task: z.enum(MODEL_TASKS),
  axis: z.enum(AXES),
  family: name.optional(),
  unknown: z.boolean(),
  reason: z.string().max(2000),
  logit: figure.nullable(),
  logOdds: figure.nullable(),
  probability: probability.nullable(),
  weight: figure,
  together: z.strictObject({ ...bounds, packs: z.array(name).max(RUNS_MAX) }).optional(),
  elapsedSeconds: z.number().min(0).max(1e6),
  device: z.string().max(50),
});
const runs: z.ZodType<ModelRun[]> = z.array(run as z.ZodType<ModelRun>).max(RUNS_MAX);

const detection = z.strictObject({
  box: z.strictObject({ x1: figure, y1: figure, x2: figure, y2: figure }),
  runs,
});

const image = z.strictObject({
  kind: z.literal('image'),
  ...{ mime, width: side, height: side, pages: z.int().min(1), runs },
  nsfw: probability.nullable(),
  detections: z.array(detection).max(DETECTIONS_MAX),
  provenance,
  stability: z.array(z.strictObject({ name, logOdds: figure, probability })).max(16),
  quality: z.strictObject({
    shortSide: side,
    jpegQuality: z.int().min(1).max(100).nullable(),
    truncated: z.boolean(),
  }),
  hasHeatmap: z.boolean(),
  tampering: z.strictObject({ coverage: probability, hasMap: z.boolean() }).optional(),
  marks: marks.optional(),
}) as z.ZodType<ImageResult>;

const clip = z.strictObject({ index: count, startSeconds: seconds, endSeconds: seconds, runs });

const audio = z.strictObject({
  kind: z.literal('audio'),
  ...{ mime, durationSeconds: seconds, sampleRate: z.int().min(1), channelCount: z.int().min(1) },
  ...{ speechSeconds: seconds, damaged: z.boolean(), runs, clips: z.array(clip).max(CLIPS_MAX) },
  channels: z.array(z.strictObject({ name, speechSeconds: seconds, runs })).max(16),
  provenance,
  marks: marks.optional(),
}) as z.ZodType<AudioResult>;

const part = { identifier: z.string().max(100), file: outFile, hash, sizeBytes };

const video = z.strictObject({
  kind: z.literal('video'),
  ...{ mime, width: side, height: side, durationSeconds: seconds },
  frames: z.array(z.strictObject({ ...part, timeSeconds: seconds, image })).max(FRAMES_MAX),
  damagedFrames: count,
  tracks: z.array(z.strictObject({ ...part, audio })).max(1),
  ...{ withTrack: z.boolean(), runs, nsfw: probability.nullable(), provenance },
  marks: marks.optional(),
}) as z.ZodType<VideoResult>;

export const result: z.ZodType<AnalysisResult> = z.union([image, audio, video]);

export const findings: z.ZodType<Findings> = z.strictObject({
  frames: z.array(z.strictObject({ timeSeconds: seconds, runs })).max(FRAMES_MAX),
  clips: z.array(clip).max(CLIPS_MAX),
  speech: runs,
});

export const stepTimes: z.ZodType<StepTime[]> = z
  .array(z.strictObject({ step: z.string().regex(/^[a-z][a-z-]{0,39}$/), seconds, times: z.int().min(1) }))
  .max(100);

export const likenesses: z.ZodType<SeenLikeness[]> = z
  .array(z.strictObject({ likeness: likenessHashes, timeSeconds: seconds.nullable() }))
  .max(FRAMES_MAX);
