/** Watch folders: the rule that somebody made, and what became of each file that it found. No I/O. */
import { isSidecarName } from '../provenance/sidecar-name.ts';

/** What happens to a file once it is judged. */
export const DONE_ACTIONS = ['leave', 'sidecar', 'move'] as const;
export type DoneAction = (typeof DONE_ACTIONS)[number];

/** `submitted`: its record waits or runs; `skipped`: it is no picture, film or sound. */
export const WATCHED_FILE_STATES = ['submitted', 'done', 'failed', 'skipped'] as const;
export type WatchedFileState = (typeof WATCHED_FILE_STATES)[number];

/** What a folder does now; all but `paused` end by themselves once their reason does. */
export const WATCH_STATES = [
  'watching',
  'paused',
  'no_credits',
  'waiting',
  'away',
  'refused',
  'off',
] as const;
export type WatchState = (typeof WATCH_STATES)[number];

export interface WatchFolder {
  id: number;
  /** Who pays, and whose records they become. */
  accountId: number;
  /** Absolute, without `.` and `..`; inside one of the setting `watch.roots`. */
  path: string;
  /** Fields of a submission under their documented names. */
  options: Readonly<Record<string, string>>;
  done: DoneAction;
  isPaused: boolean;
  /** It takes nothing more, and goes once its files are forgotten. */
  isRemoved: boolean;
  createdAt: number;
  /** Files by their state. */
  counts: Readonly<Record<WatchedFileState, number>>;
  /** Files that were judged and whose results could not be written; they count as failed. */
  unwritten?: number;
}

/** One file as it was when it was taken: another size, time or content under the same path is another file. */
export interface WatchedFile {
  folderId: number;
  /** Below the folder, with `/`. */
  path: string;
  sizeBytes: number;
  /** Nanoseconds since 1970 as text: a double cannot hold them. */
  modifiedNs: string;
  /** When anything of it changed last, as `modifiedNs`; absent from rows of earlier versions. */
  changedNs?: string | undefined;
  /** Absent if the file system gives a file another one each time. */
  inode?: string | undefined;
  /** SHA-256 of what was submitted, as hex characters; absent if nothing was. */
  hash?: string | undefined;
  state: WatchedFileState;
  /** Identifier of its record; empty if there is none. */
  identifier: string;
  /** It was judged, and its results could not be written; only of those that failed. */
  isUnwritten?: boolean;
  /** Why it failed, or what else a person should know; empty if there is nothing to say. */
  reason: string;
  /** Tries that failed for a reason that may pass. */
  attempts: number;
  /** When it is tried again; null: not by itself. */
  retryAt: number | null;
  /** When it came to its state. */
  at: number;
  /** Since when it was looked for in vain; null while it is there. */
  missingSince: number | null;
}

export const NO_FILES: WatchFolder['counts'] = { submitted: 0, done: 0, failed: 0, skipped: 0 };

/** Below the watched folder; nothing in it is looked at. */
export const DONE_FOLDER = 'assay-done';
/** Endings of the results that are written beside an original: such a name is never taken for one. */
export const SIDECAR_ENDINGS = { json: '.assay.json', xmp: '.assay.xmp' } as const;

/** Endings that programs give a file while they still write it. */
const UNFINISHED_ENDINGS = ['.part', '.partial', '.filepart', '.crdownload', '.download', '.tmp', '.temp'];

/**
 * Whether a name is none of a file to judge: hidden ones, which programs use for what is not ready, unfinished ones by
 * their ending, and the results of Assay itself.
 */
export function isPassedOver(name: string): boolean {
  const lower = name.toLowerCase();
  if (lower.startsWith('.') || RESULT_NAME.test(lower) || isSidecarName(name)) return true;
  return UNFINISHED_ENDINGS.some((ending) => lower.endsWith(ending));
}

/** With eight letters of its record if the plain name is somebody else's file. */
const RESULT_NAME = /\.assay(-[0-9a-f]{8})?\.(json|xmp)$/;
