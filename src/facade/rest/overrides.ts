/** POST of the correct value of a file, by its hash. */
import type { FastifyInstance } from 'fastify';
import type { App } from '../../app/appliance/app.ts';
import { overrideClassification } from '../../app/records/overrides.ts';
import { badField } from '../../domain/errors.ts';
import { principalOf, requireKey } from '../../port/caller.ts';
import { KIND_PATHS } from './openapi/routes.ts';

export function routeOverrides(fastify: FastifyInstance, app: App): void {
  const onRequest = requireKey(app);
  for (const { kind, one } of KIND_PATHS) {
    for (const path of one) {
      fastify.post<{ Params: { hash: string } }>(
        `${path}/:hash/override`,
        { onRequest, config: { errors: { field: 'classification' } } },
        async (request) => {
          const { hash } = request.params;
          const classification = classificationOf(request.body);
          const { reason } = request.body as { reason?: unknown };
          const override = await overrideClassification(app, {
            principal: principalOf(request),
            kind,
            hash,
            classification,
            ...(typeof reason === 'string' ? { reason } : {}),
          });
          return { classification: override.classification, type: override.type, hash: override.hash };
        },
      );
    }
  }
}

function classificationOf(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body) || !('classification' in body)) {
    throw badField('classification', 'expected a JSON object with `classification`: `human` or `artificial`');
  }
  return body.classification;
}
