/** The daemon and the worker: settings, compose, one line when it serves, a drain on SIGTERM. */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';
import type { Daemon } from './compose.ts';
import { loadSettings, type Settings } from './config/settings.ts';
import { OperatorFault } from './domain/operator-fault.ts';
import { firstStartNotice, modelsNotice } from './first-start-notice.ts';
import {
  readNoticeConfig,
  ServiceNotice,
  type WorkersStatus,
  watchWorkers,
} from './machinery/service-notice.ts';
import { PRIVATE_UMASK } from './store/private-folder.ts';

export async function serve(argv: readonly string[]): Promise<void> {
  const { settings, stop } = begin(argv);
  const { openDaemon } = await import('./compose.ts');
  await using daemon = await openDaemon(settings);
  const { http, grpc, isFirstStart, newKey, passwordLink } = daemon;
  if (isFirstStart) {
    const { ADMIN_KEY_FILE } = await import('./app/appliance/first-start.ts');
    const isTerminal = process.stdout.isTTY;
    const keyFile = join(settings.dataFolder, ADMIN_KEY_FILE);
    const adminEmail = settings.admin.email;
    const mailFolder = daemon.app.mailer.folder;
    process.stdout.write(
      firstStartNotice({
        key: newKey,
        url: http.url,
        passwordLink,
        keyFile,
        adminEmail,
        mailFolder,
        isTerminal,
      }),
    );
  }
  const stopped = once(stop.signal, 'abort');
  await Promise.race([daemon.packsRead, stopped]);
  if (isFirstStart) process.stdout.write(modelsNotice(daemon.app.shelf.installed.map(({ pack }) => pack)));
  process.stdout.write(`assay ready http=${http.url} grpc=${grpc.address}\n`);
  using notice = openNotice(
    () => daemon.app.engine.status(),
    (text) => daemon.app.log.warn(text),
  );
  await notice.ready(`serving ${http.url} and gRPC on ${grpc.address}`);
  flushCompileCache();
  if (!stop.signal.aborted) await stopped;
  daemon.app.log.info({ signal: String(stop.signal.reason) }, 'stopping: no new work, finishing what runs');
  await notice.stopping();
  await daemon.drain();
}

/** Carries out a daemon's work from another box until SIGTERM or SIGINT; `name` is this box's unless given. */
export async function serveWorker(argv: readonly string[], name?: string): Promise<void> {
  const { settings, stop } = begin(argv);
  let status = (): WorkersStatus => ({ phase: 'starting', inferencePids: [] });
  using notice = openNotice(
    () => status(),
    (text) => process.stderr.write(`assay: ${text}\n`),
  );
  const { runWorker } = await import('./compose-worker.ts');
  const ready = (own: () => WorkersStatus) => {
    status = own;
    process.stdout.write('assay worker ready\n');
    void notice.showStatus('asking for work');
  };
  // Said before the daemon was reached: a daemon that is away is no reason to end its workers.
  await notice.ready('looking for the daemon');
  stop.signal.addEventListener('abort', () => void notice.stopping(), { once: true });
  try {
    await runWorker(settings, { ...(name === undefined ? {} : { name }), ready, signal: stop.signal });
  } catch (error) {
    // A worker that is stopped while it looks for the daemon has nothing to give back.
    if (!stop.signal.aborted) throw error;
  }
}

/** A daemon with the settings of `env` alone, until it is disposed. */
export async function openBriefly(env: NodeJS.ProcessEnv): Promise<Daemon> {
  const settings = prepare([], env);
  const { openDaemon } = await import('./compose.ts');
  const daemon = await openDaemon(settings);
  await daemon.packsRead;
  return daemon;
}

function prepare(argv: readonly string[], env: NodeJS.ProcessEnv): Settings {
  assertPlatform();
  // Set before anything is made, so that the data folder, its files and the children's output are the daemon's own.
  process.umask(PRIVATE_UMASK);
  return loadSettings({ argv, env, readFile: (path) => readFileSync(path, 'utf8') });
}

/** `stop` is aborted with the signal that asks the process to end. */
function begin(argv: readonly string[]): { settings: Settings; stop: AbortController } {
  const settings = prepare(argv, process.env);
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort(signal));
  // Keeps compiled code, so that sources need not be stripped and compiled at every start.
  enableCompileCache(join(settings.dataFolder, 'cache', 'code'));
  return { settings, stop };
}

function openNotice(status: () => WorkersStatus, warn: (text: string) => void): ServiceNotice {
  const isAlive = watchWorkers(status, () => performance.now());
  return new ServiceNotice(readNoticeConfig(process.env), { isAlive, warn });
}

export { describeStartFailure } from './domain/operator-fault.ts';
export type { Daemon };

/** The supported platform; on any other a native part would fail later with an unhelpful error. */
const GLIBC_MIN = [2, 34] as const;

/** Throws on anything but Linux x64 with glibc ≥ 2.34: c2pa-node ships no other binary. */
function assertPlatform(): void {
  const { platform, arch } = process;
  const glibc = glibcVersion();
  const [major = 0, minor = 0] = (glibc ?? '0.0').split('.').map(Number);
  const isNewEnough = major > GLIBC_MIN[0] || (major === GLIBC_MIN[0] && minor >= GLIBC_MIN[1]);
  if (platform === 'linux' && arch === 'x64' && isNewEnough) return;
  throw new OperatorFault(
    `Assay runs on Linux x64 with glibc ${GLIBC_MIN.join('.')} or newer; found ${platform} ${arch}, glibc ${glibc ?? 'none'}`,
  );
}

function glibcVersion(): string | undefined {
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return report.header?.glibcVersionRuntime;
}
