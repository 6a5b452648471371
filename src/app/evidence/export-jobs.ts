/** Packages on the disk, for clients that fetch them by an address. They live for an hour: they can be requested again. */
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ExportJob } from '../../domain/contract/evidence.ts';
import { AppError, toAppError } from '../../domain/errors.ts';
import { openStampable, planTimestamps, withMembers } from '../../evidence/add-members.ts';
import { assertAcceptsWork } from '../callers/admission.ts';
import type { Principal } from '../callers/principal.ts';
import type { CustodyParts } from '../custody/parts.ts';
import type { MediaFile } from '../records/media-files.ts';
import { type EvidenceExport, exportEvidence } from './export-evidence.ts';
import type { ExportInput } from './export-input.ts';
import { repliesOf } from './timestamps.ts';

interface Kept {
  accountId: number;
  job: ExportJob;
  path: string;
  /** SHA-256 of the signed list of files, hex; empty until it is signed. */
  packageSha256: string;
  /** Adds tokens to it, one after the other. */
  stamping: Promise<void>;
}

/** A case of films has gigabytes, so few are kept at once. */
const JOBS_MAX = 16;
/** Keeps one account from taking all places. */
const ACCOUNT_JOBS_MAX = 4;
const KEPT_MS = 3_600_000;
const ID_BYTES = 16;
const FULL_RETRY_SECONDS = 30;

export class ExportJobs implements AsyncDisposable {
  readonly #folder: string;
  readonly #kept = new Map<string, Kept>();
  readonly #running = new Set<Promise<void>>();
  readonly #stopped = new AbortController();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Removes the packages of an earlier daemon. */
  static async open(dataFolder: string): Promise<ExportJobs> {
    const folder = join(dataFolder, 'exports');
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return new ExportJobs(folder);
  }

  /** Throws the refusals of an export, and `exhausted` if too many are kept. */
  async start(app: CustodyParts, input: ExportInput): Promise<ExportJob> {
    await assertAcceptsWork(app);
    const accountId = input.principal.account.id;
    const roomMade = this.#makeRoom(accountId);
    const id = randomBytes(ID_BYTES).toString('hex');
    const path = join(this.#folder, `${id}.zip`);
    const job: ExportJob = {
      id,
      state: 'running',
      name: '',
      files: 0,
      filesTotal: 0,
      bytes: 0,
      timestamps: 0,
      url: null,
      error: '',
    };
    // Its place is taken before anything is awaited.
    const kept: Kept = { accountId, job, path, packageSha256: '', stamping: Promise.resolve() };
    this.#kept.set(id, kept);
    try {
      await roomMade;
      const { signal } = this.#stopped;
      const made = await exportEvidence(app, input, signal, (progress) => Object.assign(job, progress));
      job.name = made.name;
      const written = this.#write(app, kept, made);
      this.#running.add(written);
      void written.finally(() => this.#running.delete(written));
      return { ...job };
    } catch (error) {
      this.#kept.delete(id);
      throw error;
    }
  }

  /** Throws `media` if the account has no such package, or none any more. */
  find(principal: Principal, id: string): ExportJob {
    return { ...this.#own(principal, id).job };
  }

  /** The zip; throws `media` if it is not ready. */
  async file(principal: Principal, id: string): Promise<MediaFile> {
    const { job, path } = this.#own(principal, id);
    if (job.state !== 'ready') throw noSuchExport();
    const { size } = await stat(path);
    const tag = job.timestamps === 0 ? id : `${id}-${job.timestamps}`;
    return { path, sizeBytes: size, name: job.name, mime: 'application/zip', tag };
  }

  /** Adds new tokens to the package, if it is kept here. */
  async addTimestamps(app: CustodyParts, packageSha256: string): Promise<void> {
    const kept = [...this.#kept.values()].find((one) => one.packageSha256 === packageSha256);
    if (kept === undefined || kept.job.state !== 'ready') return;
    const { signal } = this.#stopped;
    const stamped = kept.stamping.then(() => this.#stamp(app, kept, signal));
    const settled = stamped.catch((error: unknown) => {
      if (!signal.aborted) app.log.error({ err: error }, 'tokens could not be added to a package');
    });
    kept.stamping = settled;
    this.#running.add(settled);
    await settled.finally(() => this.#running.delete(settled));
  }

  async #stamp(app: CustodyParts, { path, packageSha256, job }: Kept, signal: AbortSignal): Promise<void> {
    const replies = repliesOf(app.store.read.timestampsOf(packageSha256));
    if (replies.length === job.timestamps) return;
    const { members } = await planTimestamps(
      await openStampable(path),
      replies,
      app.config.timestampRootsPem,
    );
    const whole = `${path}.part`;
    try {
      await pipeline(withMembers(path, members), createWriteStream(whole, { mode: 0o600 }), { signal });
      // A client that is fetching the earlier one reads it to its end.
      await rename(whole, path);
    } finally {
      await rm(whole, { force: true });
    }
    const { size } = await stat(path);
    Object.assign(job, { timestamps: replies.length, bytes: size });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort();
    await Promise.all(this.#running);
    await rm(this.#folder, { recursive: true, force: true });
  }

  #own({ account }: Principal, id: string): Kept {
    const kept = this.#kept.get(id);
    if (kept === undefined || kept.accountId !== account.id) throw noSuchExport();
    return kept;
  }

  /** Finished packages make room for new ones, the account's own first. Not async: of two calls at once the second counts the first. */
  #makeRoom(accountId: number): Promise<void> {
    const own = [...this.#kept.values()].filter((kept) => kept.accountId === accountId);
    const isFull = this.#kept.size >= JOBS_MAX;
    if (own.length < ACCOUNT_JOBS_MAX && !isFull) return Promise.resolve();
    const candidates = own.length < ACCOUNT_JOBS_MAX ? [...this.#kept.values()] : own;
    const oldest = candidates.find(({ job }) => job.state !== 'running');
    if (oldest === undefined) {
      throw new AppError('exhausted', 'other packages are being written; try again in a moment', {
        retryAfterSeconds: FULL_RETRY_SECONDS,
      });
    }
    return this.#remove(oldest.job.id);
  }

  async #write(app: CustodyParts, kept: Kept, made: EvidenceExport): Promise<void> {
    const { job, path } = kept;
    try {
      await pipeline(made.bytes, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
      kept.packageSha256 = made.packageSha256;
      job.state = 'ready';
      job.filesTotal = job.files;
      job.url = `/evidence/${job.id}`;
      // Adds timestamps that came before the package was whole.
      void this.addTimestamps(app, kept.packageSha256);
    } catch (error) {
      await rm(path, { force: true });
      job.state = 'failed';
      const fault = toAppError(error);
      job.error = fault.message;
      if (fault.code === 'internal' && !this.#stopped.signal.aborted) {
        app.log.error({ err: error }, 'an evidence package could not be written');
      }
    }
    setTimeout(() => void this.#remove(job.id), KEPT_MS).unref();
  }

  async #remove(id: string): Promise<void> {
    const kept = this.#kept.get(id);
    this.#kept.delete(id);
    if (kept !== undefined) await rm(kept.path, { force: true });
  }
}

function noSuchExport(): AppError {
  return new AppError('media', 'no such package; packages are kept for an hour');
}
