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

export interface AnalysisFiles {
  blobs: Originals;
  artifacts: Pick<ArtifactStore, 'put'>;
}

/** The source of an analysis' answers: decoders and models, or notes of their answers. */
export interface Children {
  decodePool: {
    run<T>(purpose: 'analysis', work: (slot: AnalysisSlot) => Promise<T>, options: RunOptions): Promise<T>;
  };
  inference: Pick<InferencePool, 'infer' | 'detectSpeech' | 'transcribe'>;
}

export interface AnalysisParts extends Children {
  store: AnalysisFiles;
  /** The usable pack with the key. */
  findPack: (key: string) => InstalledPack | undefined;
  trust: TrustMaterial;
  stability: boolean;
  videoDecoder: VideoDecoder;
  videoDecoded: (used: VideoDecoder) => void;
  /** A model process silent for so long is taken for hung. */
  inferTimeoutMs: number;
  /** Deadline of one decode step of a video or a sound, which may be hours long. */
  decodeTimeoutMs: number;
  stepTimed: (step: string, seconds: number) => void;
}

/** A picture or a film's frame, with its description for searches by copies. */
export interface SeenLikeness {
  likeness: PerceptualHash;
  /** Null for a picture. */
  timeSeconds: number | null;
}

export interface FoundLikenesses {
  likenesses: readonly SeenLikeness[];
  earlier: readonly NearMatch[];
}

/** The input of an analysis, without account, address and name. */
export type AnalysisJob = Pick<Analysis, 'id' | 'kind' | 'hash' | 'options' | 'models'>;

export interface AttemptReports {
  report: (progress: Progress) => void;
  stepTimed: (step: string, seconds: number) => void;
  /** Keeps the findings so far for readers; watchers get them with the next report. */
  found: (findings: Findings) => void;
  /** Keeps a description for searches by copies. */
  seen: (likeness: SeenLikeness) => void;
}

export interface Attempt extends AttemptReports {
  /** Unique for each attempt, also of the same analysis. */
  id: string;
  analysis: AnalysisJob;
  signal: AbortSignal;
}

/** Waits for all even if one fails: their files vanish with the slot. */
export async function settled<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return await Promise.all(work);
}
