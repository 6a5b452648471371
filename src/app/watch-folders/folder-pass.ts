/**
 * One look at all of a watched folder: what is known is stepped over, what is new is remembered, and what looks the same as
 * at the look before, some seconds ago, is taken. Nothing is concluded from what is not there.
 */
import type { FileHandle } from 'node:fs/promises';
import { DONE_FOLDER, isPassedOver, type WatchFolder } from '../../domain/automation/watch-folder.ts';
import { pause } from '../../domain/clock.ts';
import type { LookPace } from '../../machinery/look-pace.ts';
import {
  codeOf,
  type FileLook,
  isSameLook,
  type SafeFolder,
  type WalkedFile,
  walkFolder,
} from '../../machinery/safe-folder.ts';
import type { WatchFolderParts } from './parts.ts';
import { afterFailure, Obstacle, takeFile } from './take-file.ts';

/** A program that writes without a pause changes size or time within it; NFS shows a size that is older than one second. */
export const SETTLE_MS = 2000;
/** Files of a folder whose records wait or run: ten thousand at once must not fill the queue for everybody else. */
export const OPEN_FILES_MAX = 200;
/** Copied and looked into at once, of one folder. */
const TAKEN_AT_ONCE = 4;
/** Remembered between two looks, about 250 bytes each; what is beyond waits for a later look. */
const SEEN_MAX = 10_000;
/** Named to a person. */
const OBSTACLES_MAX = 10;
const ROOM_WAIT_MS = 100;

/** Files that were seen once, as they were then. */
export type SeenFiles = ReadonlyMap<string, FileLook & { atMs: number }>;

export interface PassOutcome {
  seen: SeenFiles;
  /** Why it ended early; null where all was looked at. */
  obstacle: Obstacle | null;
  /** What could not be gone into. */
  obstacles: string[];
}

export class FolderPass {
  readonly #app: WatchFolderParts;
  readonly #folder: WatchFolder;
  readonly #signal: AbortSignal;
  readonly #before: SeenFiles;
  readonly #seen = new Map<string, FileLook & { atMs: number }>();
  readonly #taking = new Set<Promise<void>>();
  readonly #obstacles: string[] = [];
  #obstacle: Obstacle | null = null;

  constructor(app: WatchFolderParts, folder: WatchFolder, before: SeenFiles, signal: AbortSignal) {
    this.#app = app;
    this.#folder = folder;
    this.#before = before;
    this.#signal = signal;
  }

  /** Rejects with what the file system says of the folder itself. */
  async run(root: SafeFolder, pace: LookPace): Promise<PassOutcome> {
    try {
      await this.#walk(root, pace);
    } finally {
      await Promise.all(this.#taking);
    }
    // What was not reached keeps its first look.
    if (this.#obstacle !== null) for (const [path, look] of this.#before) this.#remember(path, look);
    return { seen: this.#seen, obstacle: this.#obstacle, obstacles: this.#obstacles };
  }

  async #walk(root: SafeFolder, pace: LookPace): Promise<void> {
    const files = walkFolder(root, {
      isPassedOver: (name, depth) => isPassedOver(name) || (depth === 0 && name === DONE_FOLDER),
      pace: () => pace.take(),
      onObstacle: (path, reason) => {
        if (this.#obstacles.length < OBSTACLES_MAX) this.#obstacles.push(`${path}: ${reason}`);
      },
    });
    for await (const file of files) {
      if (this.#isRipe(file)) await this.#begin(file);
      if (this.#signal.aborted || this.#obstacle !== null) return;
    }
  }

  /** Whether it is to be taken now. */
  #isRipe({ path, sizeBytes, modifiedNs }: WalkedFile): boolean {
    const look = { sizeBytes, modifiedNs };
    const row = this.#app.store.read.watchedFile(this.#folder.id, path);
    if (row !== undefined && isSameLook(row, look)) {
      return row.state === 'failed' && row.retryAt !== null && row.retryAt <= this.#app.clock.now();
    }
    const before = this.#before.get(path);
    const isSame = before !== undefined && isSameLook(before, look);
    const nowMs = this.#app.clock.elapsedMs();
    // What is empty is about to be written.
    if (isSame && sizeBytes > 0 && nowMs - before.atMs >= SETTLE_MS) return true;
    this.#remember(path, isSame ? before : { ...look, atMs: nowMs });
    return false;
  }

  #remember(path: string, look: FileLook & { atMs: number }): void {
    if (this.#seen.size < SEEN_MAX && !this.#seen.has(path)) this.#seen.set(path, look);
  }

  async #begin(file: WalkedFile): Promise<void> {
    if (!(await this.#hasRoom())) return;
    const { path, name, sizeBytes, modifiedNs } = file;
    const handle = await file.folder.openFile(name).catch((error: unknown) => error);
    const take = { folder: this.#folder, path, sizeBytes, modifiedNs };
    const taking = this.#take(take, handle).finally(() => this.#taking.delete(taking));
    this.#taking.add(taking);
  }

  /** False where the pass ends first. */
  async #hasRoom(): Promise<boolean> {
    for (;;) {
      if (this.#signal.aborted || this.#obstacle !== null) return false;
      const open = this.#app.store.read.watchFolder(this.#folder.id)?.counts.submitted ?? 0;
      if (this.#taking.size < TAKEN_AT_ONCE && open + this.#taking.size < OPEN_FILES_MAX) return true;
      if (this.#taking.size >= TAKEN_AT_ONCE) await Promise.race(this.#taking);
      else await pause(this.#app.clock, ROOM_WAIT_MS, this.#signal);
    }
  }

  /** Never rejects. */
  async #take(file: FileLook & { folder: WatchFolder; path: string }, opened: unknown): Promise<void> {
    try {
      if (isHandle(opened)) {
        await using handle = opened;
        await takeFile(this.#app, { ...file, handle }, this.#signal);
      } else if (!GONE.includes(codeOf(opened))) {
        await noteUnopened(this.#app, file, opened);
      }
    } catch (error) {
      if (this.#signal.aborted) return;
      const unknown = new Obstacle(
        'waiting',
        'the appliance could not write it down',
        SECONDS_AFTER_FAULT,
        error,
      );
      this.#obstacle ??= error instanceof Obstacle ? error : unknown;
      this.#remember(file.path, { ...file, atMs: this.#app.clock.elapsedMs() - SETTLE_MS });
      if (!(error instanceof Obstacle)) this.#app.log.error({ err: error }, 'a watched folder met a fault');
    }
  }
}

/** Gone since, or exchanged for a link. */
const GONE: readonly string[] = ['ENOENT', 'ELOOP', 'ENXIO'];
const SECONDS_AFTER_FAULT = 30;

function isHandle(opened: unknown): opened is FileHandle {
  return typeof opened === 'object' && opened !== null && 'createReadStream' in opened;
}

async function noteUnopened(
  app: WatchFolderParts,
  file: FileLook & { folder: WatchFolder; path: string },
  error: unknown,
): Promise<void> {
  const { folder, path, sizeBytes, modifiedNs } = file;
  const attempts = app.store.read.watchedFile(folder.id, path)?.attempts ?? 0;
  const reason = `it could not be opened (${codeOf(error)}): may the daemon's user read it?`;
  const row = { ...afterFailure(app.clock.now(), attempts), state: 'failed' as const, reason };
  const place = { folderId: folder.id, path, sizeBytes, modifiedNs, identifier: '', missingSince: null };
  await app.store.transact((tx) => tx.putWatchedFile({ ...place, ...row, at: app.clock.now() }));
  app.metrics.watchedFiles.inc({ state: 'failed' });
}
