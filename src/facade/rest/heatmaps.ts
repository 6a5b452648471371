/** GET of an image's heatmap: the stored PNG, streamed. */
import { open } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import type { App } from '../../app/appliance/app.ts';
import { getHeatmap } from '../../app/records/classifications.ts';
import { PIECE_BYTES } from '../../app/records/media-files.ts';
import { cutWithoutStanding, principalOf, requireKey } from '../../port/caller.ts';
import { readerOf } from './classifications.ts';

const PATHS = ['/api/classification/heatmap', '/api/classification_image/heatmap'];

export function routeHeatmaps(fastify: FastifyInstance, app: App): void {
  const onRequest = requireKey(app);
  for (const path of PATHS) {
    fastify.get<{ Params: { identifier: string } }>(
      `${path}/:identifier`,
      { onRequest, exposeHeadRoute: false },
      async (request, reply) => {
        const { identifier } = request.params;
        const heatmap = await getHeatmap(app, { principal: readerOf(request, 'image'), identifier });
        // A heatmap is written once, so the record and the size name its content.
        const etag = `"${identifier}-${heatmap.sizeBytes}"`;
        reply.header('etag', etag).header('cache-control', 'private, no-cache');
        if (request.headers['if-none-match'] === etag) return reply.code(304).send();
        cutWithoutStanding(app, principalOf(request), reply);
        const file = await open(heatmap.path);
        return reply
          .type('image/png')
          .header('content-length', heatmap.sizeBytes)
          .send(file.createReadStream({ highWaterMark: PIECE_BYTES }));
      },
    );
  }
}
