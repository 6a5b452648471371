/** What is done with a record: its analysis, a person's finding, another person's sign-off. */
import {
  cancelClassification,
  deleteClassification,
  retryClassification,
} from '../app/records/classifications.ts';
import { compareRecordAnswers, compareRecords } from '../app/records/marks.ts';
import { overrideClassification, overrideHistory, removeOverride } from '../app/records/overrides.ts';
import { answerSignOff, askSignOff, countSignOffs, listSignOffJudges } from '../app/records/sign-offs.ts';
import { addAnalyses } from '../app/submissions/add-analyses.ts';
import { parseUploadId, queryUpload } from '../app/submissions/unfinished-uploads.ts';
import type { ClassificationRecord, OverrideResult } from '../domain/answers/record.ts';
import { FINDING_ENTRY } from '../domain/contract/record-parts.ts';
import {
  flag,
  identifier,
  listOf,
  long,
  moment,
  noun,
  nounOf,
  nullable,
  oneOf,
  text,
  whole,
} from '../domain/field.ts';
import { LABEL, MEDIA_KIND } from '../domain/media/media.ts';
import { ADDABLE_ANALYSES } from '../domain/records/plan-option.ts';
import { SIGN_OFF_JUDGE } from '../domain/records/sign-off.ts';
import type { AnswerFate } from '../domain/verdicts/answers-compared.ts';
import {
  AI_PART,
  adviseLabel,
  completeQuestion,
  LABELLED_KIND,
  type LabelAdvice,
} from '../domain/verdicts/article-50.ts';

import type { MarkChange } from '../domain/verdicts/marks-compared.ts';
import { itself, mutation, one, optional, query, several } from './operation.ts';

const RECORD = one('classification', noun<ClassificationRecord>('Classification'));
const OVERRIDE = itself('override', noun<OverrideResult>('Override'));
const ONE_RECORD = { identifier: identifier() };
const ONE_FILE = { kind: oneOf(MEDIA_KIND), hash: text() };
const TWO_RECORDS = { identifier: identifier(), originalIdentifier: identifier() };
const MARK_CHANGES = listOf(noun<MarkChange>('MarkChange'));
const ANSWER_FATES = listOf(noun<AnswerFate>('AnswerFate'));

export const RECORD_OPERATIONS = {
  cancelClassification: mutation({
    description: 'Ends work that waits or runs; a shared analysis goes on for its other records.',
    input: ONE_RECORD,
    answer: RECORD,
    payload: 'Classification',
    run: cancelClassification,
  }),
  retryClassification: mutation({
    input: ONE_RECORD,
    answer: RECORD,
    payload: 'Classification',
    run: retryClassification,
  }),
  addAnalyses: mutation({
    description:
      'Makes more of the kept file of a record that is done: a heatmap, a map of edits, what is said. It costs what the options would have cost at submission, and changes nothing that was measured; what is there already costs nothing. The field added of the record shows how far it is, and cancelClassification ends it.',
    input: {
      identifier: identifier('If it names a frame or track, the analyses are added to its video.'),
      analyses: listOf(text(`By the names that plans know them by: ${ADDABLE_ANALYSES.join(', ')}.`)),
    },
    answer: RECORD,
    payload: 'Classification',
    run: addAnalyses,
  }),
  deleteClassification: mutation({
    input: ONE_RECORD,
    answer: one('deletedIdentifier', identifier()),
    payload: 'DeleteClassification',
    run: async (app, input) => {
      await deleteClassification(app, input);
      return input.identifier;
    },
  }),
  queryUpload: query({
    field: null,
    input: { uploadId: text() },
    answer: several({
      committedBytes: long(),
      sizeBytes: long(),
      identifier: nullable(identifier()),
      expiresAt: moment(),
    }),
    run: (app, { principal, uploadId }) =>
      queryUpload(app, { principal, uploadId: parseUploadId(uploadId, 'upload_id') }),
  }),
};

export const FINDING_OPERATIONS = {
  overrideClassification: mutation({
    inputObject: {
      name: 'OverrideClassificationInput',
      description: 'Holds for every record of the account with this kind and hash.',
    },
    input: { ...ONE_FILE, classification: oneOf(LABEL), reason: optional(text()) },
    answer: OVERRIDE,
    payload: 'Override',
    run: overrideClassification,
  }),
  removeOverride: mutation({
    inputObject: { name: 'RemoveOverrideInput' },
    input: ONE_FILE,
    answer: OVERRIDE,
    payload: 'Override',
    run: removeOverride,
  }),
  listOverrides: query({
    description:
      'Every statement on a file by the account, oldest first; replaced and removed ones included.',
    input: ONE_FILE,
    answer: one('overrides', listOf(nounOf(FINDING_ENTRY))),
    run: overrideHistory,
  }),
  askSignOff: mutation({
    description:
      'Asks for a sign-off of the finding that stands: at a desk its members with the role SIGNS_OFF, and always the partner of the account and the administrators, who may read the records of the file from then on.',
    input: ONE_RECORD,
    answer: RECORD,
    payload: 'Classification',
    run: askSignOff,
  }),
  listSignOffJudges: query({
    field: 'signOffJudges',
    description:
      'Who may answer if the caller asks for a sign-off of the finding on the file of the record, and what stands against each.',
    input: ONE_RECORD,
    answer: one('judges', listOf(nounOf({ name: 'SignOffJudge', fields: SIGN_OFF_JUDGE }))),
    run: listSignOffJudges,
  }),
  countSignOffs: query({
    field: 'signOffsWaiting',
    description: 'How many findings of others wait for the caller’s answer; at most 1,000 are counted.',
    answer: one('count', whole()),
    run: countSignOffs,
  }),
  answerSignOff: mutation({
    inputObject: { name: 'AnswerSignOffInput' },
    input: {
      ...ONE_RECORD,
      findingAt: moment('When the finding that was read was stated; a later finding is not answered.'),
      agrees: flag(),
      reason: optional(text('At most 1,000 characters; needed to disagree.')),
    },
    answer: RECORD,
    payload: 'Classification',
    run: answerSignOff,
  }),
};

export const MARK_OPERATIONS = {
  compareMarks: query({
    field: null,
    input: TWO_RECORDS,
    answer: several({ changes: MARK_CHANGES, answers: ANSWER_FATES }),
    run: (app, input) => ({
      changes: compareRecords(app, input),
      answers: compareRecordAnswers(app, input),
    }),
  }),
  /** GraphQL has each half of compareMarks as a query. */
  marksCompared: query({
    rpc: null,
    description: 'What became of the marks of one record’s file in another’s: what an export lost.',
    input: TWO_RECORDS,
    answer: one('marksCompared', MARK_CHANGES),
    run: compareRecords,
  }),
  answersCompared: query({
    rpc: null,
    description:
      'Which of the four answers about a signed manifest one record’s file still gives, held against another’s.',
    input: TWO_RECORDS,
    answer: one('answersCompared', ANSWER_FATES),
    run: compareRecordAnswers,
  }),
  adviseLabel: query({
    description:
      'What article 50 of the AI Act asks of the publisher of a piece: a help to think, no legal advice.',
    inputObject: {
      name: 'LabelQuestionInput',
      description: 'The three questions. What an answer does not hang on need not be answered.',
    },
    input: {
      kind: oneOf(LABELLED_KIND),
      part: optional(oneOf(AI_PART, 'GENERATED where it is not given.')),
      resemblesReality: optional(
        flag('Would somebody take it for real persons, objects, places or events? Not for text.'),
      ),
      isArtistic: optional(
        flag('Is it evidently art, satire, fiction or the like? Asked where it resembles reality.'),
      ),
      hasEditorialControl: optional(
        flag('Text only: did a person review it, and does somebody answer for it?'),
      ),
    },
    answer: itself('labelAdvice', noun<LabelAdvice>('LabelAdvice')),
    run: (_, { kind, part, ...answers }) => adviseLabel(completeQuestion(kind, part, answers)),
  }),
};
