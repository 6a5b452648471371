/** A search with a picture that is not kept. */
import { searchByFile } from '../../app/records/search-pictures.ts';
import type { PictureSearchAnswer } from '../../domain/records/found-picture.ts';
import { builder } from './builder.ts';
import { findType } from './nouns.ts';
import { lookAtUpload } from './submissions.ts';
import { type Payload, settleCall } from './transport/calls.ts';
import { userErrorType } from './user-errors.ts';

const pictureInput = builder.inputType('FindByPictureInput', {
  fields: (t) => ({ file: t.field({ type: 'Upload', required: true }) }),
});

export function addSearchMutations(): void {
  const payloadType = builder.objectRef<Payload<PictureSearchAnswer>>('FindByPicturePayload').implement({
    fields: (t) => ({
      search: t.field({
        type: findType<PictureSearchAnswer>('PictureSearch'),
        nullable: true,
        resolve: (payload) => payload.value,
      }),
      userErrors: t.expose('userErrors', { type: [userErrorType] }),
    }),
  });
  builder.mutationField('findByPicture', (t) =>
    t.field({
      type: payloadType,
      nullable: true,
      description: 'What is like a picture, which is neither kept nor analysed.',
      args: { input: t.arg({ type: pictureInput, required: true }) },
      resolve: (_, { input }, context) =>
        settleCall(context, 'findByPicture', () =>
          lookAtUpload(context, input.file, (file) => searchByFile(context.app, file, context.signal)),
        ),
    }),
  );
}
