import type { SpeechSegment } from '../../domain/verdicts/speech.ts';
import type { SpeechFrames } from '../../domain/verdicts/speech-windows.ts';
import type { Findings } from '../../domain/verdicts/tentative.ts';
import type { DecodedSound, SoundFile } from '../../worker/protocol/decoded-media.ts';
import type { AnalysisSlot } from '../decode/decode-slot.ts';
import type { AnalysisParts } from './analysis-parts.ts';

export type SoundParts = Pick<AnalysisParts, 'inference' | 'inferTimeoutMs' | 'decodeTimeoutMs' | 'findPack'>;

export interface SoundWork {
  slot: Pick<AnalysisSlot, 'outPath'>;
  sound: DecodedSound;
  /** Keys of the analysis' packs. */
  models: readonly string[];
  /** The spoken language by the submitter, as ISO 639-1; empty: unknown. */
  language: string;
  signal: AbortSignal;
  secondsMax: number;
  found: (soFar: SpeechFindings, share: number) => void;
}

export interface SoundSpeech {
  file: SoundFile;
  /** Counted from 1; null for the whole sound. */
  channel: number | null;
  segments: readonly SpeechSegment[];
  frames: SpeechFrames;
}

export type SpeechFindings = Pick<Findings, 'clips' | 'speech' | 'transcript'>;
