/** Who uploads: the account of the key, or of the signed-in page. */
import type { FastifyRequest } from 'fastify';
import type { App } from '../../app/app.ts';
import { assertTerms, authenticate } from '../../app/authenticate.ts';
import { identifyBrowser, readBrowserCall } from '../../app/browser.ts';
import type { Principal } from '../../app/principal.ts';
import { countCall } from '../../app/rate-limit.ts';

/** The pieces of one upload are one call, so they do not count beside its begin. */
export async function authorise(app: App, { headers, ip, method }: FastifyRequest): Promise<Principal> {
  const principal = identify(app, headers, ip, method);
  if (method !== 'PATCH') await countCall(app, principal);
  return principal;
}

function identify(app: App, headers: FastifyRequest['headers'], ip: string, method: string): Principal {
  const key = headers['x-api-key'];
  const browser = readBrowserCall(app, headers);
  if (key !== undefined || browser === undefined) {
    return authenticate(app, Array.isArray(key) ? key[0] : key, { facade: 'rest', remoteAddress: ip });
  }
  const isReading = method === 'GET' || method === 'HEAD';
  const from = { facade: 'dashboard', remoteAddress: ip } as const;
  const { principal } = identifyBrowser(app, browser, isReading ? 'page' : 'token', from);
  assertTerms(app, principal);
  return principal;
}
