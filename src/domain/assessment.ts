/**
 * The assessment says what the verdict cannot: inconclusive, not applicable, why, and whether the answer
 * survives recompression and scaling. It is never forced by a signature or an override.
 */
import { notesOnAudio, notesOnImage, notesOnVideo } from './assessment-notes.ts';
import { fuseLogOdds, logistic, type UsableRun, usableRuns } from './heuristics.ts';
import type { DeclaredOrigin, Provenance } from './provenance.ts';
import type { AnalysisResult, AudioResult, ImageResult, StabilityVariant, VideoResult } from './result.ts';

export const ASSESSMENT_STATES = ['human', 'artificial', 'inconclusive', 'not_applicable'] as const;
export type AssessmentState = (typeof ASSESSMENT_STATES)[number];

export interface AssessmentReason {
  code: string;
  sentence: string;
}

export interface Stability {
  variants: StabilityVariant[];
  /** Variants whose side of even odds differs from the original's. */
  flips: number;
}

export interface Quality {
  shortSide: number;
  jpegQuality: number | null;
  truncated: boolean;
}

export interface Assessment {
  state: AssessmentState;
  /** Calibrated probability of `artificial` at even prior odds: how likely, not how much. Null without an answer. */
  probability: number | null;
  /** log10 of P(evidence | artificial) / P(evidence | human). */
  log10LikelihoodRatio: number | null;
  reasons: AssessmentReason[];
  stability: Stability | null;
  /** Null for sound. */
  quality: Quality | null;
  declaredOrigin: DeclaredOrigin | null;
  remoteManifestUrl: string | null;
}

/** What an assessment is made of, whatever the kind of media. */
interface Evidence {
  /** `picture`, `sound`, … in sentences. */
  what: string;
  runs: UsableRun[];
  stability: Stability | null;
  quality: Quality | null;
  provenance: Provenance;
  notes: AssessmentReason[];
}

export function assess(result: AnalysisResult): Assessment {
  switch (result.kind) {
    case 'image':
      return assessImage(result);
    case 'audio':
      return assessAudio(result);
    case 'video':
      return assessVideo(result);
  }
}

/** Derives the assessment of one analysed picture. */
export function assessImage(result: ImageResult): Assessment {
  const runs = usableRuns(result.runs);
  const { quality, provenance } = result;
  const stability = stabilityOf(result.stability, runs);
  return weigh({ what: 'picture', runs, stability, quality, provenance, notes: notesOnImage(result) });
}

export function assessAudio(result: AudioResult): Assessment {
  const runs = usableRuns(result.runs);
  const { provenance } = result;
  const none = { stability: null, quality: null };
  return weigh({ what: 'sound', runs, ...none, provenance, notes: notesOnAudio(result) });
}

export function assessVideo(result: VideoResult): Assessment {
  const runs = usableRuns(result.runs);
  const { width, height, provenance } = result;
  const quality = { shortSide: Math.min(width, height), jpegQuality: null, truncated: false };
  const notes = notesOnVideo(result);
  return weigh({ what: 'video', runs, stability: null, quality, provenance, notes });
}

function weigh({ what, runs, stability, quality, provenance, notes }: Evidence): Assessment {
  const { declaredOrigin, remoteManifestUrl } = provenance;
  const base = { stability, quality, declaredOrigin, remoteManifestUrl };
  if (runs.length === 0) {
    const silent = reason('NO_MODEL_ANSWERED', `No model could answer for this ${what}.`);
    const reasons = [silent, ...notes];
    return { state: 'not_applicable', probability: null, log10LikelihoodRatio: null, reasons, ...base };
  }
  const logOdds = fuseLogOdds(runs);
  const probability = logistic(logOdds);
  const doubts = [...doubtsOf(probability, runs, stability), ...contradictionsOf(probability, provenance)];
  const state = doubts.length > 0 ? 'inconclusive' : probability >= 0.5 ? 'artificial' : 'human';
  const lean = reason(
    probability >= 0.5 ? 'MODEL_LEANS_ARTIFICIAL' : 'MODEL_LEANS_HUMAN',
    `The models put the probability of an artificial origin at ${(probability * 100).toFixed(0)} % at even prior odds.`,
  );
  const reasons = [...doubts, lean, ...notes];
  return { state, probability, log10LikelihoodRatio: logOdds / Math.LN10, reasons, ...base };
}

function reason(code: string, sentence: string): AssessmentReason {
  return { code, sentence };
}

function stabilityOf(variants: StabilityVariant[], runs: readonly UsableRun[]): Stability | null {
  if (variants.length === 0 || runs.length === 0) return null;
  const isArtificial = fuseLogOdds(runs) >= 0;
  const flips = variants.filter((variant) => variant.logOdds >= 0 !== isArtificial).length;
  return { variants, flips };
}

function doubtsOf(
  probability: number,
  runs: readonly { inconclusiveLow: number; inconclusiveHigh: number }[],
  stability: Stability | null,
): AssessmentReason[] {
  const doubts: AssessmentReason[] = [];
  const low = Math.min(...runs.map((run) => run.inconclusiveLow));
  const high = Math.max(...runs.map((run) => run.inconclusiveHigh));
  if (probability > low && probability < high) {
    doubts.push(reason('WEAK_EVIDENCE', 'The evidence is too weak to speak for either origin.'));
  }
  if (stability !== null && stability.flips > 0) {
    doubts.push(
      reason('UNSTABLE_UNDER_REENCODING', 'The answer changes when the picture is recompressed or scaled.'),
    );
  }
  return doubts;
}

/** A file that declares itself generated must not be called human by a weak model, nor the other way round. */
function contradictionsOf(probability: number, provenance: Provenance): AssessmentReason[] {
  const declared = provenance.declaredOrigin;
  const saysGenerated = declared === 'generated' || declared === 'composite_with_generated';
  if (saysGenerated === probability >= 0.5 || (!saysGenerated && declared !== 'captured')) return [];
  const sentence = 'What the file declares of its origin contradicts what the models measured.';
  return [reason('PROVENANCE_CONTRADICTS_MODELS', sentence)];
}

/** The state alone, for counters. */
export function assessmentState(result: AnalysisResult): AssessmentState {
  return assess(result).state;
}
