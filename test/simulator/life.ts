/** One life of the daemon's process without listeners and children: real store, queue, outbox and use cases, a still clock. */
import { join } from 'node:path';
import { pino } from 'pino';
import { AccountFeed } from '../../src/app/accounts/account-feed.ts';
import { Mailer } from '../../src/app/accounts/mail.ts';
import type { App } from '../../src/app/appliance/app.ts';
import { setUpFirstStart } from '../../src/app/appliance/first-start.ts';
import { toPrincipal } from '../../src/app/callers/authenticate.ts';
import type { Principal } from '../../src/app/callers/principal.ts';
import { Standings } from '../../src/app/callers/standings.ts';
import { openDeliveryLoop } from '../../src/app/notices/open-loop.ts';
import { AccessLog } from '../../src/app/records/access-log.ts';
import { RecordCache } from '../../src/app/records/record-cache.ts';
import { Refusals } from '../../src/app/records/refusals.ts';
import { WatchLoop } from '../../src/app/watch-folders/watch-loop.ts';
import type { DeliveryLoop } from '../../src/app/webhooks/delivery-loop.ts';
import type { PostWebhook } from '../../src/app/webhooks/post.ts';
import { openCounts, roomsOf } from '../../src/compose-core.ts';
import { loadSettings } from '../../src/config/settings.ts';
import { Engine } from '../../src/engine/engine.ts';
import { LeaseBook } from '../../src/engine/remote/lease-book.ts';
import { RemoteExecutor } from '../../src/engine/remote/remote-executor.ts';
import { toClassification } from '../../src/facade/rest/convert.ts';
import { Metrics } from '../../src/machinery/metrics.ts';
import { Sealer } from '../../src/machinery/sealer.ts';
import { openTrustLists } from '../../src/machinery/trust/trust-lists.ts';
import type { RecordsDisk } from '../../src/store/records-disk.ts';
import { Store } from '../../src/store/store.ts';
import type { Random } from '../heavy/random.ts';
import { LEASE_MS, type SimulatedBroker } from './broker.ts';
import type { SimulatedExecutor } from './simulated-executor.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** What use cases of submissions, records, accounts, webhooks and watched folders need of an App. */
export type SimulatedApp = Omit<
  App,
  | 'exportJobs'
  | 'signingKeys'
  | 'checkpoints'
  | 'backups'
  | 'doctor'
  | 'support'
  | 'trust'
  | 'trustRechecks'
  | 'copies'
  | 'keptPictures'
  | 'earlierPictures'
> & { engine: Engine };

export interface LifeParts {
  /** Folder of the machine: the data folder lies in it, and what is watched. */
  folder: string;
  clock: VirtualClock;
  random: Random;
  disk: RecordsDisk;
  executor: SimulatedExecutor;
  post: PostWebhook;
  /** Null: there are no workers on other boxes. */
  broker: SimulatedBroker | null;
  /** The kernel's name of this boot. */
  bootId: string;
  /** The one watched folder of histories where absent. */
  watchRoots?: readonly string[];
}

export const ADMIN_ID = 1;
/** Receivers live in this network, which is not really there. */
const RECEIVERS_NETWORK = '192.0.2.0/24';
const GRACE_MS = 5000;
const TRUST_FOLDER = join(import.meta.dirname, '..', '..', 'trust');
/** Registers what the machine does while it is there: one for all lives. */
const metrics = new Metrics();
const trust = openTrustLists({ folder: TRUST_FOLDER, settingPem: '', settingFile: null });
const log = pino({ level: 'silent' });

export class Life implements AsyncDisposable {
  readonly app: SimulatedApp;
  readonly #stack: AsyncDisposableStack;
  readonly #webhooks: DeliveryLoop;
  readonly #watchLoop: WatchLoop;

  private constructor(
    app: SimulatedApp,
    webhooks: DeliveryLoop,
    watchLoop: WatchLoop,
    stack: AsyncDisposableStack,
  ) {
    this.app = app;
    this.#webhooks = webhooks;
    this.#watchLoop = watchLoop;
    this.#stack = stack;
  }

  static async open({ clock, random, disk, executor, post, ...parts }: LifeParts): Promise<Life> {
    await using stack = new AsyncDisposableStack();
    const settings = settingsOf(parts.folder, parts.watchRoots ?? [watchedFolderOf(parts.folder)]);
    const { dataFolder } = settings;
    executor.slots = settings.engine.analysesMax;
    const accountFeed = new AccountFeed();
    const standings = stack.use(new Standings(clock));
    const store = stack.use(
      await Store.open({
        ...settings.store,
        ...{ disk, now: () => clock.now(), uptimeMs: () => clock.elapsedMs() },
      }),
    );
    const sealer = await Sealer.open(dataFolder);
    const admin = { adminEmail: 'admin@example.org', adminPassword: null, adminApiKey: null };
    await setUpFirstStart(store, clock, sealer, { dataFolder, ...admin, rateLimitPerMinute: 0 });
    const newIdentifier = () => identifierOf(random);
    const remote =
      parts.broker === null ? null : stack.use(remoteExecutor(parts.broker, { store, clock, newIdentifier }));
    const engine = stack.use(
      new Engine(
        { ...settings.engine, trust: trust.material },
        {
          ...{ store, clock, bootId: parts.bootId, newIdentifier, log, local: executor, remote },
          observer: SILENT,
          fetchManifest: () => Promise.reject(new Error('nothing is fetched in a simulation')),
          fetchMedia: () => Promise.reject(new Error('nothing is fetched in a simulation')),
          lookForCopies: async () => null,
        },
      ),
    );
    const accessLog = stack.use(new AccessLog({ store, clock, log }));
    const core = {
      config: settings.app,
      store,
      records: new RecordCache(),
      refusals: new Refusals({ log, metrics }),
      accessLog,
      ...roomsOf(engine),
      remote,
      clock,
      log,
      metrics,
    };
    const mail = { ...settings.mail, smtpUrl: null, folder: join(dataFolder, 'mail'), retryDelaysMs: [] };
    const app: SimulatedApp = {
      ...{ ...core, newIdentifier, accountFeed, sealer, tracing: null },
      mailer: stack.use(new Mailer(mail, log)),
      ...openCounts(core),
      standings,
    };
    const body = (record: Parameters<typeof toClassification>[0]) => JSON.stringify(toClassification(record));
    const webhooks = stack.use(openDeliveryLoop(app, body, post));
    const watchLoop = stack.use(new WatchLoop(app));
    store.follow((change) => {
      accountFeed.publish(change);
      standings.publish(change);
      if (change.type === 'delivery' || change.type === 'pending-notice') webhooks.wake();
    });
    await engine.start();
    webhooks.start();
    watchLoop.start();
    return new Life(app, webhooks, watchLoop, stack.move());
  }

  /** The account as its next call would find it. */
  principalOf(accountId: number): Principal {
    const account = this.app.store.read.accounts.get(accountId);
    if (account === undefined) throw new Error(`no account ${accountId}`);
    return toPrincipal(this.app, account, { facade: 'rest', remoteAddress: '192.0.2.1' }, { type: 'rule' });
  }

  /** As SIGTERM ends it. */
  async stop(): Promise<void> {
    await this.#watchLoop.stop();
    await this.app.engine.drain(GRACE_MS);
    await this.#webhooks.stop(GRACE_MS);
  }

  /** Watched folders are left alone from now on. */
  async stopWatching(): Promise<void> {
    await this.#watchLoop.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

export function dataFolderOf(folder: string): string {
  return join(folder, 'data');
}

export function watchedFolderOf(folder: string): string {
  return join(folder, 'drop');
}

function remoteExecutor(
  broker: SimulatedBroker,
  { store, clock, newIdentifier }: Pick<SimulatedApp, 'store' | 'clock' | 'newIdentifier'>,
): RemoteExecutor {
  const book = new LeaseBook(LEASE_MS, store, clock);
  const config = { leaseMs: LEASE_MS, mediaUrl: () => 'http://192.0.2.1', certificatePem: () => null };
  const parts = { book, log, clock, newIdentifier, drained: store.read.automation };
  return new RemoteExecutor(config, { ...parts, ...broker.parts(book) });
}

function settingsOf(folder: string, watchRoots: readonly string[]) {
  return loadSettings({
    argv: [],
    env: {
      ASSAY_DATA_DIR: dataFolderOf(folder),
      ASSAY_WATCH_ROOTS: watchRoots.join(','),
      ASSAY_WEBHOOK_ALLOW_NETWORKS: RECEIVERS_NETWORK,
      ASSAY_DISK_FREE_MIN: '1048576',
      ASSAY_QUEUE_RUNNING_MAX: '3',
    },
    readFile: () => '',
  });
}

function identifierOf(random: Random): string {
  return Array.from({ length: 64 }, () => random.whole(0, 15).toString(16)).join('');
}

const SILENT = { analysisEnded() {}, stepTimed() {}, workerDied() {}, queueChanged() {}, videoDecoded() {} };
