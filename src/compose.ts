/**
 * The one place that constructs. Disposal is the same list backwards on one stack, so that nothing outlives what
 * it stands on.
 */
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import type { App, AppConfig, Clock } from './app/app.ts';
import { fetchMedia } from './app/fetch-media.ts';
import { setUpFirstStart } from './app/first-start.ts';
import { Metrics } from './app/metrics.ts';
import { Sealer } from './app/sealer.ts';
import type { Settings } from './config/settings.ts';
import { assessmentState } from './domain/assessment.ts';
import { Engine } from './engine/engine.ts';
import type { EngineObserver } from './engine/engine-config.ts';
import { plugDashboard } from './facade/dashboard/server.ts';
import { plugGraphql } from './facade/graphql/server.ts';
import { type GrpcServer, openGrpcServer } from './facade/grpc/server.ts';
import { hostCheck } from './facade/rest/hosts.ts';
import { type HttpServer, openHttpServer } from './facade/rest/server.ts';
import { Store } from './store/store.ts';

export interface Daemon extends AsyncDisposable {
  readonly http: HttpServer;
  readonly grpc: GrpcServer;
  readonly app: App;
  /** The administrator's key, only at the first start. */
  readonly newKey: string | null;
  /** Stops taking work, finishes what runs, then closes everything. */
  drain(): Promise<void>;
}

/** How long running work may take to finish before it is put back into the queue. */
const DRAIN_TIMEOUT_MS = 30_000;
const IDENTIFIER_BYTES = 32;

/** Opens everything and serves; models load in the background, `/readyz` tells when they are there. */
export async function openDaemon(settings: Settings): Promise<Daemon> {
  await using stack = new AsyncDisposableStack();
  const log = pino({ level: settings.log.level, base: null }, pino.destination({ dest: 2, sync: true }));
  const clock = monotonicClock();
  const store = stack.use(await Store.open(settings.store));
  const newKey = await setUpFirstStart(store, clock, await Sealer.open(settings.dataFolder), {
    dataFolder: settings.dataFolder,
    adminEmail: settings.admin.email,
    adminPassword: settings.admin.password?.reveal() ?? null,
    adminApiKey: settings.admin.apiKey?.reveal() ?? null,
    rateLimitPerMinute: settings.admin.rateLimitPerMinute,
  });
  const metrics = new Metrics();
  const config: AppConfig = { ...settings.app, publicUrl: publicUrlOf(settings) };
  const newIdentifier = (): string => randomBytes(IDENTIFIER_BYTES).toString('hex');
  const engine = stack.use(
    new Engine(settings.engine, {
      store,
      clock,
      newIdentifier,
      log,
      observer: observe(metrics),
      fetchMedia: (url, signal) => fetchMedia(config, store.blobs, url, signal),
    }),
  );
  const app: App = { config, store, engine, clock, log, metrics, newIdentifier };
  const http = stack.use(await openHttp(app, settings, stack));
  if (settings.http.publicUrl === null) config.publicUrl = http.url;
  const grpc = stack.use(
    await openGrpcServer(app, { ...settings.grpc.listen, reflection: !settings.http.behindProxy }),
  );
  startEngine(engine, log);
  const held = stack.move();
  return {
    http,
    grpc,
    app,
    newKey,
    async drain() {
      grpc.stopServing();
      await engine.drain(DRAIN_TIMEOUT_MS);
      await http.stopServing();
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

function openHttp(app: App, settings: Settings, stack: AsyncDisposableStack): Promise<HttpServer> {
  const { listen, allowedHosts, behindProxy } = settings.http;
  const rule = { ...listen, publicUrl: app.config.publicUrl, allowedHosts, trustedProxies: [] };
  const isAllowed = hostCheck(rule);
  return openHttpServer(app, rule, async (fastify) => {
    const graphql = await plugGraphql(app, fastify, {
      introspection: !behindProxy,
      graphiql: !behindProxy,
      isAllowedOrigin: (origin, host) =>
        isAllowed(host) &&
        (origin === undefined || (URL.canParse(origin) && isAllowed(new URL(origin).host))),
    });
    stack.use(graphql);
    await plugDashboard(fastify, app);
  });
}

/** A failed start of the models is told by `/readyz` and the log; the daemon goes on serving reads. */
function startEngine(engine: Engine, log: App['log']): void {
  engine.start().catch((error: unknown) => log.error({ error }, 'the engine did not start'));
}

function publicUrlOf({ http }: Settings): string {
  return http.publicUrl ?? `http://${http.listen.host}:${http.listen.port}`;
}

const MICROSECONDS_PER_MS = 1000;

/** Strictly increasing, so that two records never share a place in a list. */
function monotonicClock(): Clock {
  let last = 0;
  return {
    now() {
      last = Math.max(
        last + 1,
        Math.round((performance.timeOrigin + performance.now()) * MICROSECONDS_PER_MS),
      );
      return last;
    },
  };
}

function observe(metrics: Metrics): EngineObserver {
  return {
    analysisEnded(analysis) {
      metrics.analyses.inc({ kind: analysis.kind, state: analysis.state });
      const state = analysis.result === null ? null : assessmentState(analysis.result);
      if (state !== null) metrics.verdicts.inc({ kind: analysis.kind, state });
    },
    stepTimed(step, seconds) {
      metrics.stepSeconds.observe({ step }, seconds);
    },
    workerDied(worker) {
      metrics.workerDeaths.inc({ worker });
    },
    queueChanged(depth, running) {
      metrics.queueDepth.set(depth);
      metrics.running.set(running);
    },
    batch(model, size) {
      metrics.batchSize.observe({ model }, size);
    },
  };
}
