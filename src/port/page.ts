/** The page's frame under every path, its scripts, session and media. All data it gets from GraphQL, like any client. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PAGE_PATHS, RESULT_PATH } from '../../page/parts/paths.ts';
import type { App } from '../app/appliance/app.ts';
import { isHex64 } from '../domain/identifiers.ts';
import { routeExports } from './exports.ts';
import { routeMedia } from './media.ts';
import { openBundle, type PageBundle } from './page-bundle.ts';
import { routeSessions } from './sessions.ts';

export interface PageConfig {
  /** Where a built page is kept; may be emptied at any time. */
  cacheFolder: string;
}

/** Scripts and styles are files of our own, so neither needs a word inside the page. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** Names hold the content's hash, so a new page brings new names. */
const FOREVER = 'public, max-age=31536000, immutable';

export async function plugPage(
  fastify: FastifyInstance,
  app: App,
  { cacheFolder }: PageConfig,
): Promise<void> {
  let opened: Promise<PageBundle> | null = null;
  // Opened for the first browser: making or compressing it at a start would take the cores from the models.
  const open = (): Promise<PageBundle> => {
    if (opened !== null) return opened;
    const onNotKept = (error: unknown) => app.log.warn({ err: error }, 'the built page could not be kept');
    opened = openBundle({ cacheFolder, onNotKept });
    opened.catch((error: unknown) => {
      app.log.error({ err: error }, 'the page could not be built');
      // The obstacle may be gone when the next browser asks.
      opened = null;
    });
    return opened;
  };
  const page = (_request: FastifyRequest, reply: FastifyReply) => sendPage(open(), reply);
  for (const path of PAGE_PATHS) fastify.get(path, page);
  fastify.nothingThere.show = page;
  fastify.get<{ Params: { identifier: string } }>(RESULT_PATH, (request, reply) => {
    if (!isHex64(request.params.identifier)) reply.code(404);
    return page(request, reply);
  });
  fastify.get<{ Params: { name: string } }>('/assets/:name', async (request, reply) => {
    const asset = (await open()).assets.get(request.params.name);
    if (asset === undefined) return reply.code(404).send({ error: 'no such asset' });
    const takesGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    if (takesGzip) reply.header('content-encoding', 'gzip');
    return reply
      .type(asset.type)
      .headers({
        'cache-control': FOREVER,
        vary: 'accept-encoding',
        'content-security-policy': "default-src 'none'",
      })
      .send(takesGzip ? asset.gzip : asset.bytes);
  });
  await routeSessions(fastify, app);
  routeMedia(fastify, app);
  routeExports(fastify, app);
}

async function sendPage(opened: Promise<PageBundle>, reply: FastifyReply): Promise<FastifyReply> {
  const { entry } = await opened;
  return reply
    .type('text/html; charset=utf-8')
    .headers({ 'content-security-policy': PAGE_POLICY, 'cache-control': 'no-cache' })
    .send(frameOf(entry));
}

function frameOf({ script, early, style }: PageBundle['entry']): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Assay</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:image/svg+xml,${ICON}">
<script src="/assets/${early}"></script>
<link rel="stylesheet" href="/assets/${style}">
<script type="module" src="/assets/${script}"></script>
</head><body><div id="page"></div>
<noscript>Assay's page needs JavaScript. Everything it shows can also be read by REST, GraphQL, gRPC and the command line.</noscript>
</body></html>
`;
}

const ICON = encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#0b6157"/>' +
    '<path d="M4 12 8 3.5 12 12M5.7 9h4.6" fill="none" stroke="#fff" stroke-width="1.6"/></svg>',
);
