/**
 * Everything the daemon and its worker processes say to each other; the only thing they share. Pixels and
 * sound go by path, relative to the slot's folder, never through the channel. The folder holds `in/` (one
 * input file from the daemon: read-only, or a copy if no wall can make it so) and `out/` (the child writes
 * there).
 */
import type { HeatmapLayer } from '../../domain/media/heatmap.ts';
import type { PatchLayout, PatchPosition } from '../../domain/media/patches.ts';
import type { RenditionKind, SheetFacts, SheetFrame } from '../../domain/media/rendition.ts';
import type { ResizedLayout } from '../../domain/media/resized-view.ts';
import type { StabilityVariantName } from '../../domain/media/stability.ts';
import type { View, ViewLayout } from '../../domain/media/views.ts';
import type { OuterSource } from '../../domain/provenance/outer-manifest.ts';
import type { TrustMaterial } from '../../domain/provenance/trust-list.ts';
import type { ProgressStep } from '../../domain/records/progress-steps.ts';
import type { Answered, DecodeAnswer, DecodedFrame, PatchedPicture, VideoDecoder } from './decoded-media.ts';

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

/** Reads marks only, and writes nothing. */
export interface ReadMarksRequest extends Omit<ProbeRequest, 'type'> {
  type: 'read-marks';
  trust: TrustMaterial;
}

/** Describes a picture for searches by copies, and writes nothing. */
export type DescribePictureRequest = Omit<ProbeRequest, 'type'> & { type: 'describe-picture' };

export type DescribeKeptRequest = Omit<ProbeRequest, 'type'> & { type: 'describe-kept'; isFrame: boolean };

/** Reads only the manifests of an analysed file. */
export interface ReadProvenanceRequest extends Omit<ReadMarksRequest, 'type'> {
  type: 'read-provenance';
  /** Replaces one within the file: `input` is another name in `in/`. */
  manifest?: { input: string; source: OuterSource } | undefined;
}

/** Patches to cut from the picture or from a re-encoded or scaled copy of it. */
export interface PatchSetRequest {
  /** Names the set in the answer and its file in `out/`: letters, digits and dashes. */
  name: string;
  variant: 'original' | StabilityVariantName;
  layout: PatchLayout;
  /** Replaces patches: the whole picture scaled, and its middle. The layout's `countMax` then bounds the views. */
  resized?: ResizedLayout | undefined;
  /** A picture smaller than a patch is filled up with its mirror image; without this, the set is left out. */
  isMirrored?: boolean | undefined;
  /** Whether the answer says which parts lie in the picture twice. */
  withRepeats?: boolean | undefined;
  withTexture?: boolean | undefined;
}

/** How a view is scaled: smoothly, or as TensorFlow does between corner pixels, which skips pixels of large pictures. */
export const VIEW_KERNELS = ['linear', 'align-corners'] as const;
export type ViewKernel = (typeof VIEW_KERNELS)[number];

/** Views of the whole picture for models that take a fixed size; answered as a patch set, a patch per view. */
export interface ViewSetRequest {
  name: string;
  layout: ViewLayout;
  kernel: ViewKernel;
}

export interface DecodeImageRequest {
  type: 'decode-image';
  id: number;
  input: string;
  limits: DecodeLimits;
  trust: TrustMaterial;
  patchSets: PatchSetRequest[];
  viewSets?: ViewSetRequest[] | undefined;
  /** Cut from further frames of an animation, too. */
  frameSets?: PatchSetRequest[] | undefined;
  /** Whether `copy-patches` or `cut-views` may follow. */
  keepsPicture?: boolean | undefined;
}

/** More sets of a picture that was decoded before, or of copies of it. */
export interface CopyPatchesRequest
  extends Pick<DecodeImageRequest, 'id' | 'input' | 'limits' | 'patchSets'> {
  type: 'copy-patches';
  folder: 'in' | 'out';
}

/** Which frames of a video are analysed: spread evenly in time, or found by a method. */
export interface ChosenFrames {
  method: 'even' | 'iframes' | 'flow' | 'color';
  countMax: number;
}

/** Or frames at given times, seconds from the video's beginning, ascending. */
export type FrameChoice = ChosenFrames | { method: 'at'; times: number[] };

/** Views of more frames than are wanted, so that the better ones can be preferred. */
export interface SampleFramesRequest {
  type: 'sample-frames';
  id: number;
  input: string;
  limits: DecodeLimits;
  choice: ChosenFrames;
  /** Samples for each chosen frame, which is among them. */
  samplesPerFrame: number;
  decoder: VideoDecoder;
  /** Views of each sample, which is scaled down first. */
  viewSet: ViewSetRequest;
}

/** The operator's choice: with `prefer-gpu` a box without one decodes on the CPU, and says so. */
export type VideoDecoderChoice = 'cpu' | 'prefer-gpu' | 'require-gpu';

/** Whether a child can reach a GPU that decodes video. */
export interface FindGpuRequest {
  type: 'find-gpu';
  id: number;
}

export interface DecodeVideoRequest {
  type: 'decode-video';
  id: number;
  input: string;
  limits: DecodeLimits;
  trust: TrustMaterial;
  frames: FrameChoice;
  /** A codec that the GPU does not know is decoded on the CPU. */
  decoder: VideoDecoder;
  /** Cut from every frame, under the requested names. */
  patchSets: PatchSetRequest[];
  viewSets?: ViewSetRequest[] | undefined;
  withTrack: boolean;
  /** Bound on the track, whose samples are written to the slot folder as floats. */
  soundSecondsMax: number;
}

export interface DecodeAudioRequest {
  type: 'decode-audio';
  id: number;
  input: string;
  trust: TrustMaterial;
  soundSecondsMax: number;
}

/** Draws a map over the picture that this slot still holds, or over a frame that it wrote. */
export interface RenderHeatmapRequest {
  type: 'render-heatmap';
  id: number;
  /** A name in `in/`, or in `out/` for a frame. */
  input: string;
  folder: 'in' | 'out';
  limits: DecodeLimits;
  size: number;
  positions: PatchPosition[];
  /** For each position, 0..1; with `cellPx` (size / cellPx)² for each, row by row. */
  probabilities: number[];
  cellPx?: number | undefined;
  /** Decides the colours and what the legend says. */
  layer: HeatmapLayer;
  /** File to write in `out/`. */
  output: string;
}

/** Cuts parts out of the picture that this slot still holds, or out of a frame that it wrote, scaled to one size. */
export interface CutViewsRequest {
  type: 'cut-views';
  id: number;
  /** A name in `in/`, or in `out/` for a frame. */
  input: string;
  folder: 'in' | 'out';
  limits: DecodeLimits;
  name: string;
  size: number;
  kernel: ViewKernel;
  views: View[];
}

/** Makes a rendition of the file in `in/`; its files in `out/` have fixed names (`RENDITION_FILES`). */
export interface RenderRequest {
  type: 'render';
  id: number;
  input: string;
  limits: DecodeLimits;
  kind: Exclude<RenditionKind, 'sheet'>;
}

/** Draws the contact sheet of a video from its analysed frames, which lie in `in/`. */
export interface DrawSheetRequest extends SheetFacts {
  type: 'draw-sheet';
  id: number;
  limits: DecodeLimits;
  /** Names in `in/`, in the order of the film, at most SHEET_FRAMES_MAX. */
  frames: (SheetFrame & { input: string })[];
}

export type DecodeRequest =
  | ProbeRequest
  | ReadMarksRequest
  | DescribePictureRequest
  | DescribeKeptRequest
  | ReadProvenanceRequest
  | DecodeImageRequest
  | DecodeVideoRequest
  | SampleFramesRequest
  | FindGpuRequest
  | DecodeAudioRequest
  | RenderHeatmapRequest
  | CutViewsRequest
  | CopyPatchesRequest
  | RenderRequest
  | DrawSheetRequest
  /** The kept picture belongs to finished work. Not answered. */
  | { type: 'forget-picture' }
  | { type: 'shutdown' };

type WithoutTrust<Request> = Request extends { trust: TrustMaterial } ? Omit<Request, 'trust'> : Request;

/** A request as it is sent: trust lists have hundreds of kilobytes, so they are sent once, until others apply. */
export type SentRequest = WithoutTrust<DecodeRequest> | { type: 'trust'; trust: TrustMaterial };

/** Why a child refuses a file: a fault of the file, so it is final. */
export const MEDIA_FAULTS = ['unsupported_media_type', 'corrupt', 'too_many_pixels', 'too_long'] as const;
export type MediaFault = (typeof MEDIA_FAULTS)[number];

export type DecodeResponse =
  | { type: 'ready' }
  | { type: 'progress'; id: number; step: ProgressStep; done: number; total: number }
  /** Patches lie in `out/`: the models may begin while the child reads the rest of the picture, or the next frame. */
  | { type: 'patched'; id: number; picture: PatchedPicture }
  | { type: 'frame'; id: number; frame: DecodedFrame }
  | { type: 'answered'; id: number; answer: DecodeAnswer<Answered> }
  | { type: 'failed'; id: number; fault: MediaFault; message: string }
  /** The child's own fault: it ends itself after this, and the attempt counts. */
  | { type: 'broken'; id: number; message: string };
