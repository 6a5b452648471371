/**
 * The one place that constructs. Disposal runs the same list backwards on one stack, so that nothing outlives what it uses.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pino } from 'pino';
import { AccountFeed } from './app/accounts/account-feed.ts';
import { MAIL_RETRY_DELAYS_MS, Mailer } from './app/accounts/mail.ts';
import { passwordLink } from './app/accounts/mail-texts.ts';
import type { App } from './app/appliance/app.ts';
import { Backups } from './app/appliance/backups.ts';
import { ReaderWatch } from './app/appliance/doctor/reader-watch.ts';
import { EarlierPictures } from './app/appliance/earlier-pictures.ts';
import { type FirstStart, setUpFirstStart } from './app/appliance/first-start.ts';
import type { Listener } from './app/appliance/parts.ts';
import { Sweeper, type SweeperParts } from './app/appliance/sweeper.ts';
import { UnfinishedIndexes } from './app/appliance/unfinished-indexes.ts';
import { Attempts } from './app/callers/attempts.ts';
import { CallRates } from './app/callers/call-rates.ts';
import { KeyUses } from './app/callers/key-uses.ts';
import { uploadPlaces } from './app/callers/open-places.ts';
import { Standings } from './app/callers/standings.ts';
import type { AppConfig, Core } from './app/core.ts';
import { type CheckpointParts, Checkpoints } from './app/custody/checkpoints.ts';
import { ExportJobs } from './app/evidence/export-jobs.ts';
import { TimestampLoop } from './app/evidence/timestamp-loop.ts';
import { openDeliveryLoop } from './app/notices/open-loop.ts';
import { AccessLog } from './app/records/access-log.ts';
import { KeptPictures } from './app/records/kept-pictures.ts';
import { RecordCache } from './app/records/record-cache.ts';
import { Refusals } from './app/records/refusals.ts';
import { Retention } from './app/records/retention.ts';
import { SeenBeforeIndex } from './app/records/seen-before.ts';
import { FLUSHES_MAX } from './app/submissions/uploads.ts';
import { TrustRechecks } from './app/trust/trust-rechecks.ts';
import { WatchBoard } from './app/watch-folders/watch-board.ts';
import { WatchLoop } from './app/watch-folders/watch-loop.ts';
import { openEngine, openRemote, startEngine } from './compose-engine.ts';
import type { Settings } from './config/settings.ts';
import { secretsOf, toDoctorConfig, toFirstStart, toHttp, toSigningKeys } from './config/slices.ts';
import type { Clock } from './domain/clock.ts';
import { showText } from './domain/shown-text.ts';
import type { Engine } from './engine/engine.ts';
import type { GrpcServer } from './facade/grpc/server.ts';
import { toWebhookBody } from './facade/rest/convert.ts';
import { Metrics } from './machinery/metrics.ts';
import { PROGRAM_FOLDER } from './machinery/program-folder.ts';
import { RecentLog } from './machinery/recent-log.ts';
import { Sealer } from './machinery/sealer.ts';
import { SigningKeys } from './machinery/signing-key.ts';
import { systemClock } from './machinery/system-clock.ts';
import { TlsFiles } from './machinery/tls.ts';
import type { Tracing } from './machinery/tracing.ts';
import { openTrustLists, type TrustLists } from './machinery/trust/trust-lists.ts';
import { Turnstile } from './machinery/turns/turnstile.ts';
import { HttpServer } from './port/server.ts';
import type { StoreChange } from './store/accounts/change.ts';
import { Store } from './store/store.ts';

export interface Daemon extends AsyncDisposable {
  readonly http: HttpServer;
  readonly grpc: GrpcServer;
  readonly app: App;
  readonly isFirstStart: boolean;
  /** The administrator's key, only at the first start and if no setting gave it. */
  readonly newKey: string | null;
  /** A link that sets the administrator's password, only at the first start and if the settings gave none. */
  readonly passwordLink: string | null;
  /** Until then a submission is refused as `starting`; reads are answered before. */
  readonly packsRead: Promise<void>;
  /** Stops taking work, finishes what runs, then closes everything. */
  drain(): Promise<void>;
}

/**
 * How long running analyses may take to finish before they are put back into the queue, uncounted. Enough for a
 * picture; what takes longer runs again after the next start anyway, and a supervisor waits for the end.
 */
const ANALYSES_GRACE_MS = 10_000;
/** Deliveries that are cut then are sent again after the next start, under the same id. */
const WEBHOOK_GRACE_MS = 5_000;
const IDENTIFIER_BYTES = 32;
interface Draining {
  http: HttpServer;
  grpc: GrpcServer;
  engine: Engine;
  webhooks: ReturnType<typeof openDeliveryLoop>;
  watchLoop: WatchLoop;
}

/** Opens everything and serves; models load in the background, `/readyz` says when they are there. */
export async function openDaemon(settings: Settings, clock: Clock = systemClock()): Promise<Daemon> {
  await using stack = new AsyncDisposableStack();
  const recentLog = new RecentLog();
  const log = openLog(settings, recentLog);
  const metrics = new Metrics();
  const tls = settings.tls === null ? null : stack.use(await TlsFiles.open(settings.tls, log));
  const followers = { accountFeed: new AccountFeed(), standings: stack.use(new Standings(clock)) };
  const store = stack.use(
    await openStore(settings, { log, metrics }, (change) => {
      for (const follower of Object.values(followers)) follower.publish(change);
      if (change.type === 'delivery' || change.type === 'pending-notice') webhooks.wake();
      if (change.type === 'timestamps') timestampLoop.wake();
      if (change.type === 'likeness') for (const index of Object.values(pictures)) index.forget(change);
    }),
  );
  const pictures = { copies: new SeenBeforeIndex(store), keptPictures: stack.use(new KeptPictures(store)) };
  const tracing = settings.tracing === null ? null : stack.use(await openTracing(settings.tracing));
  const sealer = await Sealer.open(settings.dataFolder);
  const signingKeys = await SigningKeys.open(toSigningKeys(settings, clock));
  const mailer = stack.use(openMailer(settings, log));
  const firstStart = await setUpFirstStart(store, clock, sealer, toFirstStart(settings));
  const http = new HttpServer(toHttp(settings, tls));
  const config = toConfig(settings, http);
  const trust = openTrust(settings, store);
  const remote = await openRemote(stack, settings, { store, clock, log, tls });
  const parts = { config, store, clock, log, metrics, tracing, newIdentifier, trust, remote, ...pictures };
  const engine = stack.use(openEngine(settings, parts, (analysis) => retention.noteEnded(analysis)));
  const { accessLog, checkpoints } = openCustody(stack, { store, clock, log, signingKeys });
  const core = { config, store, ...openRecords({ log, metrics }), accessLog, engine, clock, log, metrics };
  const backups = stack.use(await Backups.open(settings.backups, core));
  const app: App = {
    ...core,
    ...followers,
    newIdentifier,
    mailer,
    sealer,
    signingKeys,
    checkpoints,
    backups,
    tracing,
    exportJobs: stack.use(await ExportJobs.open(settings.dataFolder)),
    ...openCounts(core),
    trust,
    ...pictures,
    trustRechecks: stack.use(new TrustRechecks({ ...core, trust })),
    earlierPictures: stack.use(new EarlierPictures({ ...core, ...pictures })),
    doctor: toDoctorConfig(settings, tls, () => listenersOf(http, grpc)),
    support: { settings: settings.origins, secrets: () => secretsOf(settings), recentLog },
  };
  const retention = stack.use(new Retention(app, settings.retention));
  const webhooks = stack.use(openDeliveryLoop(app, toWebhookBody));
  const timestampLoop = stack.use(openTimestampLoop(app));
  const watchLoop = stack.use(new WatchLoop(app));
  const { packsRead } = await startEngine(engine, log);
  const { serveFacades } = await import('./compose-facades.ts');
  const grpc = await serveFacades(stack, settings, { http, app, tls });
  for (const loop of [webhooks, timestampLoop, watchLoop, app.trustRechecks]) loop.start();
  keepHouse(stack, { ...app, unfinishedUploadMs: config.unfinishedUploadMs });
  const held = stack.move();
  return {
    http,
    grpc,
    app,
    packsRead,
    ...describeFirstStart(app, firstStart),
    drain: () => drain({ grpc, watchLoop, engine, webhooks, http }),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

function describeFirstStart(
  app: App,
  start: FirstStart | null,
): Pick<Daemon, 'isFirstStart' | 'newKey' | 'passwordLink'> {
  return {
    isFirstStart: start !== null,
    newKey: start?.isKeyNew === true ? start.key : null,
    passwordLink: start?.passwordToken ? passwordLink(app, start.passwordToken) : null,
  };
}

function keepHouse(stack: AsyncDisposableStack, parts: SweeperParts & Pick<App, 'earlierPictures'>): void {
  stack.use(new ReaderWatch(parts));
  stack.use(new UnfinishedIndexes(parts));
  stack.use(new Sweeper(parts));
  parts.earlierPictures.start();
}

async function drain({ grpc, watchLoop, engine, webhooks, http }: Draining): Promise<void> {
  grpc.stopServing();
  await watchLoop.stop();
  await engine.drain(ANALYSES_GRACE_MS);
  await webhooks.stop(WEBHOOK_GRACE_MS);
  await http.stopServing();
}

function openRecords(reporting: Pick<App, 'log' | 'metrics'>) {
  return { records: new RecordCache(), refusals: new Refusals(reporting) };
}

function openCounts(core: Core) {
  return {
    callRates: new CallRates(),
    attempts: new Attempts(),
    keyUses: new KeyUses(core),
    openUploads: uploadPlaces(core.config.uploadsMax),
    flushes: new Turnstile(FLUSHES_MAX),
    submitting: new Map(),
    watching: new WatchBoard(),
  } satisfies Partial<App>;
}

const newIdentifier = (): string => randomBytes(IDENTIFIER_BYTES).toString('hex');

function openCustody(
  stack: AsyncDisposableStack,
  parts: CheckpointParts,
): Pick<App, 'accessLog' | 'checkpoints'> {
  return { accessLog: stack.use(new AccessLog(parts)), checkpoints: stack.use(new Checkpoints(parts)) };
}

function openTimestampLoop(app: App): TimestampLoop {
  const onStamped = (packageSha256: string) => void app.exportJobs.addTimestamps(app, packageSha256);
  return new TimestampLoop({ ...app, random: Math.random, onStamped });
}

function openLog({ log }: Settings, recentLog: RecentLog): App['log'] {
  const destination = pino.destination({ dest: 2, sync: true });
  const write = (line: string) => {
    // JSON escapes the same way, so that a program reads what was logged and a person is not deceived.
    const shown = `${showText(line.trimEnd())}\n`;
    destination.write(shown);
    recentLog.write(shown);
  };
  return pino({ level: log.level, base: null }, { write });
}

/** Without a configured address it is the listener's, known once it listens. */
function toConfig(settings: Settings, http: HttpServer): AppConfig {
  return {
    ...settings.app,
    get publicUrl() {
      return settings.http.publicUrl ?? http.url;
    },
  };
}

/** Loads OpenTelemetry only if a collector is named. */
async function openTracing({ endpoint, authorization }: NonNullable<Settings['tracing']>): Promise<Tracing> {
  const { Tracing } = await import('./machinery/tracing.ts');
  return new Tracing({ endpoint, authorization: authorization?.reveal() ?? null });
}

function openTrust({ trustAnchorsPem, trustAnchorsFile }: Settings, { read }: Store): TrustLists {
  const folder = join(PROGRAM_FOLDER, 'trust');
  const lists = openTrustLists({ folder, settingPem: trustAnchorsPem, settingFile: trustAnchorsFile });
  lists.apply(read.automation.trustLists());
  return lists;
}

function listenersOf(http: HttpServer, grpc: GrpcServer): Listener[] {
  return [toListener('http', http.url), toListener('grpc', `tcp://${grpc.address}`)];
}

function toListener(name: string, address: string): Listener {
  const { hostname, port, protocol } = new URL(address);
  const number = Number(port) || (protocol === 'https:' ? 443 : 80);
  return { name, host: hostname.replace(/^\[|\]$/g, ''), port: number };
}

async function openStore(
  { store }: Settings,
  { log, metrics }: Pick<App, 'log' | 'metrics'>,
  onChange: (change: StoreChange) => void,
): Promise<Store> {
  const opened = await Store.open({
    ...store,
    onChange,
    onUpgrade: (message) => log.warn(message),
    onDamage({ table, key }) {
      metrics.damagedRecords.inc({ table });
      log.error({ table, key }, 'a stored record is damaged; restore it from a backup');
    },
    onChangedOriginal(hash) {
      metrics.changedOriginals.inc();
      log.error({ hash }, 'a stored original is not what was submitted; restore it from a backup');
    },
  });
  for (const table of opened.tableNames) metrics.damagedRecords.inc({ table }, 0);
  return opened;
}

function openMailer({ mail }: Settings, log: App['log']): Mailer {
  const smtpUrl = mail.smtpUrl?.reveal() ?? null;
  const mailer = new Mailer({ ...mail, smtpUrl, retryDelaysMs: MAIL_RETRY_DELAYS_MS }, log);
  mailer.tryServer();
  return mailer;
}
