/** GET of the account's credits. */
import type { FastifyInstance } from 'fastify';
import { getCredits } from '../../app/accounts/credits.ts';
import type { App } from '../../app/appliance/app.ts';
import { principalOf, requireKey } from '../../port/caller.ts';

export function routeCredits(fastify: FastifyInstance, app: App): void {
  fastify.get('/api/user/credits', { onRequest: requireKey(app) }, async (request) => {
    const credits = getCredits(app, { principal: principalOf(request) });
    return { available_credits: credits.availableCredits, total_spent: credits.totalSpent };
  });
}
