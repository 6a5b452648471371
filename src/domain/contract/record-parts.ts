/** The parts of a record, one row a field. Their types stand beside the rules that make them. */

import {
  type FieldsOf,
  flag,
  identifier,
  listOf,
  moment,
  type Noun,
  noun,
  nullable,
  number,
  oneOf,
  text,
  type ValuesOf,
  whole,
} from '../field.ts';
import { AXES, type Axis } from '../packs/pack-parts.ts';
import type { Progress, SubmittedBy } from '../records/classification.ts';
import type { ExportedReading } from '../records/exported-reading.ts';
import type { TimestampStatus } from '../records/package-timestamps.ts';
import type { SeenBefore } from '../records/seen-before.ts';
import type { SignOff, SignOffAnswer } from '../records/sign-off.ts';
import type { StepTime } from '../records/step-times.ts';
import { RECORD_SEGMENTS_MAX, type ShownSegment, type TranscriptSummary } from '../transcripts/transcript.ts';
import type { Assessment, Quality, Stability } from '../verdicts/assessment.ts';
import type { AssessmentReason } from '../verdicts/assessment-reason.ts';
import type { Verdict } from '../verdicts/heuristics.ts';
import type { Mark } from '../verdicts/marks.ts';
import type { PlaceSpread, StabilityVariant } from '../verdicts/result.ts';
import type { Tentative, TentativeClip, TentativeFrame } from '../verdicts/tentative.ts';
import {
  ASSESSMENT_STATE,
  ASSESSMENT_STRENGTH,
  DECLARED_ORIGIN,
  HEURISTIC,
  LABEL,
  LIKENESS_RELATION,
  MARK_KIND,
  MARK_STATE,
  MARK_STRENGTH,
  OUTCOME,
  SIGN_OFF_STATE,
} from './words.ts';

const IN_SECONDS = { description: 'In seconds.' };

const VERDICT = {
  heuristic: oneOf(HEURISTIC),
  confidence: number({
    description: 'Probability of the stated classification, 0 to 1; 0.5 where nothing could answer.',
  }),
  classification: oneOf(LABEL),
  models: listOf(text()),
} satisfies FieldsOf<Verdict>;

const VIDEO_VERDICT = {
  count: nullable(whole({ description: 'Videos only: the frames and tracks behind the verdict.' })),
  unknown: nullable(flag({ description: 'Videos only: nothing could answer.' })),
};

const SCORE = { label: oneOf(LABEL), score: number() };
type Score = ValuesOf<typeof SCORE>;

const PLACE_SPREAD = {
  count: whole({ description: 'Places of the picture that the model looked at.' }),
  spread: number({ description: 'Standard deviation of their calibrated natural log-odds.' }),
} satisfies FieldsOf<PlaceSpread>;

const MODEL_RESULT = {
  model: text(),
  version: text(),
  axis: text<Axis>({ words: AXES }),
  device: text(),
  unknown: flag(),
  /** Why there is no answer; an empty string if there is one. */
  reason: text(),
  elapsedSeconds: number({ documented: 'elapsedTime', ...IN_SECONDS }),
  /** Both labels with their scores, or empty when unknown. */
  classification: listOf(noun<Score>('Score')),
  places: nullable(
    noun<PlaceSpread>('PlaceSpread', {
      description:
        'How far apart its answers for single places of a picture lie; null where it looked at one.',
    }),
  ),
};
export type ModelResult = ValuesOf<typeof MODEL_RESULT>;

const BOX = { x1: number(), y1: number(), x2: number(), y2: number() };

const DETECTION = {
  box: noun<ValuesOf<typeof BOX>>('Box'),
  results: listOf(noun<ModelResult>('ModelResult')),
  verdict: noun<Verdict>('Verdict'),
};
export type DetectionRecord = ValuesOf<typeof DETECTION>;

const DETAIL = { detections: listOf(noun<DetectionRecord>('Detection')) };
export type Detail = ValuesOf<typeof DETAIL>;

const SPAN = {
  index: whole(),
  startSeconds: number({ documented: 'start', ...IN_SECONDS }),
  endSeconds: number({ documented: 'end', ...IN_SECONDS }),
};

const CLIP = {
  ...SPAN,
  results: listOf(noun<ModelResult>('ModelResult')),
  verdict: noun<Verdict>('Verdict'),
};
export type ClipRecord = ValuesOf<typeof CLIP>;

const STABILITY_VARIANT = {
  name: text(),
  logOdds: number(),
  probability: number(),
} satisfies FieldsOf<StabilityVariant>;

const STABILITY = {
  flips: whole({ description: 'Copies on which the answer changed sides.' }),
  variants: listOf(noun<StabilityVariant>('StabilityVariant')),
  notNeeded: listOf(
    text({
      description:
        'Copies that were not judged: the answer lies farther from even odds than they were measured to move one.',
    }),
  ),
} satisfies FieldsOf<Stability>;

const QUALITY = {
  shortSide: whole(),
  jpegQuality: nullable(whole()),
  truncated: flag(),
} satisfies FieldsOf<Quality>;

const REASON = { code: text(), sentence: text() } satisfies FieldsOf<AssessmentReason>;

const ASSESSMENT = {
  state: oneOf(ASSESSMENT_STATE),
  strength: nullable(oneOf(ASSESSMENT_STRENGTH)),
  probability: nullable(
    number({ description: 'Calibrated probability of an artificial origin at even prior odds.' }),
  ),
  log10LikelihoodRatio: nullable(number()),
  reasons: listOf(noun<AssessmentReason>('AssessmentReason')),
  stability: nullable(noun<Stability>('Stability')),
  quality: nullable(noun<Quality>('Quality', { description: 'Quality of the picture; null for sound.' })),
  declaredOrigin: nullable(oneOf(DECLARED_ORIGIN)),
  remoteManifestUrl: nullable(text()),
} satisfies FieldsOf<Assessment>;

const MARK = {
  kind: oneOf(MARK_KIND),
  state: oneOf(MARK_STATE),
  field: text({ description: 'Where it stands; empty where none was found.' }),
  value: text({
    description: 'What was found, or why it could not be looked for; empty where it is absent.',
  }),
  origin: nullable(oneOf(DECLARED_ORIGIN, { description: 'What it declares.' })),
  strength: oneOf(MARK_STRENGTH),
} satisfies FieldsOf<Mark>;

const SEEN_BEFORE = {
  identifier: identifier<string>(),
  accountId: identifier<number>(),
  name: text(),
  createdAt: moment(),
  relation: oneOf(LIKENESS_RELATION),
  distance: whole({ description: 'Bits of 256 that differ.' }),
  timeSeconds: nullable(number({ description: 'Position of the frame in this film; null for a picture.' })),
  earlierSeconds: nullable(number({ description: 'And in the earlier one.' })),
  outcome: oneOf(OUTCOME),
  finding: nullable(oneOf(LABEL, { description: 'What a person said.' })),
  foundAt: nullable(moment()),
  foundByAccountId: nullable(identifier<number>()),
} satisfies FieldsOf<SeenBefore>;

const PROGRESS = { step: text(), done: whole(), total: whole() } satisfies FieldsOf<Progress>;

const STEP_TIME = {
  step: text(),
  seconds: number({
    description: 'Sum over all times that it was done; steps overlap, and some are parts of others.',
  }),
  times: whole(),
} satisfies FieldsOf<StepTime>;

const TENTATIVE_FRAME = {
  timeSeconds: number(),
  probability: nullable(
    number({
      description: 'Calibrated probability of an artificial origin; null where no model could answer.',
    }),
  ),
} satisfies FieldsOf<TentativeFrame>;

const TENTATIVE_CLIP = { ...SPAN, probability: nullable(number()) } satisfies FieldsOf<TentativeClip>;

const TRANSCRIPT_SEGMENT = {
  startSeconds: number(),
  endSeconds: number(),
  text: text(),
  confidence: number({ description: 'How sure the machine was of its words, 0 to 1.' }),
  language: text({ description: 'ISO 639.' }),
  channel: nullable(
    whole({
      description: 'Whose words they are, from 1; null where the channels do not hold different voices.',
    }),
  ),
} satisfies FieldsOf<ShownSegment>;

const TRANSCRIPT = {
  model: text(),
  version: text(),
  language: text({ description: 'ISO 639, of most of the text; empty where there is none.' }),
  segments: listOf(
    noun<ShownSegment>('TranscriptSegment', {
      description: `The first ${RECORD_SEGMENTS_MAX}; the rest is fetched with the whole transcript.`,
    }),
  ),
  segmentCount: whole(),
  wordCount: whole(),
  leftOutSeconds: number({ description: 'Speech for which no text could be believed.' }),
  fault: text({ description: 'Why it is not whole; empty where it is.' }),
} satisfies FieldsOf<TranscriptSummary>;

const TENTATIVE = {
  frames: listOf(noun<TentativeFrame>('TentativeFrame', { description: 'Frames of a video, by time.' })),
  clips: listOf(
    noun<TentativeClip>('TentativeClip', { description: 'Clips of a sound or a video’s track, by time.' }),
  ),
  transcript: listOf(
    noun<ShownSegment>('TranscriptSegment', { description: 'What was written down last, by time.' }),
  ),
  state: oneOf(ASSESSMENT_STATE, { description: 'From these frames and clips alone.' }),
  probability: nullable(number()),
} satisfies FieldsOf<Tentative>;

const EXPORTED_READING = {
  at: moment(),
  byAccountId: identifier<number>(),
  rulesVersion: whole(),
  classification: text({ description: 'human or artificial; empty where nothing could answer.' }),
  state: text({ description: 'State of the assessment, as it was stated then.' }),
  probability: nullable(number()),
  fingerprint: text({ description: 'Fingerprint of the key that signed the package.' }),
  packageSha256: text({ description: 'Hash of the signed list of the files of the package, hex.' }),
  readsOtherwise: flag({ description: 'Whether the record says something else now.' }),
  timestamps: listOf(
    noun<TimestampStatus>('TimestampStatus', {
      description: 'Timestamp authorities that were asked to stamp the package.',
    }),
  ),
} satisfies FieldsOf<ExportedReading>;

const SIGN_OFF_ANSWER = {
  agrees: flag(),
  reason: text(),
  at: moment(),
  byAccountId: identifier<number>(),
} satisfies FieldsOf<SignOffAnswer>;

const SIGN_OFF = {
  state: oneOf(SIGN_OFF_STATE),
  classification: oneOf(LABEL, { description: 'What the finding says.' }),
  findingAt: moment({ description: 'When it was stated; an answer names it.' }),
  byAccountId: identifier<number>({ description: 'Whose finding it is.' }),
  reason: text({ description: 'Why it was stated.' }),
  askedAt: nullable(
    moment({ description: 'Null if the plan demands a sign-off that was not asked for yet.' }),
  ),
  answers: listOf(noun<SignOffAnswer>('SignOffAnswer', { description: 'Oldest first, at most two.' })),
} satisfies FieldsOf<SignOff>;

/** A finding of the history, with what another person said of it. */
export const FINDING_ENTRY = {
  name: 'OverrideEntry',
  fields: {
    classification: oneOf(LABEL),
    reason: text(),
    at: moment(),
    byAccountId: identifier<number>(),
    measured: nullable(
      oneOf(LABEL, { description: 'The verdict that was measured then; null where there was none.' }),
    ),
    signOff: nullable(noun<SignOff>('SignOff', { description: 'Null where none was asked for.' })),
  },
};

const TIMESTAMP_STATUS = {
  authority: text({ description: 'Its address.' }),
  state: text<TimestampStatus['state']>({ description: 'waiting, stamped or failed.' }),
  time: nullable(moment({ description: 'By the authority\u2019s clock; null until it has answered.' })),
  error: text({ description: 'Why the last try brought no token; empty where it brought one.' }),
} satisfies FieldsOf<TimestampStatus>;

const SUBMITTED_BY = {
  via: text<SubmittedBy['via']>({ description: 'rest, graphql, grpc or dashboard.' }),
  keyId: nullable(identifier<number>({ description: 'Null where a person was signed in at the page.' })),
  keyName: text({ description: 'As the key was named then.' }),
} satisfies FieldsOf<SubmittedBy>;

const ADDED_ANALYSES = {
  analyses: listOf(text({ description: 'By the names that plans know them by.' })),
  progress: nullable(noun<Progress>('Progress', { description: 'Null once it has failed.' })),
  error: text({ description: 'Why it could not be made; empty while it is.' }),
};

export const RECORD_PARTS: readonly Noun[] = [
  { name: 'Verdict', fields: { ...VERDICT, ...VIDEO_VERDICT } },
  { name: 'Score', fields: SCORE },
  { name: 'PlaceSpread', fields: PLACE_SPREAD },
  { name: 'ModelResult', fields: MODEL_RESULT },
  { name: 'Box', description: 'Pixels of the oriented picture.', fields: BOX },
  { name: 'Detection', fields: DETECTION },
  { name: 'Detail', fields: DETAIL },
  { name: 'Clip', fields: CLIP },
  { name: 'StabilityVariant', fields: STABILITY_VARIANT },
  { name: 'Stability', fields: STABILITY },
  { name: 'Quality', fields: QUALITY },
  { name: 'AssessmentReason', fields: REASON },
  {
    name: 'Assessment',
    description: 'What the verdict cannot say: inconclusive, not applicable, and why.',
    fields: ASSESSMENT,
  },
  { name: 'Mark', description: 'What the file says of its own origin.', fields: MARK },
  {
    name: 'SeenBefore',
    description:
      'An earlier record of the same picture, and what was found then. Nothing of it is inherited.',
    fields: SEEN_BEFORE,
  },
  { name: 'TranscriptSegment', description: 'A machine’s words.', fields: TRANSCRIPT_SEGMENT },
  { name: 'Transcript', description: 'What is said, as a machine wrote it down.', fields: TRANSCRIPT },
  { name: 'Progress', fields: PROGRESS },
  {
    name: 'AddedAnalyses',
    description: 'Analyses that were asked for when the record had its result already.',
    fields: ADDED_ANALYSES,
  },
  { name: 'StepTime', fields: STEP_TIME },
  { name: 'TentativeFrame', fields: TENTATIVE_FRAME },
  { name: 'TentativeClip', fields: TENTATIVE_CLIP },
  {
    name: 'Tentative',
    description: 'What was judged so far, while the work runs. It may still turn: none of it is a result.',
    fields: TENTATIVE,
  },
  { name: 'ExportedReading', fields: EXPORTED_READING },
  { name: 'SignOffAnswer', fields: SIGN_OFF_ANSWER },
  {
    name: 'SignOff',
    description: 'Another person’s word on a person’s finding. It changes nothing of what the record says.',
    fields: SIGN_OFF,
  },
  {
    name: 'TimestampStatus',
    description: 'What one timestamp authority (RFC 3161) answered for a package.',
    fields: TIMESTAMP_STATUS,
  },
  { name: 'SubmittedBy', fields: SUBMITTED_BY },
];
