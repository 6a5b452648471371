/** The type in which every mutation reports the caller's mistakes. */
import { builder, userErrorCodeEnum } from './builder.ts';
import type { UserError } from './transport/errors.ts';

export const userErrorType = builder.objectRef<UserError>('UserError').implement({
  description: 'A mistake in the input or a refusal that the caller can act on.',
  fields: (t) => ({
    code: t.expose('code', { type: userErrorCodeEnum }),
    reason: t.exposeString('reason', { description: 'The exact reason, as in extensions.reason elsewhere.' }),
    field: t.exposeString('field', { nullable: true, description: 'The input field at fault.' }),
    message: t.exposeString('message'),
    retryAfterSeconds: t.exposeFloat('retryAfterSeconds', {
      nullable: true,
      description: 'After so many seconds the same call may succeed.',
    }),
    metadata: t.field({
      type: 'JSON',
      description: 'Figures for a machine, such as the actual and maximum bytes.',
      resolve: (error) => error.metadata,
    }),
  }),
});
