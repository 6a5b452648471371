/**
 * What an analysis measured, as it is stored: figures only, no labels and no texts that depend on the account.
 * Everything a client reads is derived from this by pure functions.
 */
import type { Axis, ModelTask } from '../packs/model-pack.ts';
import type { MarkSearch } from './marks.ts';
import type { Provenance } from './provenance.ts';

/** From what probability on an answer means something. */
export interface Bounds {
  /** At most 1 % of the calibration set's human media lie at or above it. */
  cautiousThreshold: number;
  /** Between these the answer is inconclusive. */
  inconclusiveLow: number;
  inconclusiveHigh: number;
}

/** Bounds of the fused score of some packs: that of one alone is coarser. */
export interface SetBounds extends Bounds {
  /** `id@version` of every pack whose answers were fused when the bounds were set. */
  packs: string[];
}

/** One model on one piece of media. */
export interface ModelRun extends Bounds {
  model: string;
  version: string;
  task: ModelTask;
  axis: Axis;
  /** Of models that share their errors, and so have one voice; absent where the pack names none. */
  family?: string;
  /** True where the model gave no usable answer; then `reason` says why and the scores are null. */
  unknown: boolean;
  reason: string;
  /** The model's own mean output. */
  logit: number | null;
  /** Calibrated natural log-odds of `artificial` at even prior odds. */
  logOdds: number | null;
  /** Calibrated probability of `artificial`, 0..1. */
  probability: number | null;
  weight: number;
  /** Hold instead of the own bounds where all of its packs answered; absent where the pack names no set. */
  together?: SetBounds;
  elapsedSeconds: number;
  /** Execution provider that really ran it: `cpu`, `cuda`, … */
  device: string;
}

/** The same models on a re-encoded or scaled copy. */
export interface StabilityVariant {
  /** What was done to the copy: `jpeg-60`, `scale-75`. */
  name: string;
  logOdds: number;
  probability: number;
}

export interface ImageQuality {
  shortSide: number;
  /** Estimated from the quantisation table, 1..100; null where the file is no JPEG. */
  jpegQuality: number | null;
  /** Whether the file's data ended early and the rest is grey. */
  truncated: boolean;
}

/** A face and what the face models said of it; box in pixels of the oriented picture. */
export interface Detection {
  box: { x1: number; y1: number; x2: number; y2: number };
  runs: ModelRun[];
}

/** What the look for edits covered. */
export interface TamperingSummary {
  /** Share of the picture, 0..1. */
  coverage: number;
  /** Whether the map of edits and that of its reliability were drawn. */
  hasMap: boolean;
}

export interface ImageResult {
  kind: 'image';
  mime: string;
  /** After EXIF orientation, pixels. */
  width: number;
  height: number;
  /** Pages or animation frames in the file; only the first is analysed. */
  pages: number;
  runs: ModelRun[];
  /** Probability of unsafe content, or null when not asked. */
  nsfw: number | null;
  detections: Detection[];
  provenance: Provenance;
  stability: StabilityVariant[];
  quality: ImageQuality;
  hasHeatmap: boolean;
  /** Absent where no model looked for edits. */
  tampering?: TamperingSummary;
  /** Absent in results of versions that looked for none, and of frames. */
  marks?: MarkSearch;
}

/** A segment of a sound, seconds from its beginning. */
export interface ClipResult {
  index: number;
  startSeconds: number;
  endSeconds: number;
  runs: ModelRun[];
}

/** One channel of a sound whose channels hold different voices. */
export interface ChannelResult {
  /** `channel-1` … */
  name: string;
  speechSeconds: number;
  runs: ModelRun[];
}

export interface AudioResult {
  kind: 'audio';
  mime: string;
  durationSeconds: number;
  /** Of the original, samples a second. */
  sampleRate: number;
  channelCount: number;
  /** What of it the speech detector took for speech. */
  speechSeconds: number;
  /** Whether the file's data ended early or was damaged in part. */
  damaged: boolean;
  runs: ModelRun[];
  clips: ClipResult[];
  /** Empty where all channels hold the same. */
  channels: ChannelResult[];
  provenance: Provenance;
  /** Absent in results of versions that looked for none, and of a video's track. */
  marks?: MarkSearch;
}

/** An analysed frame of a video: a PNG among the analysis' artifacts. */
export interface FrameResult {
  identifier: string;
  timeSeconds: number;
  /** Name of the artifact. */
  file: string;
  /** SHA-256 of the PNG. */
  hash: string;
  sizeBytes: number;
  /** Without a provenance of its own: it was never a file before. */
  image: ImageResult;
}

/** A video's sound: a FLAC among the analysis' artifacts. */
export interface TrackResult {
  identifier: string;
  file: string;
  hash: string;
  sizeBytes: number;
  audio: AudioResult;
}

export interface VideoResult {
  kind: 'video';
  mime: string;
  /** As it is shown, pixels. */
  width: number;
  height: number;
  durationSeconds: number;
  frames: FrameResult[];
  /** Frames that were chosen and could not be decoded. */
  damagedFrames: number;
  tracks: TrackResult[];
  /** Whether the track was asked for; a silent video has none all the same. */
  withTrack: boolean;
  /** Of the image models over all frames, and of the speech models on the track. */
  runs: ModelRun[];
  nsfw: number | null;
  provenance: Provenance;
  /** Absent in results of versions that looked for none. */
  marks?: MarkSearch;
}

export type AnalysisResult = ImageResult | AudioResult | VideoResult;

/** What of a result has an identifier of its own: a video's frames and track. */
export interface ResultPart {
  identifier: string;
  kind: 'image' | 'audio';
  /** Place in `frames` or `tracks`. */
  index: number;
}

export function partsOf(result: AnalysisResult | null): ResultPart[] {
  if (result?.kind !== 'video') return [];
  return [
    ...result.frames.map(({ identifier }, index) => ({ identifier, kind: 'image' as const, index })),
    ...result.tracks.map(({ identifier }, index) => ({ identifier, kind: 'audio' as const, index })),
  ];
}
