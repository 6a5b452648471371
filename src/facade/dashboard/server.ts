/**
 * The pages a browser meets: `/` says what runs here and how to use it, `/classifications/…` is where `result_url`
 * leads. Plain HTML without scripts or foreign resources; the picture desk's page is not built yet, and these say so.
 */
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { App } from '../../app/app.ts';
import { getStatus } from '../../app/appliance.ts';
import { isHex64 } from '../../domain/identifiers.ts';

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:3rem auto;padding:0 1rem;color:#1d1d1f;background:#fff}' +
  'pre{background:#f3f3f5;padding:.8rem 1rem;overflow-x:auto;border-radius:6px}code{font-size:.95em}' +
  'a{color:#0a58ca}.state{font-weight:600}' +
  '@media(prefers-color-scheme:dark){body{color:#eee;background:#161618}pre{background:#232326}a{color:#8ab4f8}}';
const CONTENT_SECURITY_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

export async function plugDashboard(fastify: FastifyInstance, app: App): Promise<void> {
  fastify.get('/', async (_request, reply) => {
    const { version } = await getStatus(app);
    const { phase, notReadyReason } = app.engine;
    return sendPage(reply, 'Assay', homePage(app.config.publicUrl, version, phase, notReadyReason));
  });
  fastify.get<{ Params: { identifier: string } }>('/classifications/:identifier', (request, reply) => {
    const { identifier } = request.params;
    if (isHex64(identifier))
      return sendPage(reply, 'Assay: a record', recordPage(app.config.publicUrl, identifier));
    reply.code(404);
    return sendPage(reply, 'Assay', '<h1>No such record</h1><p>An identifier has 64 hex characters.</p>');
  });
}

function sendPage(reply: FastifyReply, title: string, body: string): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', CONTENT_SECURITY_POLICY)
    .header('cache-control', 'no-store')
    .send(
      `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>` +
        '<meta name="viewport" content="width=device-width, initial-scale=1">' +
        `<style>${STYLE}</style></head><body>${body}</body></html>\n`,
    );
}

function homePage(publicUrl: string, version: string, phase: string, reason: string | null): string {
  const url = escapeHtml(publicUrl);
  const state = escapeHtml(reason === null ? phase : `${phase}: ${reason}`);
  return `<h1>Assay</h1>
<p>Tells human-made pictures from artificial ones, on this box. Version ${escapeHtml(version)}; state: <span class="state">${state}</span>.</p>
<h2>Submit a picture</h2>
<pre>npx assay classify photo.jpg

curl -H "X-Api-Key: $ASSAY_API_KEY" -H "Accept: application/json" \\
     -F image=@photo.jpg ${url}/api/classification
curl -H "X-Api-Key: $ASSAY_API_KEY" ${url}/api/classification/IDENTIFIER</pre>
<p>The key was printed at the first start; on the box itself the <code>assay</code> command finds it alone.</p>
<h2>Interfaces</h2>
<ul>
<li><a href="/graphql">/graphql</a>: GraphQL, with GraphiQL in a browser and live subscriptions</li>
<li><a href="/openapi.json">/openapi.json</a>: the REST interface, described</li>
<li>gRPC on its own port, with server reflection; <code>npx assay status</code> shows it</li>
<li><a href="/readyz?verbose">/readyz</a>, <a href="/livez">/livez</a>, <a href="/metrics">/metrics</a>: for operators</li>
<li><code>README.md</code> and <code>docs/</code> beside the program: everything else</li>
</ul>`;
}

function recordPage(publicUrl: string, identifier: string): string {
  const url = escapeHtml(publicUrl);
  return `<h1>A classification</h1>
<p>This address names the record</p><pre>${identifier}</pre>
<p>A page that shows it is not built yet. Read it with the key of the account that submitted it:</p>
<pre>npx assay get ${identifier}

curl -H "X-Api-Key: $ASSAY_API_KEY" \\
     ${url}/api/classification/${identifier}</pre>
<p>For a video or a recording the path is <code>/api/classification_video/…</code> or <code>/api/classification_audio/…</code>.
In <a href="/graphql">GraphiQL</a>:</p>
<pre>{ classification(identifier: "${identifier}") { identifier status } }</pre>
<p>Whoever has no key learns nothing here, not even whether the record exists.</p>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
