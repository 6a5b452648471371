/** An HTTP server with GraphQL alone, on a real store; of the engine only what reading and watching need. */

import { join } from 'node:path';
import { pino } from 'pino';
import { AccountFeed } from '../../src/app/accounts/account-feed.ts';
import { Mailer } from '../../src/app/accounts/mail.ts';
import type { App } from '../../src/app/appliance/app.ts';
import { Backups } from '../../src/app/appliance/backups.ts';
import { EarlierPictures } from '../../src/app/appliance/earlier-pictures.ts';
import { setUpFirstStart } from '../../src/app/appliance/first-start.ts';
import { Standings } from '../../src/app/callers/standings.ts';
import { Checkpoints } from '../../src/app/custody/checkpoints.ts';
import { ExportJobs } from '../../src/app/evidence/export-jobs.ts';
import { AccessLog } from '../../src/app/records/access-log.ts';
import { KeptPictures } from '../../src/app/records/kept-pictures.ts';
import type { RecordParts } from '../../src/app/records/parts.ts';
import { RecordCache } from '../../src/app/records/record-cache.ts';
import { Refusals } from '../../src/app/records/refusals.ts';
import { SeenBeforeIndex } from '../../src/app/records/seen-before.ts';
import { TrustRechecks } from '../../src/app/trust/trust-rechecks.ts';
import { openCounts, type roomsOf } from '../../src/compose-core.ts';
import type { ModelPack } from '../../src/domain/packs/model-pack.ts';
import { DEFAULT_OPTIONS } from '../../src/domain/records/options.ts';
import { NO_FINDINGS } from '../../src/domain/verdicts/tentative.ts';
import type { FileLooks } from '../../src/engine/decode/file-looks.ts';
import { RecordFeed } from '../../src/engine/engine.ts';
import { plugGraphql } from '../../src/facade/graphql/server.ts';
import { plugRest } from '../../src/facade/rest/rest.ts';
import { Metrics } from '../../src/machinery/metrics.ts';
import { RecentLog } from '../../src/machinery/recent-log.ts';
import { Sealer } from '../../src/machinery/sealer.ts';
import { SigningKeys } from '../../src/machinery/signing-key.ts';
import { systemClock } from '../../src/machinery/system-clock.ts';
import { TrustLists } from '../../src/machinery/trust/trust-lists.ts';
import { callerAddress, HttpServer } from '../../src/port/server.ts';
import { Store } from '../../src/store/store.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

export const IDENTIFIER = 'ab'.repeat(32);

export interface GraphqlFixture extends AsyncDisposable {
  app: App;
  key: string;
  url: string;
}

const CONFIG: App['config'] = {
  publicUrl: 'http://localhost:8080',
  diskFreeBytesMin: 0,
  termsRequired: false,
  searchElsewhere: [],
  registration: { isOpen: false, planSku: 'appliance', credits: 0 },
  uploadsMax: 20,
  unfinishedUploadMs: 86_400_000,
  fetchAllowNetworks: [],
  fetchTimeoutMs: 1000,
  fetchContact: null,
  manifestHosts: [],
  webhookAllowNetworks: [],
  watchRoots: [],
  ...{ timestampAuthorities: [], timestampRootsPem: null },
};

type OpenedOnCore = 'trust' | 'trustRechecks' | 'copies' | 'keptPictures' | 'earlierPictures';

function openOnCore(
  stack: AsyncDisposableStack,
  core: RecordParts & Pick<App, 'engine'>,
): Pick<App, OpenedOnCore> {
  const trust = new TrustLists([]);
  const keptPictures = stack.use(new KeptPictures(core.store));
  const earlierPictures = stack.use(new EarlierPictures({ ...core, keptPictures }));
  const pictures = { copies: new SeenBeforeIndex(core.store), keptPictures, earlierPictures };
  return { ...pictures, trust, trustRechecks: stack.use(new TrustRechecks({ ...core, trust })) };
}

export async function openGraphqlFixture(introspection = true): Promise<GraphqlFixture> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await makeTemporaryFolder());
  let time = 1_767_225_600_000_000;
  const clock = { ...systemClock(), now: () => time++ };
  const accountFeed = new AccountFeed();
  const standings = stack.use(new Standings(clock));
  const store = stack.use(await Store.open({ folder: folder.path }));
  store.follow((change) => {
    accountFeed.publish(change);
    standings.publish(change);
  });
  const sealer = await Sealer.open(folder.path);
  const signingKeys = await SigningKeys.open({ folder: folder.path, givenPem: null, now: clock.now });
  const firstStart = await setUpFirstStart(store, clock, sealer, {
    dataFolder: folder.path,
    adminEmail: 'admin@example.org',
    adminPassword: null,
    adminApiKey: null,
    rateLimitPerMinute: 0,
  });
  const [log, metrics] = [pino({ level: 'silent' }), new Metrics()];
  const core = {
    ...{ config: { ...CONFIG }, store },
    ...{ records: new RecordCache(), refusals: new Refusals({ log, metrics }), ...stubEngine() },
    feed: new RecordFeed(store.read),
    accessLog: stack.use(new AccessLog({ store, clock, log })),
    ...{ clock, log, metrics },
  };
  const app: App = {
    ...{ ...core, checkpoints: stack.use(new Checkpoints({ store, clock, log, signingKeys })) },
    accountFeed,
    mailer: stack.use(openMailer(folder.path)),
    ...{ sealer, signingKeys, exportJobs: stack.use(await ExportJobs.open(folder.path)) },
    newIdentifier: () => IDENTIFIER,
    ...openCounts(core),
    standings,
    doctor: {
      ...{ tls: null, diskFreeBytesMin: 0 },
      ...{ providers: ['cpu'], decode: { slots: 1, memoryBytesMax: 1 }, listeners: [] },
    },
    ...{ remote: null, tracing: null, ...openOnCore(stack, core) },
    support: { settings: [], secrets: () => [], recentLog: new RecentLog() },
    backups: stack.use(
      await Backups.open(
        { folder: null, intervalMs: 0, keep: 1, ageMsMax: 1, withSecrets: false, bytesPerSecondMax: 0 },
        core,
      ),
    ),
  };
  const http = stack.use(new HttpServer(RULE));
  await http.serve(app, async (fastify) => {
    await plugRest(fastify, app);
    stack.use(await plugGraphql(app, fastify, { introspection, graphiql: true, ...SOCKETS }));
  });
  const held = stack.move();
  return {
    app,
    key: firstStart?.key ?? '',
    url: `${http.url}/graphql`,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

const RULE = {
  host: '127.0.0.1',
  port: 0,
  publicUrl: CONFIG.publicUrl,
  allowedHosts: [],
  connectionsMax: 100,
  trustedProxies: [],
  behindProxy: false,
  tls: null,
};

const SOCKETS = {
  isAllowedOrigin: (origin: string | undefined) => origin !== 'https://evil.example',
  callerAddress: callerAddress([]),
};

function openMailer(folder: string): Mailer {
  const files = { smtpUrl: null, folder: join(folder, 'mail'), retryDelaysMs: [] };
  return new Mailer({ ...files, from: 'assay@example.org', language: 'en' }, pino({ level: 'silent' }));
}

type RoomsOfEngine = Omit<ReturnType<typeof roomsOf>, 'feed'>;

interface StubbedRooms {
  engine: Pick<App['engine'], 'phase'>;
  looks: Pick<FileLooks, 'probe' | 'checkProbe'>;
  shelf: { usable: { pack: Pick<ModelPack, 'id' | 'version' | 'task'> }[] };
  running: App['running'];
}

function stubEngine(): RoomsOfEngine {
  const looks: Pick<FileLooks, 'probe' | 'checkProbe'> = {
    checkProbe: () => {},
    probe: async () => ({
      kind: 'image',
      mime: 'image/png',
      width: 8,
      height: 8,
      pages: 1,
      durationSeconds: null,
      hasSound: false,
    }),
  };
  const rooms: StubbedRooms = {
    engine: { phase: 'ready' },
    looks,
    shelf: { usable: [{ pack: { id: 'judge', version: '1', task: 'image-origin' } }] },
    running: {
      findingsOf: () => NO_FINDINGS,
      waitReason: () => null,
      progressOf: () => ({ step: 'patches', done: 1, total: 3 }),
    },
  };
  return rooms as unknown as RoomsOfEngine;
}

/** A record whose work is still waiting. */
export async function addRecord({ app }: GraphqlFixture): Promise<void> {
  const now = app.clock.now();
  const common = {
    kind: 'image',
    hash: 'cd'.repeat(32),
    sourceUrl: null,
    options: { ...DEFAULT_OPTIONS },
  } as const;
  await app.store.transact((tx) => {
    tx.putAnalysis({
      ...common,
      id: 'analysis-1',
      key: 'image/key',
      models: [],
      accountId: 1,
      state: 'queued',
      attempts: 0,
      lease: null,
      error: '',
      queuedAt: now,
      endedAt: null,
      apiVersion: '1.1.0',
      result: null,
    });
    tx.putClassification({
      ...common,
      identifier: IDENTIFIER,
      accountId: 1,
      name: 'picture.png',
      refId: '',
      mime: 'image/png',
      sizeBytes: 6_000_000_000,
      analysisId: 'analysis-1',
      origin: 'analysed',
      cancelled: false,
      credits: 0,
      webhookUrl: null,
      requestId: null,
      createdAt: now,
    });
  });
}
