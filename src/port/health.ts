/** Answers operators and load balancers: alive, ready, metrics. */
import type { FastifyInstance } from 'fastify';
import type { App } from '../app/appliance/app.ts';
import { readMetrics, readStatus } from '../app/appliance/appliance.ts';
import { requireAdminOffLoopback } from './caller.ts';

const TEXT_TYPE = 'text/plain; charset=utf-8';
const STARTING_RETRY_SECONDS = '2';

export function routeHealth(fastify: FastifyInstance, app: App, exposure: { behindProxy: boolean }): void {
  fastify.get('/livez', (_request, reply) => reply.type(TEXT_TYPE).send('ok\n'));
  fastify.get<{ Querystring: { verbose?: string } }>('/readyz', async (request, reply) => {
    const { phase, notReadyReason } = app.engine;
    const isReady = phase === 'ready';
    if (!isReady) reply.code(503).header('retry-after', STARTING_RETRY_SECONDS);
    if (request.query.verbose !== undefined) return reply.send(await describeReadiness(app));
    const answer = isReady ? 'ready' : `${phase}${notReadyReason === null ? '' : `: ${notReadyReason}`}`;
    return reply.type(TEXT_TYPE).send(`${answer}\n`);
  });
  const figures = new SharedReading(() => readMetrics(app));
  fastify.get('/metrics', { onRequest: requireAdminOffLoopback(app, exposure) }, async (_request, reply) =>
    reply.type(app.metrics.registry.contentType).send(await figures.get()),
  );
}

/** Says no more than a load balancer's operator needs, and nothing that shows somebody's work: this route asks for no key. */
async function describeReadiness(app: App): Promise<object> {
  const status = await readStatus(app);
  return {
    ready: status.phase === 'ready',
    phase: status.phase,
    reason: status.notReadyReason,
    version: status.version,
    uptime_seconds: Math.round(status.uptimeSeconds),
    checks: {
      models: { ok: status.models.some((model) => model.fault === null), count: status.models.length },
      disk: { ok: status.diskFreeBytes > app.config.diskFreeBytesMin },
    },
  };
}

/** No scraper's interval is as short, and no person sees the difference. */
export const READING_MS_MAX = 100;

interface Reading {
  bytes: Promise<Buffer>;
  /** Null while it is made. */
  readAtMs: number | null;
}

/** A text that is expensive to make: callers who ask meanwhile or shortly after share it, such as thirty scrapers at once. */
export class SharedReading {
  readonly #read: () => Promise<string>;
  readonly #nowMs: () => number;
  #last: Reading | null = null;

  /** `nowMs` never goes back. */
  constructor(read: () => Promise<string>, nowMs: () => number = () => performance.now()) {
    this.#read = read;
    this.#nowMs = nowMs;
  }

  get(): Promise<Buffer> {
    const last = this.#last;
    const isFresh =
      last !== null && (last.readAtMs === null || this.#nowMs() - last.readAtMs < READING_MS_MAX);
    return isFresh ? last.bytes : this.#begin();
  }

  #begin(): Promise<Buffer> {
    const bytes = this.#read().then((text) => Buffer.from(text));
    const reading: Reading = { bytes, readAtMs: null };
    this.#last = reading;
    bytes.then(
      () => {
        reading.readAtMs = this.#nowMs();
      },
      () => {
        // Those who wait get the error; the next one tries again.
        if (this.#last === reading) this.#last = null;
      },
    );
    return bytes;
  }
}
