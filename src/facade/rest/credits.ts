/** GET of the account's credits. */
import type { FastifyInstance } from 'fastify';
import type { App } from '../../app/app.ts';
import { getCredits } from '../../app/credits.ts';
import { principalOf, requireKey } from './authenticate.ts';

export function routeCredits(fastify: FastifyInstance, app: App): void {
  fastify.get('/api/user/credits', { onRequest: requireKey(app) }, async (request) => {
    const credits = getCredits(app, { principal: principalOf(request) });
    return { available_credits: credits.availableCredits, total_spent: credits.totalSpent };
  });
}
