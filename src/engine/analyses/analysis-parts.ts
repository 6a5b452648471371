import type { PerceptualHash } from '../../domain/media/perceptual-hash.ts';
import type { TrustMaterial } from '../../domain/provenance/trust-list.ts';
import type { Analysis, Progress } from '../../domain/records/classification.ts';
import type { NearMatch } from '../../domain/records/seen-before.ts';
import type { Findings } from '../../domain/verdicts/tentative.ts';
import type { ArtifactStore } from '../../store/artifacts.ts';
import type { VideoDecoder } from '../../worker/protocol/decoded-media.ts';
import type { RunOptions } from '../decode/decode-pool.ts';
import type { AnalysisSlot } from '../decode/decode-slot.ts';
import type { Originals } from '../decode/place-original.ts';
import type { InferencePool } from '../inference/inference-pool.ts';
import type { InstalledPack } from '../packs/installed-packs.ts';

/** What of the store an analysis sees: its original, and where the files go that it makes. */
export interface AnalysisFiles {
  blobs: Originals;
  artifacts: Pick<ArtifactStore, 'put'>;
}

/** What answers an analysis: decoders and models, or notes of what they answered. */
export interface Children {
  decodePool: {
    run<T>(purpose: 'analysis', work: (slot: AnalysisSlot) => Promise<T>, options: RunOptions): Promise<T>;
  };
  inference: Pick<InferencePool, 'infer' | 'detectSpeech' | 'transcribe'>;
}

/** What the analysis of any kind of media is made with. */
export interface AnalysisParts extends Children {
  store: AnalysisFiles;
  /** The usable pack with the key. */
  findPack: (key: string) => InstalledPack | undefined;
  trust: TrustMaterial;
  stability: boolean;
  /** What decodes video, if it can. */
  videoDecoder: VideoDecoder;
  /** Called with the decoder that has decoded a video. */
  videoDecoded: (used: VideoDecoder) => void;
  /** A model process that answered no one for so long is taken for hung. */
  inferTimeoutMs: number;
  /** Deadline of one decode step of a video or a sound: they may be hours long. */
  decodeTimeoutMs: number;
  stepTimed: (step: string, seconds: number) => void;
}

/** A picture, or a frame of a film, by which copies are found. */
export interface SeenLikeness {
  likeness: PerceptualHash;
  /** Null for a picture. */
  timeSeconds: number | null;
}

/** What is to be kept of an analysis that ends: its likenesses, and the earlier ones near to them. */
export interface FoundLikenesses {
  likenesses: readonly SeenLikeness[];
  earlier: readonly NearMatch[];
}

/** What an analysis is made from: neither account nor address nor name. */
export type AnalysisJob = Pick<Analysis, 'id' | 'kind' | 'hash' | 'options' | 'models'>;

/** What is heard of an attempt while it runs. */
export interface AttemptReports {
  report: (progress: Progress) => void;
  /** Notes how long a step took, for the record. */
  stepTimed: (step: string, seconds: number) => void;
  /** Keeps what was found so far for readers; watchers get it with the next report. */
  found: (findings: Findings) => void;
  /** Keeps by what copies of it are found. */
  seen: (likeness: SeenLikeness) => void;
}

/** One attempt at an analysis. */
export interface Attempt extends AttemptReports {
  /** Unlike that of any other attempt, of the same analysis too. */
  id: string;
  analysis: AnalysisJob;
  signal: AbortSignal;
}
