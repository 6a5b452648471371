/** Looks at a file, which is neither kept nor analysed: its marks, and what is like it. */
import type { App } from '../../app/appliance/app.ts';
import { searchByFile } from '../../app/records/search-pictures.ts';
import { type FileMarks, readMarks } from '../../app/submissions/read-marks.ts';
import { noun } from '../../domain/field.ts';
import type { ProvenanceRecord } from '../../domain/provenance/provenance-record.ts';
import type { FileFacts } from '../../domain/provenance/shown-facts.ts';
import type { Mark } from '../../domain/verdicts/marks.ts';
import { type Answer, one } from '../../operations/operation.ts';
import { builder, mediaKindEnum } from './builder.ts';
import { findType, nameType } from './nouns.ts';
import { payloadOf } from './operations.ts';
import { type LookedAt, lookAtUpload } from './submissions.ts';
import { settleCall } from './transport/calls.ts';

export function addLooks(): void {
  nameType<FileMarks>('FileMarks').implement({
    fields: (t) => ({
      kind: t.expose('kind', { type: mediaKindEnum }),
      mimetype: t.exposeString('mime'),
      marks: t.expose('marks', { type: [findType<Mark>('Mark')] }),
      provenance: t.expose('provenance', { type: findType<ProvenanceRecord>('Provenance'), nullable: true }),
      fileFacts: t.expose('fileFacts', { type: findType<FileFacts>('FileFacts'), nullable: true }),
    }),
  });
  addLook('readMarks', {
    description: 'The marks of a file, which is neither kept nor analysed.',
    payload: 'ReadMarks',
    answer: one('file', noun('FileMarks')),
    look: readMarks,
  });
  addLook('findByPicture', {
    description: 'What is like a picture, which is neither kept nor analysed.',
    payload: 'FindByPicture',
    answer: one('search', noun('PictureSearch')),
    look: searchByFile,
  });
}

interface Look {
  description: string;
  payload: string;
  answer: Answer;
  look: (app: App, file: LookedAt, signal: AbortSignal) => Promise<object>;
}

function addLook(name: string, { description, look, ...answered }: Look): void {
  const inputType = builder.inputType(`${answered.payload}Input`, {
    fields: (t) => ({ file: t.field({ type: 'Upload', required: true }) }),
  });
  builder.mutationField(name, (t) =>
    t.field({
      type: payloadOf<object>(answered),
      nullable: true,
      description,
      args: { input: t.arg({ type: inputType, required: true }) },
      resolve: (_, { input }, context) =>
        settleCall(context, name, () =>
          lookAtUpload(context, input.file, (file) => look(context.app, file, context.signal)),
        ),
    }),
  );
}
