/** Watched folders: a person's rule, and the state of each file that it found. No I/O. */
import { isSidecarName } from '../provenance/sidecar-name.ts';

/** What happens to a file once it is judged. */
export const DONE_ACTIONS = ['leave', 'sidecar', 'move'] as const;
export type DoneAction = (typeof DONE_ACTIONS)[number];

/** `submitted`: its record waits or runs; `skipped`: it is no picture, film or sound. */
export const WATCHED_FILE_STATES = ['submitted', 'done', 'failed', 'skipped'] as const;
export type WatchedFileState = (typeof WATCHED_FILE_STATES)[number];

/** States of a folder; all but `paused` end by themselves once their cause does. */
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
  /** The account that pays and gets the records. */
  accountId: number;
  /** Absolute, without `.` and `..`; inside one of the setting `watch.roots`. */
  path: string;
  /** Fields of a submission under their documented names. */
  options: Readonly<Record<string, string>>;
  done: DoneAction;
  isPaused: boolean;
  /** It takes no more files, and goes once its files are forgotten. */
  isRemoved: boolean;
  createdAt: number;
  counts: Readonly<Record<WatchedFileState, number>>;
  /** Files that were judged and whose results could not be written; they count as failed. */
  unwritten?: number;
}

/** A file as it was taken: another size, time or content under the same path is another file. */
export interface WatchedFile {
  folderId: number;
  /** Below the folder, with `/`. */
  path: string;
  sizeBytes: number;
  /** Nanoseconds since 1970 as text: a double cannot hold them. */
  modifiedNs: string;
  /** When anything of it changed last, in the form of `modifiedNs`; absent from rows of earlier versions. */
  changedNs?: string | undefined;
  /** Absent on file systems that change a file's inode. */
  inode?: string | undefined;
  /** SHA-256 of the submitted bytes, as hex characters; absent if nothing was submitted. */
  hash?: string | undefined;
  state: WatchedFileState;
  /** Identifier of its record; empty if there is none. */
  identifier: string;
  /** It was judged, and its results could not be written; only for failed files. */
  isUnwritten?: boolean;
  /** Why it failed, or another note for a person; may be empty. */
  reason: string;
  /** Failed tries whose cause may pass. */
  attempts: number;
  /** When it is tried again; null: not by itself. */
  retryAt: number | null;
  /** When it came to its state. */
  at: number;
  /** Since when it has been missing; null while it is there. */
  missingSince: number | null;
}

export const NO_FILES: WatchFolder['counts'] = { submitted: 0, done: 0, failed: 0, skipped: 0 };

/** Lies below the watched folder; its files are not looked at. */
export const DONE_FOLDER = 'assay-done';
/** Endings of the results beside an original; such files are never taken. */
export const SIDECAR_ENDINGS = { json: '.assay.json', xmp: '.assay.xmp' } as const;

/** Endings that programs give a file while they still write it. */
const UNFINISHED_ENDINGS = ['.part', '.partial', '.filepart', '.crdownload', '.download', '.tmp', '.temp'];

/** Whether a file is left out by its name: hidden ones, unfinished ones by their ending, and Assay's own results. */
export function isPassedOver(name: string): boolean {
  const lower = name.toLowerCase();
  if (lower.startsWith('.') || RESULT_NAME.test(lower) || isSidecarName(name)) return true;
  return UNFINISHED_ENDINGS.some((ending) => lower.endsWith(ending));
}

/** Results have eight letters of their record in the name if the plain name is somebody else's file. */
const RESULT_NAME = /\.assay(-[0-9a-f]{8})?\.(json|xmp)$/;
