/** Records as the page reads them, and the documents that ask for them. */

export type Kind = 'IMAGE' | 'VIDEO' | 'AUDIO';
export type Label = 'HUMAN' | 'ARTIFICIAL';
export type AssessmentState = 'HUMAN' | 'ARTIFICIAL' | 'INCONCLUSIVE' | 'NOT_APPLICABLE';

export interface Verdict {
  heuristic: string;
  confidence: number;
  classification: Label;
  models: string[];
  count?: number | null;
  unknown?: boolean | null;
}

export interface ListedRecord {
  identifier: string;
  kind: Kind;
  status: 'NEW' | 'DONE' | 'ERRORED';
  outcome: Uppercase<Outcome>;
  errors: string;
  name: string;
  refId: string;
  hash: string;
  createdAt: string;
  cancelled: boolean;
  forceClassification: Label | null;
  progress: { step: string; done: number; total: number } | null;
  verdict: Verdict | null;
  assessment: { state: AssessmentState; probability: number | null } | null;
}

export const LISTED_FIELDS = `identifier kind status outcome errors name refId hash createdAt cancelled forceClassification
  progress { step done total } verdict { heuristic confidence classification models }
  assessment { state probability }`;

export interface ModelResult {
  model: string;
  version: string;
  axis: string;
  device: string;
  unknown: boolean;
  reason: string;
  elapsedTime: number;
  classification: { label: Label; score: number }[];
}

export interface Assessment {
  state: AssessmentState;
  probability: number | null;
  log10LikelihoodRatio: number | null;
  reasons: { code: string; sentence: string }[];
  stability: { flips: number; variants: { name: string; probability: number }[] } | null;
  quality: { shortSide: number; jpegQuality: number | null; truncated: boolean } | null;
  declaredOrigin: string | null;
  remoteManifestUrl: string | null;
}

export interface C2paReport {
  manifests: Record<string, unknown>;
  active_manifest: string;
  validation_state: string;
  validation_status: { url: string; code: string; explanation: string }[];
  validation_results: {
    activeManifest: Record<
      'failure' | 'success' | 'informational',
      { url: string; code: string; explanation: string }[]
    >;
  };
}

export interface Tentative {
  state: AssessmentState;
  probability: number | null;
  frames: { timeSeconds: number; probability: number | null }[];
  clips: { start: number; probability: number | null }[];
}

export interface SubmittedBy {
  via: string;
  keyId: string | null;
  keyName: string;
}

export type RenditionKind = 'PICTURE' | 'TILES' | 'FILM' | 'SOUND' | 'STRIP' | 'PEAKS';

export interface Rendition {
  kind: RenditionKind;
  /** Browsers do not show the file itself. */
  isNeeded: boolean;
}

export interface BaseRecord extends Omit<ListedRecord, 'assessment'> {
  apiVersion: string | null;
  rulesVersion: number | null;
  readByRulesVersion: number | null;
  resultUrl: string;
  mimetype: string;
  filesize: number;
  sourceUrl: string | null;
  options: Record<string, unknown>;
  origin: 'ANALYSED' | 'CACHED' | 'JOINED';
  credits: number;
  endedAt: string | null;
  tentative: Tentative | null;
  submittedBy: SubmittedBy | null;
  renditions: Rendition[];
  verdicts: Verdict[];
  assessment: Assessment | null;
  c2pa: C2paReport | null;
}

export interface Detection {
  box: { x1: number; y1: number; x2: number; y2: number };
  results: ModelResult[];
  verdict: Verdict;
}

export type HeatmapLayer = 'ORIGIN' | 'TAMPERING' | 'TAMPERING_RELIABILITY';

export interface ImageRecord extends BaseRecord {
  __typename: 'ImageClassification';
  kind: 'IMAGE';
  timeSeconds: number | null;
  width: number | null;
  height: number | null;
  isNsfw: boolean | null;
  hasHeatmap: boolean;
  heatmapLayers: HeatmapLayer[];
  results: ModelResult[];
  details: { detections: Detection[] }[];
}

export interface Clip {
  index: number;
  start: number;
  end: number;
  verdict: Verdict;
  results: ModelResult[];
}

export interface AudioRecord extends BaseRecord {
  __typename: 'AudioClassification';
  kind: 'AUDIO';
  durationSeconds: number | null;
  speechSeconds: number | null;
  results: ModelResult[];
  clips: Clip[];
}

export interface Frame {
  identifier: string;
  timeSeconds: number | null;
  hash: string;
  width: number | null;
  height: number | null;
  verdict: Verdict | null;
  results: ModelResult[];
  assessment: { state: AssessmentState; probability: number | null } | null;
}

export interface Track {
  identifier: string;
  durationSeconds: number | null;
  speechSeconds: number | null;
  verdict: Verdict | null;
  assessment: { state: AssessmentState; probability: number | null } | null;
  results: ModelResult[];
  clips: Clip[];
}

export interface VideoRecord extends BaseRecord {
  __typename: 'VideoClassification';
  kind: 'VIDEO';
  width: number | null;
  height: number | null;
  durationSeconds: number | null;
  images: Frame[];
  audios: Track[];
}

export type FullRecord = ImageRecord | VideoRecord | AudioRecord;

const RESULT = 'model version axis device unknown reason elapsedTime classification { label score }';
const VERDICT = 'heuristic confidence classification models';
const CLIPS = `clips { index start end verdict { ${VERDICT} } results { ${RESULT} } }`;
const SHORT = 'assessment { state probability }';

/** Within the daemon's bounds of depth and cost: a video's frames are asked for with their scores only. */
export const FULL_FIELDS = `__typename identifier kind status outcome errors name refId hash createdAt cancelled
  forceClassification progress { step done total } submittedBy { via keyId keyName } renditions { kind isNeeded }
  tentative { state probability frames { timeSeconds probability } clips { start probability } } apiVersion rulesVersion readByRulesVersion resultUrl mimetype filesize sourceUrl origin credits endedAt
  options { withHeatmap withMorphing withTampering withNsfw withAudio preventC2paForces frames keyFrames keyFramesMethod }
  verdict { ${VERDICT} count unknown } verdicts { ${VERDICT} count unknown }
  assessment { state probability log10LikelihoodRatio declaredOrigin remoteManifestUrl reasons { code sentence }
    stability { flips variants { name probability } } quality { shortSide jpegQuality truncated } }
  ... on ImageClassification { timeSeconds width height isNsfw hasHeatmap heatmapLayers c2pa results { ${RESULT} }
    details { detections { box { x1 y1 x2 y2 } verdict { ${VERDICT} } results { ${RESULT} } } } }
  ... on AudioClassification { durationSeconds speechSeconds c2pa results { ${RESULT} } ${CLIPS} }
  ... on VideoClassification { width height durationSeconds c2pa
    images { identifier timeSeconds hash width height verdict { ${VERDICT} } results { ${RESULT} } ${SHORT} }
    audios { identifier durationSeconds speechSeconds verdict { ${VERDICT} } results { ${RESULT} } ${SHORT} ${CLIPS} } }`;

/** What a record comes to for a reader, as the daemon says it. */
export type Outcome = 'waiting' | 'failed' | 'human' | 'artificial' | 'inconclusive' | 'not_applicable';

export function outcomeOf({ outcome }: Pick<ListedRecord, 'outcome'>): Outcome {
  return outcome.toLowerCase() as Outcome;
}

/** Probability of an artificial origin by one model; null where it gave no answer. */
export function artificialScore({
  classification,
}: {
  classification: { label: Label; score: number }[];
}): number | null {
  return classification.find(({ label }) => label === 'ARTIFICIAL')?.score ?? null;
}

export function verdictScore(verdict: Verdict | null): number | null {
  if (verdict === null) return null;
  return verdict.classification === 'ARTIFICIAL' ? verdict.confidence : 1 - verdict.confidence;
}
