import {
  flag,
  idNumber,
  listOf,
  long,
  moment,
  nullable,
  oneOf,
  text,
  type ValuesOf,
  whole,
} from '../field.ts';
import { DONE_ACTION, WATCH_STATE, WATCHED_FILE_STATE } from './words.ts';

export const WATCH_FOLDER = {
  id: idNumber(),
  accountId: idNumber('The account that pays and owns the records.'),
  accountEmail: text(),
  path: text(),
  options: listOf(text('Fields of a submission as NAME=VALUE.')),
  done: oneOf(DONE_ACTION),
  state: oneOf(WATCH_STATE),
  reason: text('Why it is in that state; empty where there is nothing to say.'),
  createdAt: moment(),
  lookedAt: nullable(moment('When the last look at all of it ended; null before the first.')),
  waiting: long('Files that are seen and not taken yet.'),
  submitted: long(),
  finished: long(),
  failed: long(),
  skipped: long('Files that are no picture, film or sound.'),
  obstacles: listOf(text('What could not be gone into, with the reason; at most ten.')),
  unwritten: long('Judged files whose results could not be written; they are among those that failed.'),
};
export interface WatchFolderView extends ValuesOf<typeof WATCH_FOLDER> {}

export const WATCHED_FILE = {
  path: text('Below the folder.'),
  sizeBytes: long(),
  state: oneOf(WATCHED_FILE_STATE),
  identifier: text('Identifier of its record; empty if there is none.'),
  reason: text('Why it failed; empty where there is nothing to say.'),
  attempts: whole(),
  retryAt: nullable(moment('When it is tried again; null: not by itself.')),
  at: moment('When it came to its state.'),
};

export const FOLDER_FINDING = {
  name: text('read, write or move.'),
  good: flag(),
  found: text(),
};
export interface FolderFinding extends ValuesOf<typeof FOLDER_FINDING> {}

export interface FolderCheck {
  findings: FolderFinding[];
  /** For `systemctl edit assay`. */
  unitLines: string[];
}
