/** Looks at one folder again and again. It keeps nothing that a restart would miss; an absent folder is waited for. */
import { type FSWatcher, watch } from 'node:fs';
import type { WatchedFile, WatchFolder } from '../../domain/automation/watch-folder.ts';
import { pause } from '../../domain/clock.ts';
import { codeOf } from '../../domain/error-code.ts';
import { AppError } from '../../domain/errors.ts';
import { statusOf } from '../../domain/records/classification.ts';
import { MICROSECONDS_PER_DAY } from '../../domain/time.ts';
import type { LookPace } from '../../machinery/look-pace.ts';
import type { SafeFolder } from '../../machinery/safe-folder.ts';
import { finishFile } from './finish-file.ts';
import { FolderPass, OPEN_FILES_MAX, type PassOutcome, SETTLE_MS, type SeenFiles } from './folder-pass.ts';
import type { WatchFolderParts } from './parts.ts';
import { sameRow } from './recheck-file.ts';
import { ResultError } from './result-files.ts';
import { afterFailure, type Obstacle } from './take-file.ts';
import type { WatchStatus } from './watch-board.ts';
import { openPlace, PlaceError } from './watched-place.ts';

/** Pause between two passes of an idle folder. */
const LOOK_EVERY_MS = 5000;
/** The kernel's notices quicken a pass, but a thousand of them make one. */
const LOOK_PAUSE_MS_MIN = 500;
const FINISH_EVERY_MS = 500;
/** Each waits for some flushes of a slow share, and holds a few descriptors. */
const FINISHED_AT_ONCE = 8;
/** Interval of the search for missing files, and how many are looked for each time. */
const FORGET_EVERY_MS = 3_600_000;
const FORGOTTEN_AT_ONCE = 1000;
/** A file that was gone for so long is another one when it comes back; a share may be away for a holiday. */
export const MISSING_DAYS_MAX = 30;

export class FolderWatch implements AsyncDisposable {
  readonly #app: WatchFolderParts;
  readonly #id: number;
  readonly #pace: LookPace;
  readonly #onStatus: () => void;
  readonly #stopped = new AbortController();
  #woken = Promise.withResolvers<void>();
  #notices: FSWatcher | undefined;
  #seen: SeenFiles = new Map();
  #forgottenMs: number;
  #forgottenUpTo: string | undefined;
  /** How long this pass waited for room. */
  #waitedMs = 0;
  readonly #work: Promise<unknown>;

  constructor(app: WatchFolderParts, id: number, pace: LookPace, onStatus: () => void) {
    this.#app = app;
    this.#id = id;
    this.#pace = pace;
    this.#onStatus = onStatus;
    this.#forgottenMs = app.clock.elapsedMs();
    this.#work = Promise.all([this.#lookForEver(), this.#finishForEver()]);
  }

  /** Starts a pass at once: its rule was changed, or the kernel reported something. */
  wake(): void {
    this.#woken.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort();
    this.wake();
    this.#notices?.close();
    await this.#work;
  }

  #put(change: Partial<WatchStatus>): void {
    this.#app.watching.put(this.#id, change);
    this.#onStatus();
  }

  /** Never rejects. */
  async #lookForEver(): Promise<void> {
    const { clock } = this.#app;
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      this.#woken = Promise.withResolvers<void>();
      const startedMs = clock.elapsedMs();
      this.#waitedMs = 0;
      const waitMs = await this.#lookSafely();
      // At most half of the time is spent looking.
      const lookedMs = clock.elapsedMs() - startedMs - this.#waitedMs;
      const leastMs = Math.max(LOOK_PAUSE_MS_MIN, lookedMs);
      await pause(clock, leastMs, signal);
      const left = new AbortController();
      await Promise.race([pause(clock, Math.max(0, waitMs - leastMs), left.signal), this.#woken.promise]);
      left.abort();
    }
  }

  /** Resolves with the pause before the next pass. */
  async #lookSafely(): Promise<number> {
    try {
      return await this.#look();
    } catch (error) {
      if (this.#stopped.signal.aborted) return 0;
      if (error instanceof PlaceError) this.#put({ state: 'away', reason: error.message });
      else {
        this.#put({ state: 'away', reason: `it could not be read (${codeOf(error)})` });
        this.#app.log.warn({ err: error, folder: this.#id }, 'a watched folder could not be read');
      }
      this.#listen(undefined);
      return LOOK_EVERY_MS;
    }
  }

  async #look(): Promise<number> {
    const folder = this.#app.store.read.automation.watchFolder(this.#id);
    if (folder === undefined || folder.isPaused || folder.isRemoved) {
      this.#put({ state: 'paused', reason: '' });
      return LOOK_EVERY_MS;
    }
    await using root = await openPlace(this.#app.config.watchRoots, folder.path);
    if (await this.#looksUnmounted(root, folder)) return LOOK_EVERY_MS;
    if (this.#isWatchedAlready(root)) return LOOK_EVERY_MS;
    this.#listen(folder.path);
    const { seen, obstacle, obstacles, isPaused } = await this.#pass(root, folder);
    this.#seen = seen;
    if (isPaused) {
      this.#put({ state: 'paused', reason: '', waiting: seen.size });
      return LOOK_EVERY_MS;
    }
    if (obstacle !== null) return this.#waitFor(obstacle, seen.size);
    const at = { lookedAt: this.#app.clock.now(), waiting: seen.size };
    this.#put({ state: 'watching', reason: '', ...at, obstacles });
    await this.#forgetMissing(root);
    return seen.size > 0 ? SETTLE_MS : LOOK_EVERY_MS;
  }

  async #pass(root: SafeFolder, folder: WatchFolder): Promise<PassOutcome> {
    const pass = new FolderPass(this.#app, folder, this.#seen, this.#stopped.signal);
    try {
      return await pass.run(root, this.#pace);
    } finally {
      this.#waitedMs = pass.waitedMs;
    }
  }

  /** A bind mount or a linked root shows one folder under two paths: the older rule has it. */
  #isWatchedAlready({ identity }: SafeFolder): boolean {
    const { watching } = this.#app;
    watching.identify(this.#id, identity);
    const other = watching.watcherOf(identity, this.#id);
    if (other === undefined || other > this.#id) return false;
    this.#put({
      state: 'refused',
      reason: `it is the folder that folder ${other} watches, under another path`,
    });
    return true;
  }

  /** A mount point without its share is an empty folder. */
  async #looksUnmounted(root: SafeFolder, { counts }: WatchFolder): Promise<boolean> {
    const known = counts.submitted + counts.done + counts.failed + counts.skipped;
    if (known === 0 || !(await root.isEmpty())) return false;
    const reason = `it is empty, although ${known} files were seen in it: a share that is not mounted looks so`;
    this.#put({ state: 'away', reason: `${reason}, and nothing is concluded from it` });
    return true;
  }

  #waitFor({ state, message, retryAfterSeconds }: Obstacle, waiting: number): number {
    this.#put({ state, reason: message, waiting });
    return retryAfterSeconds * 1000;
  }

  /** Only quickens passes, and only for the folder itself: NFS and SMB report nothing of others' writes. */
  #listen(path: string | undefined): void {
    if (path !== undefined && this.#notices !== undefined) return;
    this.#notices?.close();
    this.#notices = undefined;
    if (path === undefined) return;
    try {
      const notices = watch(path, { persistent: false }, () => this.wake());
      notices.on('error', () => this.#listen(undefined));
      this.#notices = notices;
    } catch {
      // Without free watches the folder is polled all the same.
    }
  }

  /** Forgets files that are missing for a month, or the store would hold every file that ever was. */
  async #forgetMissing(root: SafeFolder): Promise<void> {
    const nowMs = this.#app.clock.elapsedMs();
    if (nowMs - this.#forgottenMs < FORGET_EVERY_MS) return;
    const { store } = this.#app;
    const files = store.read.automation.someWatchedFiles(this.#id, this.#forgottenUpTo, FORGOTTEN_AT_ONCE);
    this.#forgottenUpTo = files.at(-1)?.path;
    if (files.length < FORGOTTEN_AT_ONCE) this.#forgottenMs = nowMs;
    for (const file of files) {
      if (this.#stopped.signal.aborted) return;
      await this.#pace.take();
      await forgetIfMissing(this.#app, root, file);
    }
  }

  /** Never rejects. */
  async #finishForEver(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      await this.#finishEnded().catch((error: unknown) => {
        if (error instanceof PlaceError) return;
        this.#app.log.error(
          { err: error, folder: this.#id },
          'results of a watched folder could not be written',
        );
      });
      await pause(this.#app.clock, FINISH_EVERY_MS, signal);
    }
  }

  async #finishEnded(): Promise<void> {
    const { store } = this.#app;
    const query = { folderId: this.#id, state: 'submitted', limit: 2 * OPEN_FILES_MAX } as const;
    const ended = store.read.automation
      .watchedFiles(query)
      .filter(({ identifier }) => this.#hasEnded(identifier));
    const folder = store.read.automation.watchFolder(this.#id);
    if (ended.length === 0 || folder === undefined) return;
    await using root = await openPlace(this.#app.config.watchRoots, folder.path);
    for (let from = 0; from < ended.length && !this.#stopped.signal.aborted; from += FINISHED_AT_ONCE) {
      const some = ended.slice(from, from + FINISHED_AT_ONCE);
      await Promise.all(some.map((file) => this.#finish(root, folder, file)));
    }
  }

  /** Cheaper than reading a record; a missing record has ended too. */
  #hasEnded(identifier: string): boolean {
    const { read } = this.#app.store;
    const classification = read.records.get(identifier);
    const analysis = classification && read.analyses.getUnlessDamaged(classification.analysisId);
    return (
      classification === undefined || analysis === undefined || statusOf(classification, analysis) !== 'new'
    );
  }

  async #finish(root: SafeFolder, folder: WatchFolder, file: WatchedFile): Promise<void> {
    const change = await this.#endOf(root, folder, file);
    if (change === null) return;
    const { store, clock, metrics } = this.#app;
    const isPut = await store.transact((tx) => {
      const current = tx.automation.watchedFile(file.folderId, file.path);
      // The file was written anew meanwhile and taken again, with an end of its own.
      if (current?.identifier !== file.identifier) return false;
      tx.automation.putWatchedFile({ ...current, at: clock.now(), ...change });
      return true;
    });
    if (isPut && change.state !== undefined) metrics.watchedFiles.inc({ state: change.state });
  }

  async #endOf(
    root: SafeFolder,
    folder: WatchFolder,
    file: WatchedFile,
  ): Promise<Partial<WatchedFile> | null> {
    try {
      const { signal } = this.#stopped;
      return await finishFile(this.#app, { root, done: folder.done, signal }, file);
    } catch (error) {
      if (this.#stopped.signal.aborted) return null;
      if (error instanceof AppError) return { state: 'failed', reason: error.message };
      // Its share went away: that is no fault of the file, which is retried when the share is back.
      await using _ = await openPlace(this.#app.config.watchRoots, folder.path);
      return unwritten(file, error, this.#app.clock.now());
    }
  }
}

/** It waits for a retry, or for a person, among the failed ones, where it takes no room. */
function unwritten(file: WatchedFile, error: unknown, now: number): Partial<WatchedFile> {
  const what = error instanceof ResultError ? error.message : codeOf(error);
  const reason = `it was judged, but the result could not be written (${what})`;
  const isFinal = error instanceof ResultError || OF_NAME.includes(codeOf(error));
  const tries = isFinal ? { retryAt: null } : afterFailure(now, file.attempts);
  return { ...tries, state: 'failed', reason, isUnwritten: true };
}

/** Errors of names that the file system will never take. */
const OF_NAME: readonly string[] = ['ENAMETOOLONG', 'EINVAL', 'EILSEQ', 'EISDIR', 'ENOTDIR', 'EEXIST'];

async function forgetIfMissing(app: WatchFolderParts, root: SafeFolder, file: WatchedFile): Promise<void> {
  if (file.state === 'submitted') return;
  const isThere = await isThereBelow(root, file.path);
  if (isThere === null) return;
  const { missingSince } = file;
  const now = app.clock.now();
  const isOld = missingSince !== null && now - missingSince >= MISSING_DAYS_MAX * MICROSECONDS_PER_DAY;
  // Nothing changed for this file.
  if (isThere ? missingSince === null : missingSince !== null && !isOld) return;
  await app.store.transact((tx) => {
    const current = sameRow(tx, file);
    if (current === undefined) return;
    if (!isThere && isOld) tx.automation.removeWatchedFile(current);
    else tx.automation.putWatchedFile({ ...current, missingSince: isThere ? null : now });
  });
}

/** Null if it cannot be determined. */
async function isThereBelow(root: SafeFolder, path: string): Promise<boolean | null> {
  const parts = path.split('/');
  const name = parts.pop() ?? '';
  try {
    await using folder = await root.openBelow(parts.join('/'));
    await using _ = await folder.openFile(name);
    return true;
  } catch (error) {
    const code = codeOf(error);
    return code === 'ENOENT' || code === 'ENOTDIR' ? false : null;
  }
}
