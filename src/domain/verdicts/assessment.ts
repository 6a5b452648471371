/** States what the verdict cannot: inconclusive, not applicable, why, and whether copies agree. No signature forces it. */
import {
  type Choice,
  flag,
  listOf,
  noun,
  nullable,
  number,
  oneOf,
  text,
  type ValuesOf,
  whole,
} from '../field.ts';
import {
  DECLARED_ORIGIN,
  declaresGenerated,
  NO_PROVENANCE,
  type Provenance,
} from '../provenance/provenance.ts';

import { both, type Sentence } from '../provenance/sentence.ts';
import { notesOnAudio, notesOnImage, notesOnVideo, WHATS, type What } from './assessment-notes.ts';
import { type AssessmentReason, inOrderOfWeight, percent, reason } from './assessment-reason.ts';
import { boundsOf, fuseLogOdds, logistic, type UsableRun, usableRuns } from './heuristics.ts';
import type {
  AnalysisResult,
  AudioResult,
  ImageResult,
  ModelRun,
  StabilityVariant,
  VideoResult,
} from './result.ts';
import { weighSignature } from './signed-evidence.ts';

export const ASSESSMENT_STATES = ['human', 'artificial', 'inconclusive', 'not_applicable'] as const;
export const ASSESSMENT_STATE = {
  name: 'AssessmentState',
  words: ASSESSMENT_STATES,
} as const satisfies Choice;
export type AssessmentState = (typeof ASSESSMENT_STATES)[number];

/** `signed`: a trusted manifest decides; else by the size of the likelihood ratio (docs/models.md). */
export const ASSESSMENT_STRENGTHS = ['signed', 'strong', 'moderate', 'weak', 'none'] as const;
export const ASSESSMENT_STRENGTH = {
  name: 'AssessmentStrength',
  description:
    'SIGNED: a trusted manifest, unchanged and in time, decides. STRONG: also a capture by a conforming device.',
  words: ASSESSMENT_STRENGTHS,
} as const satisfies Choice;
export type AssessmentStrength = (typeof ASSESSMENT_STRENGTHS)[number];

export const STABILITY = {
  flips: whole('Variants that fall on the other side of even odds than the original.'),
  variants: listOf(noun<StabilityVariant>('StabilityVariant')),
  notNeeded: listOf(
    text(
      'Copies that were not judged: the answer lies farther from even odds than they were measured to move one.',
    ),
  ),
};
export interface Stability extends ValuesOf<typeof STABILITY> {}

export const QUALITY = {
  shortSide: whole(),
  jpegQuality: nullable(whole()),
  truncated: flag(),
};
export interface Quality extends ValuesOf<typeof QUALITY> {}

export const ASSESSMENT = {
  state: oneOf(ASSESSMENT_STATE),
  strength: nullable(oneOf(ASSESSMENT_STRENGTH)),
  probability: nullable(
    number(
      'Calibrated probability of artificial at even prior odds: how likely, not how much. Null without an answer.',
    ),
  ),
  log10LikelihoodRatio: nullable(number()),
  reasons: listOf(noun<AssessmentReason>('AssessmentReason')),
  stability: nullable(noun<Stability>('Stability')),
  quality: nullable(noun<Quality>('Quality', 'Quality of the picture; null for sound.')),
  declaredOrigin: nullable(oneOf(DECLARED_ORIGIN)),
  remoteManifestUrl: nullable(text()),
};
export interface Assessment extends ValuesOf<typeof ASSESSMENT> {}

interface Evidence {
  what: What;
  runs: UsableRun[];
  stability: Stability | null;
  quality: Quality | null;
  provenance: Provenance;
  /** Whether the pixels hold a generator's own watermark. */
  isWatermarked?: boolean;
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

export function assessImage(result: ImageResult): Assessment {
  const runs = usableRuns(result.runs);
  const { quality, provenance } = result;
  const stability = stabilityOf(result, runs);
  const isWatermarked = (result.marks?.watermarks ?? []).length > 0;
  const notes = notesOnImage(result);
  return weigh({ what: 'picture', runs, stability, quality, provenance, isWatermarked, notes });
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

function weigh(evidence: Evidence): Assessment {
  const { what, runs, stability, quality, provenance, notes } = evidence;
  const { declaredOrigin, remoteManifestUrl } = provenance;
  const base = { stability, quality, declaredOrigin, remoteManifestUrl };
  if (runs.length === 0) {
    const silent = reason('NO_MODEL_ANSWERED', { what: WHATS[what] });
    const contradictions = unsignedContradictions(evidence);
    const signed = weighSignature(provenance, { probability: null, artificialFrom: 1, contradictions });
    const { state = 'not_applicable', strength = null } = signed ?? {};
    const reasons = inOrderOfWeight([...(signed?.reasons ?? []), silent, ...notes]);
    return { state, strength, probability: null, log10LikelihoodRatio: null, reasons, ...base };
  }
  const logOdds = fuseLogOdds(runs);
  const probability = logistic(logOdds);
  const contradictions = unsignedContradictions(evidence);
  const artificialFrom = boundsOf(runs).inconclusiveHigh;
  const signed = weighSignature(provenance, { probability, artificialFrom, contradictions });
  const doubts = signed === null ? measuredDoubts(probability, evidence, contradictions) : [];
  const measured = doubts.length > 0 ? 'inconclusive' : probability >= 0.5 ? 'artificial' : 'human';
  const state = signed?.state ?? measured;
  const strength = signed?.strength ?? strengthOf(logOdds / Math.LN10);
  const lean = reason(probability >= 0.5 ? 'MODEL_LEANS_ARTIFICIAL' : 'MODEL_LEANS_HUMAN', {
    share: percent(probability),
    band: bandWords(evidenceBandOf(logOdds / Math.LN10)),
    errors: expectErrors(probability),
  });
  const reasons = inOrderOfWeight([...(signed?.reasons ?? []), ...doubts, lean, ...notes]);
  return { state, strength, probability, log10LikelihoodRatio: logOdds / Math.LN10, reasons, ...base };
}

function measuredDoubts(
  probability: number,
  { runs, stability, provenance }: Evidence,
  contradictions: readonly AssessmentReason[],
): AssessmentReason[] {
  const doubts = doubtsOf(probability, runs, stability);
  return probability >= 0.5 ? doubts : [...doubts, ...manifestContradictions(provenance), ...contradictions];
}

/** The answer of runs alone, before stability, quality and provenance are known. */
export function assessRuns(runs: readonly ModelRun[]): Pick<Assessment, 'state' | 'probability'> {
  const unknown = { stability: null, quality: null, provenance: NO_PROVENANCE, notes: [] };
  const { state, probability } = weigh({ what: 'media', runs: usableRuns(runs), ...unknown });
  return { state, probability };
}

/** Names of the bands by least |log10 of the likelihood ratio|; docs/models.md publishes them. */
const EVIDENCE_BANDS = [
  { log10Min: 2, name: 'strong' },
  { log10Min: 1, name: 'moderate' },
  { log10Min: 0.3, name: 'weak' },
  { log10Min: 0, name: 'no usable' },
] as const;

function strengthOf(log10LikelihoodRatio: number): AssessmentStrength {
  const band = evidenceBandOf(log10LikelihoodRatio);
  return band === 'no usable' ? 'none' : band;
}

export function evidenceBandOf(log10LikelihoodRatio: number): (typeof EVIDENCE_BANDS)[number]['name'] {
  const size = Math.abs(log10LikelihoodRatio);
  return EVIDENCE_BANDS.find(({ log10Min }) => size >= log10Min)?.name ?? 'no usable';
}

/** The expected errors of a calibrated probability. */
function expectErrors(probability: number): Sentence {
  const wrong = Math.round(100 * Math.min(probability, 1 - probability));
  if (wrong > 1) {
    return both(
      `Of a hundred answers like this one about ${wrong} are wrong.`,
      `Di cento risposte come questa circa ${wrong} sono sbagliate.`,
    );
  }
  return both(
    `Of a hundred answers like this one ${wrong === 0 ? 'fewer than one' : 'about one'} is wrong.`,
    `Di cento risposte come questa ${wrong === 0 ? 'meno di una' : 'circa una'} è sbagliata.`,
  );
}

function bandWords(band: ReturnType<typeof evidenceBandOf>): Sentence {
  return both(
    band,
    { strong: 'forte', moderate: 'moderato', weak: 'debole', 'no usable': 'inutilizzabile' }[band],
  );
}

function stabilityOf(
  { stability: variants, copiesNotNeeded: notNeeded = [] }: ImageResult,
  runs: readonly UsableRun[],
): Stability | null {
  if (variants.length + notNeeded.length === 0 || runs.length === 0) return null;
  const isArtificial = fuseLogOdds(runs) >= 0;
  const flips = variants.filter((variant) => variant.logOdds >= 0 !== isArtificial).length;
  return { variants, flips, notNeeded };
}

function doubtsOf(
  probability: number,
  runs: readonly UsableRun[],
  stability: Stability | null,
): AssessmentReason[] {
  const doubts: AssessmentReason[] = [];
  const { inconclusiveLow, inconclusiveHigh } = boundsOf(runs);
  if (probability > inconclusiveLow && probability < inconclusiveHigh) {
    doubts.push(reason('WEAK_EVIDENCE'));
  }
  if (stability !== null && stability.flips > 0) {
    doubts.push(reason('UNSTABLE_UNDER_REENCODING'));
  }
  return doubts;
}

/** An untrusted manifest supports no human origin: anyone can sign. Declared generated content counts like metadata. */
function manifestContradictions({ declaredOrigin }: Provenance): AssessmentReason[] {
  return declaresGenerated(declaredOrigin) ? [reason('PROVENANCE_CONTRADICTS_MODELS')] : [];
}

/** Unsigned declarations against a human origin. */
function unsignedContradictions({
  provenance: { declarations = [] },
  isWatermarked = false,
}: Pick<Evidence, 'provenance' | 'isWatermarked'>): AssessmentReason[] {
  const contradictions: AssessmentReason[] = [];
  // No one gains by calling their photograph generated, while a claim to be a photograph costs nothing.
  if (declarations.some(({ origin }) => declaresGenerated(origin))) {
    contradictions.push(reason('METADATA_CONTRADICT_MODELS'));
  }
  if (isWatermarked) contradictions.push(reason('WATERMARK_CONTRADICTS_MODELS'));
  return contradictions;
}

export const assessmentState = (result: AnalysisResult): AssessmentState => assess(result).state;
