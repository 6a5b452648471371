/**
 * The record that every facade serves: the fields of interface.md, plus what the new facades add. One value, three
 * projections; a facade only renames and leaves out.
 */

import type { HeatmapLayer } from '../media/heatmap.ts';
import type { Label, MediaKind } from '../media/media.ts';
import type { Axis } from '../packs/model-pack.ts';
import type { Assessment } from '../verdicts/assessment.ts';
import type { Verdict } from '../verdicts/heuristics.ts';
import type { C2paReport } from '../verdicts/provenance.ts';
import type { AppliedRules } from '../verdicts/rules-version.ts';
import type { Tentative } from '../verdicts/tentative.ts';
import type { VideoVerdict } from '../verdicts/video-verdict.ts';
import type { Origin, Progress, Status, SubmittedBy } from './classification.ts';
import type { AnalysisOptions } from './options.ts';

export interface ModelResult {
  model: string;
  version: string;
  axis: Axis;
  device: string;
  unknown: boolean;
  /** Why there is no answer; an empty string where there is one. */
  reason: string;
  elapsedSeconds: number;
  /** Both labels with their scores, or empty when unknown. */
  classification: { label: Label; score: number }[];
}

/** What records of every kind have; the verdict aside. */
export interface RecordBase {
  identifier: string;
  hash: string;
  apiVersion: string | null;
  /** Null until the analysis completes. Not for REST. */
  rules: AppliedRules | null;
  status: Status;
  errors: string;
  name: string;
  refId: string;
  resultUrl: string;
  forceClassification: Label | null;
  mime: string;
  sizeBytes: number;
  sourceUrl: string | null;
  options: AnalysisOptions;
  origin: Origin;
  credits: number;
  /** Microseconds since 1970 UTC. */
  createdAt: number;
  endedAt: number | null;
  /** Present while the work is queued or running. */
  progress: Progress | null;
  /** What was found so far, while the work runs. Not for REST, never stored. */
  tentative: Tentative | null;
  cancelled: boolean;
  /** Null in records of versions that did not note it. */
  submittedBy: SubmittedBy | null;
}

export interface DetectionRecord {
  box: { x1: number; y1: number; x2: number; y2: number };
  results: ModelResult[];
  verdict: Verdict;
}

export interface ImageRecord extends RecordBase {
  kind: 'image';
  /** Of a frame: where in its video it is; null for a picture of its own. */
  timeSeconds: number | null;
  width: number | null;
  height: number | null;
  isNsfw: boolean | null;
  c2pa: C2paReport | null;
  hasHeatmap: boolean;
  /** The maps that were drawn. */
  heatmapLayers: HeatmapLayer[];
  verdict: Verdict | null;
  verdicts: Verdict[];
  results: ModelResult[];
  details: { detections: DetectionRecord[] }[];
  assessment: Assessment | null;
}

export interface ClipRecord {
  index: number;
  startSeconds: number;
  endSeconds: number;
  results: ModelResult[];
  verdict: Verdict;
}

export interface AudioRecord extends RecordBase {
  kind: 'audio';
  durationSeconds: number | null;
  /** What of it is speech. */
  speechSeconds: number | null;
  c2pa: C2paReport | null;
  verdict: Verdict | null;
  verdicts: Verdict[];
  results: ModelResult[];
  clips: ClipRecord[];
  assessment: Assessment | null;
}

export interface VideoRecord extends RecordBase {
  kind: 'video';
  width: number | null;
  height: number | null;
  durationSeconds: number | null;
  isNsfw: boolean | null;
  c2pa: C2paReport | null;
  verdict: VideoVerdict | null;
  verdicts: VideoVerdict[];
  images: ImageRecord[];
  audios: AudioRecord[];
  assessment: Assessment | null;
}

export type ClassificationRecord = ImageRecord | VideoRecord | AudioRecord;

/** The outcome of a validation (interface.md, Media validation result). */
export interface MediaValidation {
  valid: true;
  sizeBytes: number;
  mime: string;
  width: number | null;
  height: number | null;
  models: string[];
}

export interface OverrideResult {
  classification: Label;
  type: MediaKind;
  hash: string;
}
