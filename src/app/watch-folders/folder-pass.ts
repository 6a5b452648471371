/** A pass over a watched folder: new files are remembered, and taken once they look the same some seconds later. */
import { hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import {
  DONE_FOLDER,
  isPassedOver,
  type WatchedFile,
  type WatchFolder,
} from '../../domain/automation/watch-folder.ts';
import { pause } from '../../domain/clock.ts';
import { codeOf } from '../../domain/error-code.ts';
import { changeSince, type FileLook, lookOf } from '../../machinery/file-look.ts';
import { type WalkedFile, walkFolder } from '../../machinery/folder-walk.ts';
import type { LookPace } from '../../machinery/look-pace.ts';
import type { SafeFolder } from '../../machinery/safe-folder.ts';
import { findManifest, readManifest } from './manifest-beside.ts';
import type { WatchFolderParts } from './parts.ts';
import { finishAgain, isStillJudged } from './recheck-file.ts';
import { removeLeftover } from './result-files.ts';
import { afterFailure, Obstacle, rowOf, type TakeInput, takeFile } from './take-file.ts';

/** A program that writes steadily changes size or time within this; NFS may show a size one second old. */
export const SETTLE_MS = 2000;
/** Files of a folder whose records wait or run: ten thousand at once must not fill the queue for everybody else. */
export const OPEN_FILES_MAX = 200;
/** Files of one folder that are copied and probed at once. */
const TAKEN_AT_ONCE = 4;
/** Files remembered between two passes, 70 bytes each. The others wait for a later pass. */
const SEEN_MAX = 100_000;
/** Obstacles named to a person. */
const OBSTACLES_MAX = 10;
const ROOM_WAIT_MS = 100;

/** When files were first seen, by a hash of path and look: another look has another hash. */
export type SeenFiles = ReadonlyMap<number, number>;

export interface PassOutcome {
  seen: SeenFiles;
  /** Why it ended early; null if it is complete. */
  obstacle: Obstacle | null;
  /** Folders that could not be entered. */
  obstacles: string[];
  /** Ended early because its rule was paused or removed. */
  isPaused: boolean;
}

/** A file's next step: judged files that look a little different are compared, and refused results are tried again. */
type Step = { do: 'take' } | { do: 'recheck' | 'finish'; row: WatchedFile };

export class FolderPass {
  readonly #app: WatchFolderParts;
  readonly #folder: WatchFolder;
  readonly #signal: AbortSignal;
  readonly #before: SeenFiles;
  readonly #seen = new Map<number, number>();
  readonly #taking = new Set<Promise<void>>();
  readonly #obstacles: string[] = [];
  #obstacle: Obstacle | null = null;
  #isPaused = false;
  #waitedMs = 0;

  constructor(app: WatchFolderParts, folder: WatchFolder, before: SeenFiles, signal: AbortSignal) {
    this.#app = app;
    this.#folder = folder;
    this.#before = before;
    this.#signal = signal;
  }

  /** Time spent waiting for room, which does not count as looking. */
  get waitedMs(): number {
    return this.#waitedMs;
  }

  /** Rejects with what the file system says of the folder itself. */
  async run(root: SafeFolder, pace: LookPace): Promise<PassOutcome> {
    try {
      await this.#walk(root, pace);
    } finally {
      await this.#waiting(async () => void (await Promise.all(this.#taking)));
    }
    // Files that were not reached keep their first look.
    if (this.#hasEndedEarly()) for (const [seen, atMs] of this.#before) this.#remember(seen, atMs);
    const [seen, obstacle, obstacles] = [this.#seen, this.#obstacle, this.#obstacles];
    return { seen, obstacle, obstacles, isPaused: this.#isPaused };
  }

  async #walk(root: SafeFolder, pace: LookPace): Promise<void> {
    const { clock, watching } = this.#app;
    const files = walkFolder(root, {
      isPassedOver: (name, depth) => isPassedOver(name) || (depth === 0 && name === DONE_FOLDER),
      obstacleOf: ({ identity }) => {
        const other = watching.watcherOf(identity, this.#folder.id);
        return other === undefined ? null : `folder ${other} watches it`;
      },
      pace: () => pace.take(),
      onObstacle: (path, reason) => {
        if (this.#obstacles.length < OBSTACLES_MAX) this.#obstacles.push(`${path}: ${reason}`);
      },
      onPassedOver: (folder, name) => removeLeftover(folder, name, clock.now()),
    });
    for await (const file of files) {
      const step = this.#stepOf(file);
      if (step !== null) await this.#beginWhole(file, step);
      if (this.#signal.aborted || this.#hasEndedEarly()) return;
    }
  }

  #hasEndedEarly(): boolean {
    return this.#obstacle !== null || this.#isPaused;
  }

  /** The step to take now; null for none. */
  #stepOf(file: WalkedFile): Step | null {
    const row = this.#app.store.read.automation.watchedFile(this.#folder.id, file.path);
    const change = row === undefined ? 'other' : changeSince(row, file);
    if (row !== undefined && change === 'none') {
      const isDue = row.state === 'failed' && row.retryAt !== null && row.retryAt <= this.#app.clock.now();
      if (!isDue) return null;
      return row.isUnwritten === true ? { do: 'finish', row } : { do: 'take' };
    }
    if (!this.#looksAsBefore(file.path, file)) return null;
    // A file without a record is soon judged anew.
    return row !== undefined && change === 'touched' && row.identifier !== ''
      ? { do: 'recheck', row }
      : { do: 'take' };
  }

  /** Whether it has looked so for a while; otherwise it is remembered. */
  #looksAsBefore(path: string, look: FileLook): boolean {
    const seen = numberOf(path, look);
    const nowMs = this.#app.clock.elapsedMs();
    const sinceMs = this.#before.get(seen) ?? nowMs;
    // An empty file is about to be written.
    if (look.sizeBytes > 0 && nowMs - sinceMs >= SETTLE_MS) return true;
    this.#remember(seen, sinceMs);
    return false;
  }

  #remember(seen: number, atMs: number): void {
    if (this.#seen.size < SEEN_MAX && !this.#seen.has(seen)) this.#seen.set(seen, atMs);
  }

  /** Remembers the file, which the next pass takes if it is unchanged. */
  #rememberSettled(file: FileLook & { path: string }): void {
    this.#remember(numberOf(file.path, file), this.#app.clock.elapsedMs() - SETTLE_MS);
  }

  /** Takes the file with its manifest, which must have settled too. */
  async #beginWhole(file: WalkedFile, step: Step): Promise<void> {
    const found = step.do === 'finish' ? undefined : await findManifest(file.folder, file.name);
    if (found === undefined) return await this.#begin(file, step, undefined);
    const isSettled = this.#looksAsBefore(`${file.path}\0${found.name}`, found);
    const manifest = isSettled ? await readManifest(file.folder, found) : undefined;
    if (manifest !== undefined) return await this.#begin(file, step, manifest);
    this.#rememberSettled(file);
  }

  async #begin(file: WalkedFile, step: Step, manifest: Uint8Array | undefined): Promise<void> {
    if (!(await this.#waiting(() => this.#hasRoom()))) return;
    const handle = await file.folder.openFile(file.name).catch((error: unknown) => error);
    const taking = this.#carryOut({ ...file, manifest }, step, handle).finally(() =>
      this.#taking.delete(taking),
    );
    this.#taking.add(taking);
  }

  async #waiting<T>(work: () => Promise<T>): Promise<T> {
    const startedMs = this.#app.clock.elapsedMs();
    try {
      return await work();
    } finally {
      this.#waitedMs += this.#app.clock.elapsedMs() - startedMs;
    }
  }

  /** False if the pass ends first. */
  async #hasRoom(): Promise<boolean> {
    for (;;) {
      if (this.#signal.aborted || this.#obstacle !== null) return false;
      const rule = this.#app.store.read.automation.watchFolder(this.#folder.id);
      this.#isPaused = rule === undefined || rule.isPaused || rule.isRemoved;
      if (rule === undefined || this.#isPaused) return false;
      const open = rule.counts.submitted + this.#taking.size;
      if (this.#taking.size < TAKEN_AT_ONCE && open < OPEN_FILES_MAX) return true;
      if (this.#taking.size >= TAKEN_AT_ONCE) await Promise.race(this.#taking);
      else await pause(this.#app.clock, ROOM_WAIT_MS, this.#signal);
    }
  }

  /** Never rejects. */
  async #carryOut(
    walked: WalkedFile & Pick<TakeInput, 'manifest'>,
    step: Step,
    opened: unknown,
  ): Promise<void> {
    const { path, manifest } = walked;
    const file = { folder: this.#folder, path, ...lookOf(walked), manifest };
    try {
      if (isHandle(opened)) {
        await using handle = opened;
        await this.#carryOutOpen({ ...file, handle }, step);
      } else if (!GONE.includes(codeOf(opened))) {
        await noteUnopened(this.#app, file, opened);
      }
    } catch (error) {
      if (this.#signal.aborted) return;
      this.#obstacle ??= error instanceof Obstacle ? error : unknownObstacle(error);
      this.#rememberSettled(file);
      if (!(error instanceof Obstacle)) this.#app.log.error({ err: error }, 'a watched folder met a fault');
    }
  }

  async #carryOutOpen(file: TakeInput, step: Step): Promise<void> {
    if (step.do === 'finish') await finishAgain(this.#app, step.row);
    else if (step.do === 'take' || !(await this.#isStillJudged(file, step.row)))
      await takeFile(this.#app, file, this.#signal);
  }

  async #isStillJudged(file: TakeInput, row: WatchedFile): Promise<boolean> {
    const { handle } = file;
    return await isStillJudged(this.#app, { row, look: lookOf(file), handle }, this.#signal);
  }
}

const NUMBER_BYTES = 6;

/** Two of 100,000 files in one of 50,000 folders share a hash: one may be taken too early, and is compared as it is read. */
function numberOf(path: string, { sizeBytes, modifiedNs, changedNs, inode }: FileLook): number {
  const text = JSON.stringify([path, sizeBytes, modifiedNs, changedNs, inode]);
  return hash('sha256', text, 'buffer').readUIntBE(0, NUMBER_BYTES);
}

function unknownObstacle(error: unknown): Obstacle {
  return new Obstacle('waiting', 'the appliance could not write it down', SECONDS_AFTER_FAULT, error);
}

/** The file has gone since, or was exchanged for a link. */
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
  const attempts = app.store.read.automation.watchedFile(file.folder.id, file.path)?.attempts ?? 0;
  const reason = `it could not be opened (${codeOf(error)}): may the daemon's user read it?`;
  const row = rowOf(app, file, { ...afterFailure(app.clock.now(), attempts), state: 'failed', reason });
  await app.store.transact((tx) => tx.automation.putWatchedFile(row));
  app.metrics.watchedFiles.inc({ state: 'failed' });
}
