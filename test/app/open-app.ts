/** The core of a daemon, or a whole one, in the test's own process and without models. */
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createUser } from '../../src/app/accounts/users.ts';
import type { App } from '../../src/app/appliance/app.ts';
import { toPrincipal } from '../../src/app/callers/authenticate.ts';
import { KeyUses } from '../../src/app/callers/key-uses.ts';
import type { Principal } from '../../src/app/callers/principal.ts';
import type { RawFields } from '../../src/app/field-parsers.ts';
import { type Daemon, openDaemon } from '../../src/compose.ts';
import { openBasics, openCore } from '../../src/compose-core.ts';
import { startEngine } from '../../src/compose-engine.ts';
import { loadSettings, type Settings } from '../../src/config/settings.ts';
import type { Account } from '../../src/domain/accounts/account.ts';
import type { Clock } from '../../src/domain/clock.ts';
import { heldFor } from '../../src/domain/desk.ts';
import type { MediaKind } from '../../src/domain/media/media.ts';
import { DEFAULT_OPTIONS } from '../../src/domain/records/options.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { systemClock } from '../../src/machinery/system-clock.ts';
import { keepModelChecks, layModelChecks } from '../model-checks.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

export const FROM = { facade: 'graphql', remoteAddress: '192.0.2.7' } as const;
export const ADMIN_PASSWORD = 'correct horse battery';
/** For tests that analyse; the others start without models, which is quicker. */
export const BUILT_IN_MODELS = { ASSAY_MODELS_FOLDERS: join(import.meta.dirname, '..', '..', 'models') };
const MINUTE_US = 60_000_000;

export interface OpenApp extends AsyncDisposable {
  app: App;
  engine: Engine;
  folder: string;
  admin: Principal;
  /** Lets time pass for use cases; the daemon's own work does not notice. */
  passMinutes(minutes: number): void;
}

export interface ServedApp extends OpenApp {
  daemon: Daemon;
  url: string;
}

/** The core alone: nothing listens. */
export async function openApp(env: Record<string, string> = {}, clock = systemClock()): Promise<OpenApp> {
  await using stack = new AsyncDisposableStack();
  const settings = await settingsOf(stack, env);
  const http = { url: 'http://127.0.0.1:9' };
  const core = await openCore(stack, settings, { ...(await openBasics(stack, settings)), clock, http });
  const { packsRead } = await startEngine(core.engine, core.app.log);
  await packsRead;
  core.startLoops();
  return toOpenApp(core, settings, stack.move());
}

/** A whole daemon, with its address for requests. */
export async function openServedApp(env: Record<string, string> = {}, clock?: Clock): Promise<ServedApp> {
  await using stack = new AsyncDisposableStack();
  const settings = await settingsOf(stack, env);
  const daemon = stack.use(await openDaemon(settings, clock));
  return { ...toOpenApp(daemon, settings, stack.move()), daemon, url: daemon.http.url };
}

async function settingsOf(stack: AsyncDisposableStack, env: Record<string, string>): Promise<Settings> {
  const folder = stack.use(await makeTemporaryFolder());
  const noModels = join(folder.path, 'no-models');
  await mkdir(noModels);
  const dataFolder = env.ASSAY_DATA_DIR ?? join(folder.path, 'data');
  if (env.ASSAY_MODELS_FOLDERS === BUILT_IN_MODELS.ASSAY_MODELS_FOLDERS) {
    layModelChecks(dataFolder);
    stack.defer(() => keepModelChecks(dataFolder));
  }
  const variables = {
    ASSAY_DATA_DIR: dataFolder,
    ...{ ASSAY_HTTP_LISTEN: '127.0.0.1:0', ASSAY_GRPC_LISTEN: '127.0.0.1:0', ASSAY_LOG_LEVEL: 'silent' },
    ASSAY_DECODE_ISOLATION: 'any',
    // On a busy box a look at a file takes longer than a client would wait.
    ...{ ASSAY_PROBE_TIMEOUT_MS: '100000', ASSAY_PROBE_WAIT_MS: '210000' },
    ...{ ASSAY_MODELS_FOLDERS: noModels, ASSAY_DISK_FREE_MIN: '0', ASSAY_DECODE_SLOTS: '1' },
    ...env,
  };
  return loadSettings({ argv: [], env: variables, readFile: (path) => readFileSync(path, 'utf8') });
}

function toOpenApp(
  { app: own, engine }: Pick<Daemon, 'app' | 'engine'>,
  { dataFolder }: Settings,
  held: AsyncDisposableStack,
): OpenApp {
  let passed = 0;
  const clock = { ...own.clock, now: () => own.clock.now() + passed };
  const app: App = { ...own, clock, keyUses: new KeyUses({ ...own, clock }) };
  return {
    app,
    engine,
    folder: dataFolder,
    admin: principalOf(app, 1),
    passMinutes(minutes) {
      passed += minutes * MINUTE_US;
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

/** The account as the next call would find it. */
export function principalOf(app: App, id: number): Principal {
  const account = app.store.read.accounts.get(id);
  if (account === undefined) throw new Error(`no account ${id}`);
  return toPrincipal(app, account, FROM, { type: 'rule' });
}

let made = 0;

/** An account with a name and an address of its own. */
export async function addUser(app: App, principal: Principal, fields: RawFields = {}): Promise<Account> {
  made += 1;
  return await createUser(app, {
    principal,
    fields: { name: `User ${made}`, email: `user${made}@example.org`, ...fields },
  });
}

/** A finished record of a file, without an analysis having run. */
export async function addRecord(
  app: App,
  accountId: number,
  { hash, kind = 'image', credits = 0, state = 'errored', deskId }: RecordOptions,
): Promise<string> {
  const identifier = app.newIdentifier();
  const now = app.clock.now();
  const held = heldFor(accountId, deskId);
  const common = { kind, hash, sourceUrl: null, options: { ...DEFAULT_OPTIONS }, ...held };
  await app.store.transact((tx) => {
    tx.putAnalysis({
      ...common,
      ...{
        id: `analysis-${identifier}`,
        key: `key-${identifier}`,
        models: [],
        state,
        attempts: 1,
        lease: null,
      },
      ...{ error: 'a test', queuedAt: now, endedAt: now, apiVersion: '1.1.0', result: null },
    });
    tx.putClassification({
      ...common,
      ...{ identifier, name: 'a.png', refId: '', mime: 'image/png', sizeBytes: 1 },
      ...{ analysisId: `analysis-${identifier}`, origin: 'analysed', cancelled: false, credits },
      ...{ webhookUrl: null, requestId: null, createdAt: now },
    });
  });
  return identifier;
}

export interface RecordOptions {
  hash: string;
  kind?: MediaKind;
  credits?: number;
  state?: 'errored' | 'done';
  /** Absent: the record is the account's own. */
  deskId?: number;
}

/** The mails that lie in the data folder, oldest first, once nothing is under way any more. */
export async function readMails({ app, folder }: Pick<OpenApp, 'app' | 'folder'>): Promise<string[]> {
  await app.mailer.settled();
  const mailFolder = join(folder, 'mail');
  const names = await readdir(mailFolder).catch(() => []);
  return await Promise.all(names.sort().map((name) => readFile(join(mailFolder, name), 'utf8')));
}

/** The token of the link in a mail, whatever its encoding did to the line. */
export function tokenIn(mail: string | undefined): string {
  const plain = (mail ?? '').replace(/=\r?\n/g, '').replaceAll('=3D', '=');
  const token = /\?token=([\w-]+)/.exec(plain)?.[1];
  if (token === undefined) throw new Error(`no link in the mail: ${mail}`);
  return token;
}
