/** Messages to and from inference children; small, since patches and sound go by path. */
import type { LanguageShare } from '../../domain/transcripts/spoken-language.ts';
import type { SampleRange } from '../../domain/verdicts/speech.ts';

/** A model's input: patches of a picture, windows of a sound, or a sound's frames one after the other. */
export interface PatchInput {
  kind: 'patches';
  name: string;
  mean: [number, number, number];
  std: [number, number, number];
  size: number;
}

export interface WindowInput {
  kind: 'windows';
  name: string;
  windowSamples: number;
}

/** A speech detector with a state of its own from frame to frame. */
export interface SpeechInput {
  kind: 'speech';
  name: string;
  frameSamples: number;
  /** Samples before a frame that the model gets again. */
  contextSamples: number;
}

/** A model that transcribes speech: an encoder (the pack's model), a decoder and a vocabulary. */
export interface TranscriptionInput {
  kind: 'transcription';
  name: string;
  decoderPath: string;
  vocabularyPath: string;
  specialTokensPath: string;
  generationPath: string;
  /** Heads of the decoder's attention. */
  heads: number;
  headSize: number;
}

/** An inference child's data of a pack; paths are absolute, written by the operator or by us, never hostile. */
export interface LoadedPack {
  key: string;
  modelPath: string;
  /** SHA-256 of the model's file, compared when the pack was found. */
  modelSha256: string;
  input: PatchInput | WindowInput | SpeechInput | TranscriptionInput;
  staysOnCpu?: boolean;
  /** Checked at its first request, not at the load: a large pack that few submissions ask. */
  isCheckedLate?: boolean;
  /** Built with its golden outputs: on a CPU the load does not wait for the check, which follows before its first answer. */
  isProvedNext?: boolean;
  outputName: string;
  /** Output values for each item. */
  outputLength: number;
  /** `expected` is spread evenly over the outputs of the first `items` golden inputs. */
  golden: {
    tolerance: number;
    expected: number[];
    items: number;
    /** The outputs are reported instead of compared, and become the expected ones. */
    isRecorded?: boolean;
  };
}

/** A pack's check at an earlier start. */
export interface RememberedCheck {
  key: string;
  goldenError: number;
}

export interface WindowCut {
  sampleCount: number;
  /** One per window. */
  ranges: SampleRange[];
}

export interface InferRequest {
  type: 'infer';
  id: number;
  pack: string;
  /** Absolute path of a patch or sample file in a slot folder: written by a decode child, never opened as media. */
  path: string;
  /** Patches or windows. */
  count: number;
  windows?: WindowCut | undefined;
}

export interface DetectRequest {
  type: 'detect-speech';
  id: number;
  pack: string;
  path: string;
  sampleCount: number;
  /** How much louder the detector hears it; 1 if absent. */
  gain?: number | undefined;
}

export interface TranscribeRequest {
  type: 'transcribe';
  id: number;
  pack: string;
  path: string;
  sampleCount: number;
  /** The ranges of speech, in order; thirty seconds at most together. */
  ranges: SampleRange[];
  /** Null if nothing is known. */
  language: SpokenLanguage | null;
}

export interface SpokenLanguage {
  /** ISO 639-1. */
  code: string;
  /** Named by the submission; otherwise a guess from its beginning, and a window's own language counts if it is clear. */
  isSaid: boolean;
}

/** Seconds from the beginning of the window. */
export interface WindowSegment {
  startSeconds: number;
  endSeconds: number;
  text: string;
  /** Mean probability of its words' pieces, 0..1. */
  confidence: number;
  /** Root mean square of its sound, decibels of full scale. */
  levelDb: number;
}

export interface WindowText {
  /** ISO 639-1. */
  language: string;
  /** The likeliest languages of the sound, in order, whatever language it was written in. */
  languages: LanguageShare[];
  /** Probability that there is no speech. */
  noSpeech: number;
  /** Whether a text was left out as not credible. */
  isLeftOut: boolean;
  segments: WindowSegment[];
}

export type PackRequest = InferRequest | DetectRequest | TranscribeRequest;

export type InferenceRequest =
  | {
      type: 'load';
      packs: LoadedPack[];
      /** Packs that gave their golden outputs on this box before: their first request brings them up and checks them. */
      remembered: RememberedCheck[];
      providers: string[];
      /** Providers on which a pack is first tried in half precision; it stays in it if its golden outputs are right. */
      halfProviders: string[];
      threads: number;
      batchMax: number;
      batchWaitMs: number;
      /** How long an unused pack stays in memory; infinite: always. */
      keepLoadedMs: number;
    }
  | PackRequest
  /** The rest of a request need not run, since no one waits for it. It is answered as failed. */
  | { type: 'cancel'; id: number }
  | { type: 'shutdown' };

/** Precision of a model's weights and sums: 32 or 16 bits. */
export type Precision = 'full' | 'half';

/** How a pack came up: the provider that runs it, or why it is out of service. */
export interface PackReport {
  key: string;
  provider: string | null;
  precision: Precision;
  /** Why it runs in full precision although half is wanted; null without a reason. */
  precisionNote: string | null;
  /** Why each earlier provider did not take the pack. */
  passedOver: string[];
  fault: string | null;
  /** Largest difference to the golden outputs. */
  goldenError: number | null;
  /** The model's answers to the golden inputs, if it is in service. */
  goldenOutputs?: number[];
  /** Providers that are being prepared for it, and since when, while `provider` answers. */
  preparing?: string;
  loadMs: number;
}

export type InferenceResponse =
  | { type: 'ready'; packs: PackReport[] }
  /** How a remembered pack came up at its first request, as its start would have found. */
  | { type: 'proved'; report: PackReport }
  /** Sent whenever the packs in memory change. */
  | { type: 'resident'; packs: string[] }
  /** `outputLength` values per item, one item after the other; `waitedMs` until its first batch ran. */
  | {
      type: 'inferred';
      id: number;
      logits: Float32Array;
      elapsedMs: number;
      waitedMs: number;
      batches: number;
    }
  /** One probability of speech per frame. */
  | { type: 'detected'; id: number; probabilities: Float32Array; elapsedMs: number }
  | { type: 'transcribed'; id: number; text: WindowText; elapsedMs: number }
  /** A long request is being worked on: the child does not hang. */
  | { type: 'working'; id: number }
  | { type: 'failed'; id: number; message: string };
