/**
 * Everything the daemon and its inference children say to each other.
 * Small messages as in protocol.ts: patches and sound go by path. An inference child never opens an uploaded file.
 */
import type { LanguageShare } from '../../domain/transcripts/spoken-language.ts';
import type { SampleRange } from '../../domain/verdicts/speech.ts';

/** What a model takes: patches of a picture, windows of a sound, or the frames of a sound one after the other. */
export interface PatchInput {
  kind: 'patches';
  /** Name of the model's input. */
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
  /** Samples before a frame that the model sees again. */
  contextSamples: number;
}

/** A model that writes down speech: an encoder (the pack's model), a decoder and the words that they know. */
export interface TranscriptionInput {
  kind: 'transcription';
  name: string;
  decoderPath: string;
  vocabularyPath: string;
  specialTokensPath: string;
  generationPath: string;
  /** How the decoder's attention is divided. */
  heads: number;
  headSize: number;
}

/** What the inference child needs of a pack; paths are absolute, written by the operator or by us, never hostile. */
export interface LoadedPack {
  key: string;
  modelPath: string;
  /** SHA-256 of the model's file, which was compared when the pack was found. */
  modelSha256: string;
  input: PatchInput | WindowInput | SpeechInput | TranscriptionInput;
  /** No other provider is tried. */
  staysOnCpu?: boolean;
  /** It is checked when it is first asked, not at the load: for a pack that few submissions ask, and that is large. */
  isCheckedLate?: boolean;
  /**
   * It came with this release, which was built with its golden outputs: on a CPU the load does not wait for its check, which
   * follows at once. Until then no request is answered by it.
   */
  isProvedNext?: boolean;
  outputName: string;
  /** Values that it gives for each item. */
  outputLength: number;
  /** `expected` lies evenly among the outputs of the first `items` golden inputs. */
  golden: {
    tolerance: number;
    expected: number[];
    items: number;
    /** The outputs are reported instead of compared: they become what is expected. */
    isRecorded?: boolean;
  };
}

/** What is known of a pack from an earlier start. */
export interface RememberedCheck {
  key: string;
  goldenError: number;
}

/** What windows hold of a file of samples. */
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
  /** For a pack that takes windows. */
  windows?: WindowCut | undefined;
}

export interface DetectRequest {
  type: 'detect-speech';
  id: number;
  pack: string;
  path: string;
  sampleCount: number;
  /** By how much the detector hears it louder; 1 if absent. */
  gain?: number | undefined;
}

/** One window of speech, written down. */
export interface TranscribeRequest {
  type: 'transcribe';
  id: number;
  pack: string;
  path: string;
  sampleCount: number;
  /** The speech that is heard, in order, one piece after the other; thirty seconds at most together. */
  ranges: SampleRange[];
  /** Null if nothing is known. */
  language: SpokenLanguage | null;
}

export interface SpokenLanguage {
  /** ISO 639-1. */
  code: string;
  /** Named by the submission; otherwise a guess from its beginning, and a window's own counts if it is clear. */
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
  /** The likeliest languages of the sound, in order, whatever it was written in. */
  languages: LanguageShare[];
  /** Probability that there is no speech. */
  noSpeech: number;
  /** Whether there was a text that could not be believed. */
  isLeftOut: boolean;
  segments: WindowSegment[];
}

/** What waits for a pack. */
export type PackRequest = InferRequest | DetectRequest | TranscribeRequest;

export type InferenceRequest =
  | {
      type: 'load';
      packs: LoadedPack[];
      /** Packs that gave their golden outputs on this box before: they are brought up and checked by their first request. */
      remembered: RememberedCheck[];
      providers: string[];
      /** Those of them on which a pack is first tried in half precision; it stays in it if its golden outputs are right. */
      halfProviders: string[];
      threads: number;
      batchMax: number;
      batchWaitMs: number;
      /** How long a pack stays in memory that no one asks; infinite: always. */
      keepLoadedMs: number;
    }
  | PackRequest
  /** No one waits for the request any more: what is left of it need not run. It is answered as failed. */
  | { type: 'cancel'; id: number }
  | { type: 'shutdown' };

/** Precision of a model's weights and sums: 32 or 16 bits. */
export type Precision = 'full' | 'half';

/** How a pack came up: the provider that really runs it, or why it is out of service. */
export interface PackReport {
  key: string;
  provider: string | null;
  precision: Precision;
  /** Why it runs in full precision although half is wanted; null if there is nothing to say. */
  precisionNote: string | null;
  /** Why each provider that was to be tried before it did not take the pack. */
  passedOver: string[];
  fault: string | null;
  /** Largest difference to the golden outputs. */
  goldenError: number | null;
  /** What the model gives for the golden inputs, if it is in service. */
  goldenOutputs?: number[];
  /** Providers that are being prepared for it, and since when, while `provider` answers. */
  preparing?: string;
  loadMs: number;
}

export type InferenceResponse =
  | { type: 'ready'; packs: PackReport[] }
  /** How a remembered pack came up at its first request, which is what its start would have found. */
  | { type: 'proved'; report: PackReport }
  /** Keys of the packs that are in memory, whenever they change. */
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
  /** A long request is at work: the child is not hung. */
  | { type: 'working'; id: number }
  | { type: 'failed'; id: number; message: string };
