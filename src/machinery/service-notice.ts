/** sd_notify(3): ready, alive, stopping. Node has no datagram sockets of the file system, so `systemd-notify` carries it. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface ServiceNoticeConfig {
  /** NOTIFY_SOCKET; null: there is no service manager, and nothing is done. */
  socket: string | null;
  /** WATCHDOG_USEC; null: no watchdog. */
  watchdogUs: number | null;
}

export interface ServiceNoticeParts {
  /** Whether the daemon does its work. That this is asked shows that the event loop runs. */
  isAlive: () => boolean;
  warn: (message: string) => void;
}

/** Half of the interval, as sd_watchdog_enabled(3) advises, and half again for a busy box. */
const FEEDS_PER_INTERVAL = 4;
const SEND_TIMEOUT_MS = 10_000;
const US_PER_MS = 1000;

const run = promisify(execFile);

/** How long no process may hold the models, between two restarts, before the daemon counts as dead. */
const WORKERS_AWAY_MS_MAX = 120_000;

export interface WorkersStatus {
  phase: string;
  /** Process ids of the living processes that hold the models. */
  inferencePids: readonly number[];
}

/** False once no process has held the models for WORKERS_AWAY_MS_MAX, so that the manager restarts the service. */
export function watchWorkers(status: () => WorkersStatus, nowMs: () => number): () => boolean {
  let seenAt = nowMs();
  return () => {
    const { phase, inferencePids } = status();
    if (phase !== 'failed' && (phase !== 'ready' || inferencePids.length > 0)) seenAt = nowMs();
    return nowMs() - seenAt < WORKERS_AWAY_MS_MAX;
  };
}

export function readNoticeConfig(env: Readonly<Record<string, string | undefined>>): ServiceNoticeConfig {
  const watchdogUs = Number(env.WATCHDOG_USEC);
  return {
    socket: env.NOTIFY_SOCKET || null,
    watchdogUs: Number.isSafeInteger(watchdogUs) && watchdogUs > 0 ? watchdogUs : null,
  };
}

export class ServiceNotice implements Disposable {
  readonly #config: ServiceNoticeConfig;
  readonly #parts: ServiceNoticeParts;
  #timer: NodeJS.Timeout | undefined;

  constructor(config: ServiceNoticeConfig, parts: ServiceNoticeParts) {
    this.#config = config;
    this.#parts = parts;
  }

  /** From now on the watchdog is fed while the daemon is alive. */
  async ready(status: string): Promise<void> {
    await this.#send('READY=1', `STATUS=${status}`);
    const { watchdogUs } = this.#config;
    if (watchdogUs === null) return;
    const feed = () => {
      if (this.#parts.isAlive()) void this.#send('WATCHDOG=1');
    };
    feed();
    this.#timer = setInterval(feed, watchdogUs / US_PER_MS / FEEDS_PER_INTERVAL).unref();
  }

  async showStatus(status: string): Promise<void> {
    await this.#send(`STATUS=${status}`);
  }

  /** The watchdog is fed on: a drain may take longer than its interval. */
  async stopping(): Promise<void> {
    await this.#send('STOPPING=1', 'STATUS=finishing what runs');
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  /** Never rejects: a daemon must not end because its manager could not be reached. */
  async #send(...messages: string[]): Promise<void> {
    const { socket } = this.#config;
    if (socket === null) return;
    try {
      const env = { NOTIFY_SOCKET: socket };
      await run('/usr/bin/systemd-notify', messages, { env, timeout: SEND_TIMEOUT_MS });
    } catch (error) {
      this.#parts.warn(`the service manager did not receive ${messages.join(', ')}: ${error}`);
    }
  }
}
