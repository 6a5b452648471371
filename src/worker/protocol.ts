/**
 * Everything the daemon and its worker processes say to each other; the only thing they share. Tagged unions,
 * small messages: pixels and sound go by path inside a slot's folder, never through the channel. A path never
 * leaves the slot's folder, so that a slot can one day be another machine.
 *
 * A slot folder holds `in/` (the daemon puts one input file there, read-only for the child) and `out/` (the
 * child writes there). Paths in messages are relative to them.
 */
import type { MediaKind } from '../domain/media.ts';
import type { PatchLayout, PatchPosition } from '../domain/patches.ts';
import type { Provenance } from '../domain/provenance.ts';
import type { ImageQuality } from '../domain/result.ts';

/** Bounds that a child holds against hostile files; they travel with each request so that settings apply at once. */
export interface DecodeLimits {
  pixelsMax: number;
  sidePixelsMax: number;
}

/** Type, size and first decodable picture of a file; done inside a submission, so it must be quick. */
export interface ProbeRequest {
  type: 'probe';
  id: number;
  input: string;
  limits: DecodeLimits;
}

export interface Probe {
  kind: MediaKind;
  mime: string;
  /** After orientation, pixels; null for audio. */
  width: number | null;
  height: number | null;
  pages: number;
  durationSeconds: number | null;
}

/** A copy to measure stability on. */
export const STABILITY_VARIANTS = ['jpeg-60', 'scale-75'] as const;
export type StabilityVariantName = (typeof STABILITY_VARIANTS)[number];

/** Patches to cut from the picture or from a re-encoded or scaled copy of it. */
export interface PatchSetRequest {
  /** Names the set in the answer and its file in `out/`: letters, digits and dashes. */
  name: string;
  variant: 'original' | StabilityVariantName;
  layout: PatchLayout;
}

export interface DecodeImageRequest {
  type: 'decode-image';
  id: number;
  input: string;
  limits: DecodeLimits;
  /** PEM bundle of C2PA trust anchors, or an empty string. */
  trustAnchorsPem: string;
  patchSets: PatchSetRequest[];
}

/** Patches in one file: `positions.length` × size × size × RGB bytes, row by row, no header. */
export interface PatchSet {
  name: string;
  /** File in `out/`. */
  file: string;
  size: number;
  positions: PatchPosition[];
  /** Sides of the picture that the positions refer to (smaller for a scaled copy). */
  width: number;
  height: number;
}

export interface DecodedImage {
  mime: string;
  width: number;
  height: number;
  pages: number;
  quality: ImageQuality;
  provenance: Provenance;
  /** A set is left out where its picture is smaller than a patch. */
  patchSets: PatchSet[];
}

/** Draws the heatmap of the picture that this slot still holds in `in/`. */
export interface RenderHeatmapRequest {
  type: 'render-heatmap';
  id: number;
  input: string;
  limits: DecodeLimits;
  size: number;
  positions: PatchPosition[];
  /** Calibrated probability of `artificial` per position, 0..1. */
  probabilities: number[];
  /** File to write in `out/`. */
  output: string;
}

export interface RenderedHeatmap {
  width: number;
  height: number;
}

export type DecodeRequest = ProbeRequest | DecodeImageRequest | RenderHeatmapRequest | { type: 'shutdown' };

/** Why a child refuses a file: the file's fault, so it is final and not tried again. */
export const MEDIA_FAULTS = ['unsupported_media_type', 'corrupt', 'too_many_pixels'] as const;
export type MediaFault = (typeof MEDIA_FAULTS)[number];

/** What isolates a decode child, strongest first. */
export const ISOLATION_LEVELS = ['bubblewrap', 'no network and limits', 'limits only'] as const;
export type IsolationLevel = (typeof ISOLATION_LEVELS)[number];

export type DecodeResponse =
  | { type: 'ready' }
  | { type: 'progress'; id: number; step: string; done: number; total: number }
  | { type: 'probed'; id: number; probe: Probe }
  | { type: 'decoded-image'; id: number; image: DecodedImage }
  | { type: 'rendered-heatmap'; id: number; heatmap: RenderedHeatmap }
  | { type: 'failed'; id: number; fault: MediaFault; message: string }
  /** The child's own fault: it ends itself after this, and the attempt counts. */
  | { type: 'broken'; id: number; message: string };

/** What the inference child needs of a pack; paths are absolute, written by the operator or by us, never hostile. */
export interface LoadedPack {
  key: string;
  modelPath: string;
  input: { name: string; mean: [number, number, number]; std: [number, number, number]; size: number };
  outputName: string;
  golden: { tolerance: number; expected: number[] };
}

export interface InferRequest {
  type: 'infer';
  id: number;
  pack: string;
  /** Absolute path of a patch file in a slot folder: bytes written by a decode child, never opened as a picture. */
  path: string;
  count: number;
}

export type InferenceRequest =
  | {
      type: 'load';
      packs: LoadedPack[];
      providers: string[];
      threads: number;
      batchMax: number;
      batchWaitMs: number;
    }
  | InferRequest
  | { type: 'shutdown' };

/** How a pack came up: the provider that really runs it, or why it is out of service. */
export interface PackReport {
  key: string;
  provider: string | null;
  fault: string | null;
  /** Largest difference to the golden outputs. */
  goldenError: number | null;
  loadMs: number;
}

export type InferenceResponse =
  | { type: 'ready'; packs: PackReport[] }
  | { type: 'inferred'; id: number; logits: Float32Array; elapsedMs: number; batches: number }
  | { type: 'failed'; id: number; message: string };
