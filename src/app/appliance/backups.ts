/** When and where backups are made: on request or by schedule, one at a time, only below the setting `backup.dir`. */
import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../../domain/clock.ts';
import type { BackupProgress, BackupStatus } from '../../domain/contract/backups.ts';
import { codeOf } from '../../domain/error-code.ts';
import { AppError, badField } from '../../domain/errors.ts';
import { MICROSECONDS_PER_MS } from '../../domain/time.ts';
import { VERSION } from '../../domain/version.ts';
import type { Metrics } from '../../machinery/metrics.ts';
import { type Backup, writeBackup } from '../../store/backup/backup.ts';
import { readManifest } from '../../store/backup/listing.ts';
import { listBackups, removeOldBackups } from '../../store/backup/shelf.ts';
import type { Store } from '../../store/store.ts';

export interface BackupsConfig {
  /** Holds the backups; null: none are made or accepted. */
  folder: string | null;
  /** 0 = only when asked for. */
  intervalMs: number;
  /** Scheduled backups that are kept. */
  keep: number;
  /** A last good backup older than this is too old. */
  ageMsMax: number;
  /** Whether scheduled ones hold the sealing key and the administrator's key. */
  withSecrets: boolean;
  /** Bound for reading and writing media; 0 = no bound. */
  bytesPerSecondMax: number;
}

export interface BackupsParts {
  store: Store;
  clock: Pick<Clock, 'now'>;
  log: Logger;
  metrics: Metrics;
}

const CHECK_INTERVAL_MS = 60_000;
/** A folder on a share that is away must not be asked every minute. */
const RETRY_MS = 15 * 60_000;
/** A daily warning is read; more frequent ones are filtered out. */
const WARN_PAUSE_MS = 24 * 3_600_000;
const STOP_WAIT_MS = 10_000;

export class Backups implements AsyncDisposable {
  readonly #config: BackupsConfig;
  readonly #parts: BackupsParts;
  readonly #stopped = new AbortController();
  readonly #timer: NodeJS.Timeout;
  /** The age of a missing backup counts from here. */
  readonly #openedAt: number;
  #lastGoodAt: number | null = null;
  #lastError: string | null = null;
  #failedAt = 0;
  #warnedAt = 0;
  #running: Promise<unknown> | undefined;
  #progress: BackupProgress | null = null;

  private constructor(config: BackupsConfig, parts: BackupsParts) {
    this.#config = config;
    this.#parts = parts;
    this.#openedAt = this.#now();
    this.#timer = setInterval(() => void this.#runWhenDue(), CHECK_INTERVAL_MS).unref();
  }

  static async open(config: BackupsConfig, parts: BackupsParts): Promise<Backups> {
    const backups = new Backups(config, parts);
    await backups.#findLast();
    void backups.#runWhenDue();
    return backups;
  }

  status(): BackupStatus {
    const { folder, ageMsMax } = this.#config;
    const age = this.#now() - (this.#lastGoodAt ?? this.#openedAt);
    return {
      folder,
      lastGoodAt: this.#lastGoodAt === null ? null : Math.round(this.#lastGoodAt * MICROSECONDS_PER_MS),
      lastError: this.#lastError,
      isTooOld: folder !== null && age > ageMsMax,
      isRunning: this.#running !== undefined,
      progress: this.#progress,
    };
  }

  /** Throws AppError `bad_field` for a folder that is not allowed, `backup` while one runs. */
  async make(
    order: { folder: string; withSecrets: boolean },
    report: (progress: BackupProgress) => void,
    signal: AbortSignal,
  ): Promise<Backup> {
    return await this.#start({ ...order, folder: await this.#allowed(order.folder) }, report, signal);
  }

  async #start(
    order: { folder: string; withSecrets: boolean },
    report: (progress: BackupProgress) => void,
    signal: AbortSignal,
  ): Promise<Backup> {
    if (this.#running !== undefined) throw new AppError('backup', 'a backup is being made already');
    const note = (progress: BackupProgress) => {
      this.#progress = progress;
      report(progress);
    };
    const made = this.#write(order, note, AbortSignal.any([signal, this.#stopped.signal]));
    this.#running = made.catch(() => undefined);
    try {
      return await made;
    } finally {
      this.#running = undefined;
      this.#progress = null;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    this.#stopped.abort();
    // A hanging share must not hold up the stop; the next backup removes the remains.
    await Promise.race([this.#running, delay(STOP_WAIT_MS, undefined, { ref: false })]);
  }

  #now(): number {
    return this.#parts.clock.now() / MICROSECONDS_PER_MS;
  }

  async #write(
    order: { folder: string; withSecrets: boolean },
    report: (progress: BackupProgress) => void,
    signal: AbortSignal,
  ): Promise<Backup> {
    const { store, log, metrics } = this.#parts;
    const { bytesPerSecondMax } = this.#config;
    const startedAt = this.#now();
    try {
      const backup = await writeBackup(
        store,
        { ...order, version: VERSION, now: startedAt, bytesPerSecondMax },
        report,
        signal,
      );
      this.#noteGood(startedAt);
      metrics.backups.inc({ outcome: 'good' });
      const { path, copiedBytes, damaged, manifest } = backup;
      log.info(
        { path, files: manifest.files, bytes: manifest.bytes, copiedBytes },
        'backup made and checked',
      );
      if (damaged.length > 0) log.error({ damaged: damaged.slice(0, 10) }, 'media are damaged and left out');
      return backup;
    } catch (error) {
      if (!signal.aborted) {
        this.#lastError = error instanceof Error ? error.message : String(error);
        this.#failedAt = this.#now();
        metrics.backups.inc({ outcome: 'failed' });
        log.error({ err: error, folder: order.folder }, 'the backup failed');
      }
      throw error;
    }
  }

  #noteGood(at: number): void {
    this.#lastGoodAt = at;
    this.#lastError = null;
    this.#parts.metrics.backupLastGood.set(Math.round(at / 1000));
  }

  /** Ignores backups dated ahead of the clock, which would delay all others. */
  async #findLast(): Promise<void> {
    const { folder } = this.#config;
    if (folder === null) return;
    const now = this.#now();
    for (const backup of await listBackups(folder)) {
      const manifest = await readManifest(backup).catch(() => undefined);
      const at = Date.parse(manifest?.createdAt ?? '');
      if (!(at <= now)) continue;
      this.#noteGood(at);
      return;
    }
  }

  #warnWhenOld(): void {
    const { isTooOld, lastGoodAt, lastError } = this.status();
    const now = this.#now();
    if (!isTooOld || now - this.#warnedAt < WARN_PAUSE_MS) return;
    this.#warnedAt = now;
    this.#parts.log.warn({ lastGoodAt, lastError }, 'the last good backup is too old');
  }

  /** Never rejects. */
  async #runWhenDue(): Promise<void> {
    this.#warnWhenOld();
    const { folder, intervalMs, keep, withSecrets } = this.#config;
    if (folder === null || intervalMs === 0 || this.#running !== undefined) return;
    const now = this.#now();
    if (now - (this.#lastGoodAt ?? 0) < intervalMs || now - this.#failedAt < RETRY_MS) return;
    try {
      await this.#start({ folder, withSecrets }, () => {}, this.#stopped.signal);
      const removed = await removeOldBackups(folder, keep);
      if (removed.length > 0) this.#parts.log.info({ removed }, 'old backups removed');
    } catch {
      // Logged and counted at its source; status shows it.
    }
  }

  /** The folder itself or one below it, also through links: a key of the box must not let anyone write elsewhere. */
  async #allowed(wanted: string): Promise<string> {
    const { folder: root } = this.#config;
    if (root === null) {
      throw badField(
        'folder',
        'expected the setting backup.dir to name where backups may go, found it empty',
      );
    }
    const path = resolve(root, wanted);
    const inside = relative(await nearestReal(root), await nearestReal(path));
    if (inside === '' || (!inside.startsWith('..') && !isAbsolute(inside))) return path;
    throw badField('folder', `expected ${root} (the setting backup.dir) or a folder in it, found ${path}`);
  }
}

/** The real path, as far as it exists. */
async function nearestReal(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    return join(await nearestReal(dirname(path)), path.slice(dirname(path).length));
  }
}
