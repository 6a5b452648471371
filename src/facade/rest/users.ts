/** Making and deleting an account: POST and DELETE of /api/user. */
import type { FastifyInstance } from 'fastify';
import { toUserView } from '../../app/accounts/user-view.ts';
import { createUser, deleteUser } from '../../app/accounts/users.ts';
import type { App } from '../../app/appliance/app.ts';
import { parseId } from '../../app/field-parsers.ts';
import { principalOf, requireKey, signalOf } from '../../port/caller.ts';
import { readFields } from './form-fields.ts';
import { toUser } from './user-convert.ts';

export function routeUsers(fastify: FastifyInstance, app: App): void {
  const onRequest = requireKey(app);
  const { create, remove } = {
    create: { onRequest, config: { errors: { field: 'email' } } },
    remove: { onRequest, config: { errors: { field: 'id' } } },
  };
  fastify.post('/api/user', create, async (request, reply) => {
    const fields = await readFields(app, request, 'email', signalOf(app, request, reply));
    const principal = principalOf(request);
    const account = await createUser(app, { principal, fields });
    return reply.code(201).send({ data: toUser(toUserView(app, account, principal)) });
  });
  fastify.delete('/api/user', remove, async (request, reply) => {
    const fields = await readFields(app, request, 'id', signalOf(app, request, reply));
    const principal = principalOf(request);
    const account = await deleteUser(app, { principal, id: parseId(fields) });
    return { data: toUser(toUserView(app, account, principal)) };
  });
}
