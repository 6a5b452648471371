/** All REST routes, plugged into the port. */
import multipart from '@fastify/multipart';
import type { FastifyInstance } from 'fastify';
import type { App } from '../../app/appliance/app.ts';
import { followRequests } from '../../port/requests.ts';
import { JSON_TYPE, routeClassifications } from './classifications.ts';
import { routeCredits } from './credits.ts';
import { takeUrlEncoded } from './form-fields.ts';
import { routeHeatmaps } from './heatmaps.ts';
import { isFilePart, MULTIPART_LIMITS } from './multipart.ts';
import { describeInterface } from './openapi/openapi.ts';
import { routeOverrides } from './overrides.ts';
import { routePartners } from './partners.ts';
import { routeSubmissions } from './submissions.ts';
import { routeUsers } from './users.ts';
import { routeValidation } from './validation.ts';

export async function plugRest(fastify: FastifyInstance, app: App): Promise<void> {
  const openapi = JSON.stringify(describeInterface());
  await fastify.register(async (scope) => {
    await scope.register(multipart, {
      limits: MULTIPART_LIMITS,
      throwFileSizeLimit: false,
      isPartAFile: isFilePart,
    });
    // Bodies of other types are left unread: the handler names the field at fault instead of a bare 415.
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    followRequests(scope, app);
    routeSubmissions(scope, app);
    routeClassifications(scope, app);
    routeHeatmaps(scope, app);
    routeOverrides(scope, app);
    routeCredits(scope, app);
    routeValidation(scope, app);
    await scope.register(async (forms) => {
      takeUrlEncoded(forms);
      routeUsers(forms, app);
      routePartners(forms, app);
    });
    scope.get('/openapi.json', (_request, reply) => reply.type(JSON_TYPE).send(openapi));
  });
}
