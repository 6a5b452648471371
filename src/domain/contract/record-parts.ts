/** The parts of a record, one row a field. Their types stand beside the rules that make them. */
import {
  type FieldsOf,
  flag,
  idNumber,
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
import { LABEL } from '../media/media.ts';
import { PART } from '../media/shared-part.ts';
import { AXES, type Axis } from '../packs/pack-parts.ts';
import { FACT_NOUNS } from '../provenance/shown-facts.ts';
import { PROGRESS, type Progress, type SubmittedBy } from '../records/classification.ts';
import { EXPORTED_READING } from '../records/exported-reading.ts';
import { FOUND_PICTURE, PICTURE_SEARCH } from '../records/found-picture.ts';
import { HEADLINE } from '../records/headline.ts';
import type { TimestampStatus } from '../records/package-timestamps.ts';
import { SEEN_BEFORE } from '../records/seen-before.ts';
import { SHOT } from '../records/shots.ts';
import { SIGN_OFF, SIGN_OFF_ANSWER, type SignOff } from '../records/sign-off.ts';
import type { StepTime } from '../records/step-times.ts';
import { RECORD_SEGMENTS_MAX, type ShownSegment, type TranscriptSummary } from '../transcripts/transcript.ts';
import { ANSWER_FATE } from '../verdicts/answers-compared.ts';
import { LABEL_ADVICE, LABEL_SOURCE } from '../verdicts/article-50.ts';
import { ASSESSMENT, QUALITY, STABILITY } from '../verdicts/assessment.ts';
import { REASON } from '../verdicts/assessment-reason.ts';
import { VERDICT, type Verdict } from '../verdicts/heuristics.ts';
import { MARK } from '../verdicts/marks.ts';
import { MARK_CHANGE } from '../verdicts/marks-compared.ts';
import type { PlaceSpread, StabilityVariant } from '../verdicts/result.ts';
import { TENTATIVE, TENTATIVE_FRAME, type TentativeClip } from '../verdicts/tentative.ts';

const IN_SECONDS = { description: 'In seconds.' };

const VIDEO_VERDICT = {
  count: nullable(whole('Videos only: the frames and tracks behind the verdict.')),
  unknown: nullable(flag('Videos only: whether there was nothing to judge.')),
};

const SCORE = { label: oneOf(LABEL), score: number() };
type Score = ValuesOf<typeof SCORE>;

const PLACE_SPREAD = {
  count: whole('Places of the picture that the model looked at.'),
  spread: number('Standard deviation of their calibrated natural log-odds.'),
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
  /** Both labels with their scores, or empty for unknown. */
  classification: listOf(noun<Score>('Score')),
  places: nullable(
    noun<PlaceSpread>(
      'PlaceSpread',
      'How far apart its answers for single places of a picture lie; null where it looked at one.',
    ),
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

const STEP_TIME = {
  step: text(),
  seconds: number('Sum over all times that it was done; steps overlap, and some are parts of others.'),
  times: whole(),
} satisfies FieldsOf<StepTime>;

const TENTATIVE_CLIP = { ...SPAN, probability: nullable(number()) } satisfies FieldsOf<TentativeClip>;

const TRANSCRIPT_SEGMENT = {
  startSeconds: number(),
  endSeconds: number(),
  text: text(),
  confidence: number('How sure the machine was of its words, 0 to 1.'),
  language: text('ISO 639.'),
  channel: nullable(
    whole('Whose words they are, from 1; null where the channels do not hold different voices.'),
  ),
} satisfies FieldsOf<ShownSegment>;

const TRANSCRIPT = {
  model: text(),
  version: text(),
  language: text('ISO 639, of most of the text; empty where there is none.'),
  segments: listOf(
    noun<ShownSegment>(
      'TranscriptSegment',
      `The first ${RECORD_SEGMENTS_MAX}; the rest is fetched with the whole transcript.`,
    ),
  ),
  segmentCount: whole(),
  wordCount: whole(),
  leftOutSeconds: number('Speech for which no text could be believed.'),
  fault: text('Why it is not whole; empty where it is.'),
} satisfies FieldsOf<TranscriptSummary>;

export const FINDING_ENTRY = {
  name: 'OverrideEntry',
  fields: {
    classification: oneOf(LABEL),
    reason: text(),
    at: moment(),
    byAccountId: idNumber(),
    byName: text('Name of that account; empty if it is gone.'),
    measured: nullable(oneOf(LABEL, 'The verdict that was measured then; null where there was none.')),
    signOff: nullable(noun<SignOff>('SignOff', 'Null where none was asked for.')),
  },
};

const TIMESTAMP_STATUS = {
  authority: text('Its address.'),
  state: text<TimestampStatus['state']>('waiting, stamped or failed.'),
  time: nullable(moment('By the authority\u2019s clock; null until it has answered.')),
  error: text('Why the last try brought no token; empty where there was none or it brought one.'),
} satisfies FieldsOf<TimestampStatus>;

const SUBMITTED_BY = {
  via: text<SubmittedBy['via']>('rest, graphql, grpc or dashboard.'),
  keyId: nullable(idNumber('Null where a person was signed in at the page.')),
  keyName: text('As the key was named then.'),
} satisfies FieldsOf<SubmittedBy>;

const ADDED_ANALYSES = {
  analyses: listOf(text('By the names that plans know them by: heatmap, tampering, …')),
  progress: nullable(noun<Progress>('Progress', 'Null once it has failed.')),
  error: text('Why it could not be made; empty while it is.'),
};

export const RECORD_PARTS: readonly Noun[] = [
  { name: 'Verdict', fields: { ...VERDICT, ...VIDEO_VERDICT } },
  { name: 'Headline', fields: HEADLINE },
  { name: 'Score', message: 'LabelScore', fields: SCORE },
  { name: 'PlaceSpread', fields: PLACE_SPREAD },
  { name: 'ModelResult', fields: MODEL_RESULT },
  { name: 'Box', description: 'Pixels of the oriented picture.', fields: BOX },
  { name: 'Detection', fields: DETECTION },
  { name: 'Detail', message: 'ImageObjects', fields: DETAIL },
  { name: 'Clip', fields: CLIP },
  { name: 'StabilityVariant', fields: STABILITY_VARIANT },
  { name: 'Stability', fields: STABILITY },
  { name: 'Quality', fields: QUALITY },
  { name: 'AssessmentReason', fields: REASON },
  {
    name: 'Assessment',
    description: 'What the evidence alone says, and why; never forced by a signature or an override.',
    fields: ASSESSMENT,
  },
  { name: 'Mark', description: 'What the file says of its own origin.', fields: MARK },
  ...FACT_NOUNS,
  {
    name: 'SeenBefore',
    description:
      'An earlier record of the same picture, and what was found then. Nothing of it is inherited.',
    fields: SEEN_BEFORE,
  },
  { name: 'TranscriptSegment', description: 'A sentence or a part of one.', fields: TRANSCRIPT_SEGMENT },
  {
    name: 'Transcript',
    description: 'What is said, as a machine wrote it down: it may be wrong.',
    fields: TRANSCRIPT,
  },
  { name: 'Progress', fields: PROGRESS },
  {
    name: 'AddedAnalyses',
    description: 'Analyses that were asked for when the record had its result already.',
    fields: ADDED_ANALYSES,
  },
  { name: 'StepTime', fields: STEP_TIME },
  { name: 'Shot', fields: SHOT },
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
  { name: 'SubmittedBy', message: 'Submitter', fields: SUBMITTED_BY },
  {
    name: 'MarkChange',
    description: 'What became of a mark of one file in another.',
    fields: MARK_CHANGE,
  },
  {
    name: 'AnswerFate',
    description:
      'What became of an answer about a signed manifest. BROKEN: the copy gives it, and it speaks against the copy.',
    fields: ANSWER_FATE,
  },
  { name: 'LabelSource', fields: LABEL_SOURCE },
  {
    name: 'LabelAdvice',
    message: 'AdviseLabelResponse',
    description: 'What article 50 of the AI Act asks of the publisher of a piece. It is no legal advice.',
    fields: LABEL_ADVICE,
  },
  { name: 'PicturePart', description: 'Shares of a picture’s sides, 0 to 1.', fields: PART },
  {
    name: 'FoundPicture',
    description: 'A record of a picture or film that is like the one that was searched with.',
    fields: FOUND_PICTURE,
  },
  { name: 'PictureSearch', fields: PICTURE_SEARCH },
];
