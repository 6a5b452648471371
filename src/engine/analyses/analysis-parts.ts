import type { Analysis, Progress } from '../../domain/records/classification.ts';
import type { Findings } from '../../domain/verdicts/tentative.ts';
import type { Store } from '../../store/store.ts';
import type { VideoDecoder } from '../../worker/protocol.ts';
import type { DecodePool } from '../decode/decode-pool.ts';
import type { InferencePool } from '../inference/inference-pool.ts';
import type { InstalledPack } from '../packs/installed-packs.ts';

/** What the analysis of any kind of media is made with. */
export interface AnalysisParts {
  store: Pick<Store, 'blobs'> & { artifacts: Pick<Store['artifacts'], 'put'> };
  decodePool: Pick<DecodePool, 'run'>;
  inference: Pick<InferencePool, 'infer' | 'detectSpeech'>;
  /** The usable pack with the key. */
  findPack: (key: string) => InstalledPack | undefined;
  newIdentifier: () => string;
  trustAnchorsPem: string;
  stability: boolean;
  /** What decodes video, if it can. */
  videoDecoder: VideoDecoder;
  /** Told of what has decoded a video. */
  videoDecoded: (used: VideoDecoder) => void;
  /** A model process that answered nobody for so long is taken for hung. */
  inferTimeoutMs: number;
  /** Of one decode step of a video or a sound: they may be hours long. */
  decodeTimeoutMs: number;
  stepTimed: (step: string, seconds: number) => void;
}

/** One attempt at an analysis. */
export interface Attempt {
  analysis: Analysis;
  signal: AbortSignal;
  report: (progress: Progress) => void;
  /** Of a step that has ended, for the record. */
  stepTimed: (step: string, seconds: number) => void;
  /** Keeps what was found so far for whoever looks; told to watchers with the next report. */
  found: (findings: Findings) => void;
}
