/** Constructs the core: store, use cases, engine with executors, and loops. It serves no one. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pino } from 'pino';
import { AccountFeed } from './app/accounts/account-feed.ts';
import { MAIL_RETRY_DELAYS_MS, Mailer } from './app/accounts/mail.ts';
import type { App } from './app/appliance/app.ts';
import { Backups } from './app/appliance/backups.ts';
import { ReaderWatch } from './app/appliance/doctor/reader-watch.ts';
import { EarlierPictures } from './app/appliance/earlier-pictures.ts';
import { type FirstStart, setUpFirstStart } from './app/appliance/first-start.ts';
import { Sweeper, type SweeperParts } from './app/appliance/sweeper.ts';
import { UnfinishedIndexes } from './app/appliance/unfinished-indexes.ts';
import { Attempts } from './app/callers/attempts.ts';
import { CallRates } from './app/callers/call-rates.ts';
import { KeyUses } from './app/callers/key-uses.ts';
import { uploadPlaces } from './app/callers/open-places.ts';
import { Standings } from './app/callers/standings.ts';
import type { AppConfig, Core } from './app/core.ts';
import { Checkpoints } from './app/custody/checkpoints.ts';
import { ExportJobs } from './app/evidence/export-jobs.ts';
import { openTimestampLoop } from './app/evidence/timestamp-loop.ts';
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
import { openEngine, openRemote } from './compose-engine.ts';
import type { Settings } from './config/settings.ts';
import { secretsOf, toDoctorConfig, toFirstStart, toSigningKeys } from './config/slices.ts';
import type { Clock } from './domain/clock.ts';
import { showText } from './domain/shown-text.ts';
import type { Engine } from './engine/engine.ts';
import { toWebhookBody } from './facade/rest/convert.ts';
import { Metrics } from './machinery/metrics.ts';
import { PROGRAM_FOLDER } from './machinery/program-folder.ts';
import { RecentLog } from './machinery/recent-log.ts';
import { Sealer } from './machinery/sealer.ts';
import { SigningKeys } from './machinery/signing-key.ts';
import { TlsFiles } from './machinery/tls.ts';
import type { Tracing } from './machinery/tracing.ts';
import { openTrustLists, type TrustLists } from './machinery/trust/trust-lists.ts';
import { Turnstile } from './machinery/turns/turnstile.ts';
import { Store } from './store/store.ts';

/** Parts that the facades need as well. */
export interface Basics {
  readonly log: App['log'];
  readonly recentLog: RecentLog;
  readonly tls: TlsFiles | null;
}

export interface OpenCore {
  readonly app: App;
  readonly engine: Engine;
  readonly firstStart: FirstStart | null;
  /** Starts everything that works by itself but the engine. */
  startLoops(): void;
  /** Stops taking work, and finishes what runs. */
  drain(): Promise<void>;
}

interface CoreSurroundings extends Basics {
  clock: Clock;
  /** Has the bound port, once there is one. */
  http: { readonly url: string };
}

/** Running analyses may take so long before they are requeued, uncounted: enough for a picture, while a supervisor waits. */
const ANALYSES_GRACE_MS = 10_000;
/** Deliveries that are cut then are sent again after the next start, under the same id. */
const WEBHOOK_GRACE_MS = 5_000;
const IDENTIFIER_BYTES = 32;

export async function openBasics(stack: AsyncDisposableStack, settings: Settings): Promise<Basics> {
  const recentLog = new RecentLog();
  const log = openLog(settings, recentLog);
  const tls = settings.tls === null ? null : stack.use(await TlsFiles.open(settings.tls, log));
  return { log, recentLog, tls };
}

export async function openCore(
  stack: AsyncDisposableStack,
  settings: Settings,
  { log, recentLog, tls, clock, http }: CoreSurroundings,
): Promise<OpenCore> {
  const metrics = new Metrics();
  const accountFeed = new AccountFeed();
  const standings = stack.use(new Standings(clock));
  const store = stack.use(await openStore(settings, { log, metrics }));
  const pictures = { copies: new SeenBeforeIndex(store), keptPictures: stack.use(new KeptPictures(store)) };
  const tracing = settings.tracing === null ? null : stack.use(await openTracing(settings.tracing));
  const sealer = await Sealer.open(settings.dataFolder);
  const signingKeys = await SigningKeys.open(toSigningKeys(settings, clock));
  const mailer = stack.use(openMailer(settings, log));
  const firstStart = await setUpFirstStart(store, clock, sealer, toFirstStart(settings));
  const config = toConfig(settings, http);
  const trust = openTrust(settings, store);
  const remote = await openRemote(stack, settings, { store, clock, log, tls });
  const parts = { config, store, clock, log, metrics, tracing, newIdentifier, trust, remote, ...pictures };
  const engine = stack.use(openEngine(settings, parts));
  const core = {
    ...parts,
    ...roomsOf(engine),
    records: new RecordCache(),
    refusals: new Refusals(parts),
    accessLog: stack.use(new AccessLog(parts)),
  };
  const app: App = {
    ...core,
    ...openCounts(core),
    accountFeed,
    standings,
    mailer,
    sealer,
    signingKeys,
    checkpoints: stack.use(new Checkpoints({ ...core, signingKeys })),
    backups: stack.use(await Backups.open(settings.backups, core)),
    exportJobs: stack.use(await ExportJobs.open(settings.dataFolder)),
    trustRechecks: stack.use(new TrustRechecks(core)),
    earlierPictures: stack.use(new EarlierPictures(core)),
    doctor: toDoctorConfig(settings, tls),
    support: { settings: settings.origins, secrets: () => secretsOf(settings), recentLog },
  };
  return { app, engine, firstStart, ...openLoops(stack, settings, { app, engine }) };
}

/** Opens what works by itself, and lets it follow the store. */
function openLoops(
  stack: AsyncDisposableStack,
  settings: Settings,
  { app, engine }: Pick<OpenCore, 'app' | 'engine'>,
): Pick<OpenCore, 'startLoops' | 'drain'> {
  const retention = stack.use(new Retention(app, settings.retention));
  const webhooks = stack.use(openDeliveryLoop(app, toWebhookBody));
  const onStamped = (packageSha256: string) => void app.exportJobs.addTimestamps(app, packageSha256);
  const timestampLoop = stack.use(openTimestampLoop({ ...app, random: Math.random, onStamped }));
  const watchLoop = stack.use(new WatchLoop(app));
  app.store.follow((change) => {
    for (const follower of [app.accountFeed, app.standings]) follower.publish(change);
    if (change.type === 'ended') retention.noteEnded(change.analysis);
    if (change.type === 'delivery' || change.type === 'pending-notice') webhooks.wake();
    if (change.type === 'timestamps') timestampLoop.wake();
    if (change.type === 'likeness') for (const index of [app.copies, app.keptPictures]) index.forget(change);
  });
  return {
    startLoops() {
      for (const loop of [webhooks, timestampLoop, watchLoop, app.trustRechecks]) loop.start();
      keepHouse(stack, { ...app, unfinishedUploadMs: app.config.unfinishedUploadMs });
    },
    async drain() {
      await watchLoop.stop();
      await engine.drain(ANALYSES_GRACE_MS);
      await webhooks.stop(WEBHOOK_GRACE_MS);
    },
  };
}

/** The engine, as use cases know it. */
export function roomsOf(engine: Engine) {
  const { feed, work, shelf, looks, renditions, packChanges, executor } = engine;
  return { engine, running: engine, feed, work, shelf, looks, renditions, packChanges, executor };
}

function keepHouse(stack: AsyncDisposableStack, parts: SweeperParts & Pick<App, 'earlierPictures'>): void {
  stack.use(new ReaderWatch(parts));
  stack.use(new UnfinishedIndexes(parts));
  stack.use(new Sweeper(parts));
  parts.earlierPictures.start();
}

/** Parts that a start begins with empty. */
export function openCounts(core: Core) {
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
function toConfig(settings: Settings, http: { readonly url: string }): AppConfig {
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

async function openStore(
  { store }: Settings,
  { log, metrics }: Pick<App, 'log' | 'metrics'>,
): Promise<Store> {
  const opened = await Store.open({
    ...store,
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
