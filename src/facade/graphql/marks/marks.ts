/** The marks of files, what became of them in a copy, and the label that a piece needs. */
import { admitMedia } from '../../../app/callers/admission.ts';
import { compareRecordAnswers, compareRecords } from '../../../app/records/marks.ts';
import { type FileMarks, readMarks } from '../../../app/submissions/read-marks.ts';
import { AI_PART, LABELLED_KIND, MARK_PARTS } from '../../../domain/contract/marks.ts';
import type { AnswerFate } from '../../../domain/provenance/answers-compared.ts';
import type { ProvenanceRecord } from '../../../domain/provenance/provenance-record.ts';
import { adviseLabel, completeQuestion, type LabelAdvice } from '../../../domain/verdicts/article-50.ts';
import type { Mark } from '../../../domain/verdicts/marks.ts';
import type { MarkChange } from '../../../domain/verdicts/marks-compared.ts';
import { builder, enumOf, mediaKindEnum } from '../builder.ts';
import { defineNoun, findType } from '../nouns.ts';
import { receiveUpload } from '../submissions.ts';
import { countCall, type Payload, settleCall } from '../transport/calls.ts';
import { userErrorType } from '../transport/user-errors.ts';

const labelledKindEnum = enumOf(LABELLED_KIND);
const aiPartEnum = enumOf(AI_PART);

const labelInput = builder.inputType('LabelQuestionInput', {
  description: 'The three questions. What an answer does not hang on need not be answered.',
  fields: (t) => ({
    kind: t.field({ type: labelledKindEnum, required: true }),
    part: t.field({ type: aiPartEnum, description: 'GENERATED where it is not given.' }),
    resemblesReality: t.boolean({
      description: 'Would somebody take it for real persons, objects, places or events? Not for text.',
    }),
    isArtistic: t.boolean({
      description: 'Is it evidently art, satire, fiction or the like? Asked where it resembles reality.',
    }),
    hasEditorialControl: t.boolean({
      description: 'Text only: did a person review it, and does somebody answer for it?',
    }),
  }),
});

const readInput = builder.inputType('ReadMarksInput', {
  fields: (t) => ({ file: t.field({ type: 'Upload', required: true }) }),
});

/** Records refer to these parts, so these are defined first. */
export function addMarkQueries(): void {
  for (const part of MARK_PARTS) defineNoun(part);
  builder.queryFields((t) => ({
    marksCompared: t.field({
      type: [findType<MarkChange>('MarkChange')],
      nullable: true,
      description: 'What became of the marks of one record’s file in another’s: what an export lost.',
      args: {
        identifier: t.arg.id({ required: true }),
        originalIdentifier: t.arg.id({ required: true }),
      },
      resolve: (_, { identifier, originalIdentifier }, context) =>
        countCall(context, 'marksCompared', () =>
          compareRecords(context.app, {
            principal: context.principal(),
            identifier: String(identifier),
            originalIdentifier: String(originalIdentifier),
          }),
        ),
    }),
    answersCompared: t.field({
      type: [findType<AnswerFate>('AnswerFate')],
      nullable: true,
      description:
        'Which of the four answers about a signed manifest one record’s file still gives, held against another’s.',
      args: {
        identifier: t.arg.id({ required: true }),
        originalIdentifier: t.arg.id({ required: true }),
      },
      resolve: (_, { identifier, originalIdentifier }, context) =>
        countCall(context, 'answersCompared', () =>
          compareRecordAnswers(context.app, {
            principal: context.principal(),
            identifier: String(identifier),
            originalIdentifier: String(originalIdentifier),
          }),
        ),
    }),
    labelAdvice: t.field({
      type: findType<LabelAdvice>('LabelAdvice'),
      nullable: true,
      description: 'What has to be said of a piece that is published.',
      args: { input: t.arg({ type: labelInput, required: true }) },
      resolve: (_, { input }, context) =>
        countCall(context, 'labelAdvice', () => {
          context.principal();
          const { kind, part, resemblesReality, isArtistic, hasEditorialControl } = input;
          const answers = {
            resemblesReality: resemblesReality ?? undefined,
            isArtistic: isArtistic ?? undefined,
            hasEditorialControl: hasEditorialControl ?? undefined,
          };
          return adviseLabel(completeQuestion(kind, part ?? undefined, answers));
        }),
    }),
  }));
}

export function addMarkMutations(): void {
  const fileMarksType = builder.objectRef<FileMarks>('FileMarks').implement({
    fields: (t) => ({
      kind: t.expose('kind', { type: mediaKindEnum }),
      mimetype: t.exposeString('mime'),
      marks: t.field({ type: [findType<Mark>('Mark')], resolve: ({ marks }) => marks }),
      provenance: t.field({
        type: findType<ProvenanceRecord>('Provenance'),
        nullable: true,
        resolve: ({ provenance }) => provenance,
      }),
    }),
  });
  const payloadType = builder.objectRef<Payload<FileMarks>>('ReadMarksPayload').implement({
    fields: (t) => ({
      file: t.field({ type: fileMarksType, nullable: true, resolve: (payload) => payload.value }),
      userErrors: t.expose('userErrors', { type: [userErrorType] }),
    }),
  });
  builder.mutationField('readMarks', (t) =>
    t.field({
      type: payloadType,
      nullable: true,
      description: 'The marks of a file, which is neither kept nor analysed.',
      args: { input: t.arg({ type: readInput, required: true }) },
      resolve: (_, { input }, context) =>
        settleCall(context, 'readMarks', async () => {
          const principal = context.principal();
          await admitMedia(context.app, principal, { purpose: 'validate' });
          await using media = await receiveUpload(context, input.file);
          return await readMarks(context.app, { principal, field: 'file', media }, context.signal);
        }),
    }),
  );
}
