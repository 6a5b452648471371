/**
 * What an analysis measured, as it is stored: figures only, no labels and no texts that depend on the account.
 * Everything a client reads is derived from this by pure functions.
 */
import type { Axis, ModelTask } from './model-pack.ts';
import type { Provenance } from './provenance.ts';

/** One model on one piece of media. */
export interface ModelRun {
  model: string;
  version: string;
  task: ModelTask;
  axis: Axis;
  /** True where the model gave no usable answer; then `reason` says why and the scores are null. */
  unknown: boolean;
  reason: string;
  /** The model's own mean output. */
  logit: number | null;
  /** Calibrated natural log-odds of `artificial` at even prior odds. */
  logOdds: number | null;
  /** Calibrated probability of `artificial`, 0..1. */
  probability: number | null;
  /** Probability above which at most 1 % of the calibration set's human media fall. */
  cautiousThreshold: number;
  /** Between these the pack's makers call the answer inconclusive. */
  inconclusiveLow: number;
  inconclusiveHigh: number;
  weight: number;
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

/** Scores of a grid of patches, the data behind the heatmap. */
export interface PatchMap {
  model: string;
  size: number;
  positions: { x: number; y: number }[];
  probabilities: number[];
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
}

/** A segment of a sound, seconds from its beginning. */
export interface ClipResult {
  index: number;
  startSeconds: number;
  endSeconds: number;
  runs: ModelRun[];
}

export interface AudioResult {
  kind: 'audio';
  mime: string;
  durationSeconds: number;
  runs: ModelRun[];
  clips: ClipResult[];
  provenance: Provenance;
}

/** A video's frames and track are analyses of their own, named here by their identifiers. */
export interface VideoResult {
  kind: 'video';
  mime: string;
  width: number;
  height: number;
  durationSeconds: number;
  frameIdentifiers: string[];
  trackIdentifiers: string[];
  runs: ModelRun[];
  nsfw: number | null;
  provenance: Provenance;
}

export type AnalysisResult = ImageResult | AudioResult | VideoResult;
