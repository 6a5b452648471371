/** What speech models are asked about one decoded sound. */
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
  /** What the submitter says is spoken, as ISO 639-1; empty: unknown. */
  language: string;
  signal: AbortSignal;
  /** Every sound is at most so long. */
  secondsMax: number;
  /** Called with what was judged so far, and with the share of all windows. */
  found: (soFar: SpeechFindings, share: number) => void;
}

/** One sound and where somebody speaks in it. */
export interface SoundSpeech {
  file: SoundFile;
  /** From 1; null if it is the whole sound. */
  channel: number | null;
  segments: readonly SpeechSegment[];
  frames: SpeechFrames;
}

export type SpeechFindings = Pick<Findings, 'clips' | 'speech' | 'transcript'>;
