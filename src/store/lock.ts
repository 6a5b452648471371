/** One daemon per data folder, by a kernel lock, which ends with its process; only Node's SQLite can lock files. */
import { readFileSync, readlinkSync } from 'node:fs';
import { access, constants, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from '../domain/error-code.ts';
import { OperatorFault } from '../domain/operator-fault.ts';

export class FolderInUseError extends OperatorFault {
  override readonly name = 'FolderInUseError';
}

/** Empty; only SQLite may open it: the kernel drops a process' lock once the process closes any descriptor of the file. */
const LOCK_FILE = 'folder.lock';
/** Shows people and older versions who holds the folder: process, its start, host, PID namespace. */
const HOLDER_FILE = 'daemon.lock';
/** Entries that a lock leaves in a folder that holds nothing else. */
export const LOCK_ENTRIES: readonly string[] = [LOCK_FILE, HOLDER_FILE, `${HOLDER_FILE}.new`];

/** A killed process keeps its lock while its memory is freed, half a second a gigabyte; its successor may come at once. */
export const HOLDER_END_WAIT_MS = 5_000;
const LOOK_AGAIN_MS = 25;

/** Holds the folder until disposed, or until the process ends. */
export class FolderLock implements AsyncDisposable {
  readonly #database: DatabaseSync;
  readonly #holderPath: string;

  private constructor(database: DatabaseSync, holderPath: string) {
    this.#database = database;
    this.#holderPath = holderPath;
  }

  /** Throws FolderInUseError if another process still holds the folder after `waitMs`. */
  static async acquire(folder: string, waitMs = HOLDER_END_WAIT_MS): Promise<FolderLock> {
    await access(folder, constants.W_OK);
    const deadline = performance.now() + waitMs;
    for (;;) {
      const lock = await FolderLock.#tryAcquire(folder);
      if (lock !== undefined) return lock;
      if (performance.now() >= deadline) throw new FolderInUseError(await describeUse(folder));
      await delay(LOOK_AGAIN_MS);
    }
  }

  static async #tryAcquire(folder: string): Promise<FolderLock | undefined> {
    const database = lockFile(join(folder, LOCK_FILE));
    if (database === undefined) return undefined;
    const holderPath = join(folder, HOLDER_FILE);
    try {
      if (isOlderVersionAlive(await readHolder(holderPath))) {
        database.close();
        return undefined;
      }
      // Renamed into place: an older version takes a file that it cannot read for a stale lock.
      await writeFile(`${holderPath}.new`, `${describeSelf()}\n`, { mode: 0o600 });
      await rename(`${holderPath}.new`, holderPath);
      return new FolderLock(database, holderPath);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#database.isOpen) return;
    // While the kernel's lock is held the file belongs to this process.
    await rm(this.#holderPath, { force: true });
    this.#database.close();
  }
}

const SQLITE_BUSY = 5;
/** SQLite's extended codes carry the plain one in their lowest byte. */
const SQLITE_CODE_MASK = 0xff;

/** Undefined if another process holds it. */
function lockFile(path: string): DatabaseSync | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    // Nothing is ever written, so no kill may leave a journal; and no end of a transaction unlocks.
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database?.close();
    const { errcode, message } = error as Error & { errcode?: number };
    if (errcode !== undefined && (errcode & SQLITE_CODE_MASK) === SQLITE_BUSY) return undefined;
    throw new Error(`the lock file ${path} cannot be locked: ${message}`, { cause: error });
  }
}

interface Holder {
  pid: string;
  startTime: string;
  /** Null if the file was written by an older version, which noted neither. */
  place: { host: string; pidNamespace: string } | null;
}

/** Undefined if there is no file or it says nothing. */
async function readHolder(path: string): Promise<Holder | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  const [pid, startTime, host, pidNamespace] = text.trim().split(' ');
  if (pid === undefined || startTime === undefined || !/^\d+$/.test(pid)) return undefined;
  const place = host === undefined || pidNamespace === undefined ? null : { host, pidNamespace };
  return { pid, startTime, place };
}

/** An older version holds no lock of the kernel's, so only its process can be looked for. */
function isOlderVersionAlive(holder: Holder | undefined): boolean {
  return holder?.place === null && startTimeOf(holder.pid) === holder.startTime;
}

async function describeUse(folder: string): Promise<string> {
  const holder = await readHolder(join(folder, HOLDER_FILE));
  if (holder === undefined) {
    return `the data folder ${folder} is in use by another process, or its file system knows no locks`;
  }
  const { pid, place } = holder;
  const isElsewhere = place !== null && place.pidNamespace !== ownPidNamespace();
  const where = isElsewhere ? ` of another container or machine (${place.host})` : '';
  return `the data folder ${folder} is in use by process ${pid}${where}; stop it first`;
}

function describeSelf(): string {
  const startTime = startTimeOf(String(process.pid));
  if (startTime === undefined) throw new Error('the kernel says nothing of this process: is /proc mounted?');
  return [process.pid, startTime, hostname(), ownPidNamespace()].join(' ');
}

const ownPidNamespace = (): string => readlinkSync('/proc/self/ns/pid');

/** States of a process that has ended while its parent has not waited for it yet. */
const ENDED_STATES: readonly unknown[] = ['Z', 'X'];

/** Clock ticks since boot when the process started, which reveals a reused number; undefined if it has ended. */
function startTimeOf(pid: string): string | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // ESRCH: it ended between opening and reading.
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ENDED_STATES.includes(state) ? undefined : fields[18];
}
