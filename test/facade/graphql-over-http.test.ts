/** GraphQL over HTTP as its specification's own audit sees it (graphql-http): every one of its rules holds. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { serverAudits } from 'graphql-http';
import { type GraphqlFixture, openGraphqlFixture } from './graphql-fixture.ts';

/** The number of rules in the audit: another number is another audit, which has to be read. */
const AUDITS = 61;

let fixture: GraphqlFixture;
before(async () => {
  fixture = await openGraphqlFixture();
});
after(async () => await fixture[Symbol.asyncDispose]());

/** Sends the key and the header that no foreign page can send. */
function fetchWithKey(url: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('x-api-key', fixture.key);
  return fetch(url, { ...init, headers });
}

test('every audit of graphql-http holds', async () => {
  const audits = serverAudits({ url: () => fixture.url, fetchFn: fetchWithKey });
  const results = await Promise.all(audits.map(({ fn }) => fn()));
  assert.equal(results.length, AUDITS);
  const missed = results.flatMap((result) =>
    result.status === 'ok' ? [] : [`${result.status}: ${result.name}: ${result.reason}`],
  );
  assert.deepEqual(missed, []);
});
