/** The marks of a file, which is neither kept nor analysed. */
import { type FileMarks, readMarks } from '../../app/submissions/read-marks.ts';
import type { ProvenanceRecord } from '../../domain/provenance/provenance-record.ts';
import type { FileFacts } from '../../domain/provenance/shown-facts.ts';
import type { Mark } from '../../domain/verdicts/marks.ts';
import { builder, mediaKindEnum } from './builder.ts';
import { findType } from './nouns.ts';
import { lookAtUpload } from './submissions.ts';
import { type Payload, settleCall } from './transport/calls.ts';
import { userErrorType } from './user-errors.ts';

const readInput = builder.inputType('ReadMarksInput', {
  fields: (t) => ({ file: t.field({ type: 'Upload', required: true }) }),
});

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
      fileFacts: t.field({
        type: findType<FileFacts>('FileFacts'),
        nullable: true,
        resolve: ({ fileFacts }) => fileFacts,
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
        settleCall(context, 'readMarks', () =>
          lookAtUpload(context, input.file, (file) => readMarks(context.app, file, context.signal)),
        ),
    }),
  );
}
