/** What a partner asks: its users, page by page, and the mail that lets one of them in. */
import type { FastifyInstance } from 'fastify';
import { listUsers } from '../../app/accounts/user-list.ts';
import { sendCreationEmail } from '../../app/accounts/users.ts';
import type { App } from '../../app/appliance/app.ts';
import type { RawFields } from '../../app/field-parsers.ts';
import { parseId } from '../../app/field-parsers.ts';
import { principalOf, requireKey, signalOf } from '../../port/caller.ts';
import { readFields } from './form-fields.ts';
import { toUser, toUserPage } from './user-convert.ts';

export function routePartners(fastify: FastifyInstance, app: App): void {
  const onRequest = requireKey(app);
  fastify.get<{ Querystring: RawFields }>('/api/partner/users', { onRequest }, (request) =>
    toUserPage(listUsers(app, { principal: principalOf(request), fields: request.query })),
  );
  fastify.post(
    '/api/partner/send_creation_email',
    { onRequest, config: { errors: { field: 'id' } } },
    async (request, reply) => {
      const fields = await readFields(app, request, 'id', signalOf(app, request, reply));
      const { user } = await sendCreationEmail(app, { principal: principalOf(request), id: parseId(fields) });
      return { data: toUser(user) };
    },
  );
}
