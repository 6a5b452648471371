/** What an administrator sees of watched folders, one row a field. */
import {
  flag,
  identifier,
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
  id: identifier<number>(),
  accountId: identifier<number>({ description: 'The account that pays and owns the records.' }),
  accountEmail: text(),
  path: text(),
  options: listOf(text({ description: 'Fields of a submission as NAME=VALUE.' })),
  done: oneOf(DONE_ACTION),
  state: oneOf(WATCH_STATE),
  reason: text({ description: 'Why it is in that state; empty where there is nothing to say.' }),
  createdAt: moment(),
  lookedAt: nullable(moment({ description: 'When the last look at all of it ended.' })),
  waiting: long({ description: 'Files that are seen and not taken yet.' }),
  submitted: long(),
  finished: long(),
  failed: long(),
  skipped: long({ description: 'Files that are no picture, film or sound.' }),
  obstacles: listOf(text({ description: 'What could not be gone into, with the reason; at most ten.' })),
  unwritten: long({
    description: 'Judged files whose results could not be written; they are among those that failed.',
  }),
};
export interface WatchFolderView extends ValuesOf<typeof WATCH_FOLDER> {}

export const WATCHED_FILE = {
  path: text({ description: 'Below the folder.' }),
  sizeBytes: long(),
  state: oneOf(WATCHED_FILE_STATE),
  identifier: text({ description: 'Identifier of its record; empty if there is none.' }),
  reason: text({ description: 'Why it failed; empty where there is nothing to say.' }),
  attempts: whole(),
  retryAt: nullable(moment({ description: 'When it is tried again; null: not by itself.' })),
  at: moment({ description: 'When it came to its state.' }),
};

export const FOLDER_FINDING = {
  name: text({ description: 'read, write or move.' }),
  good: flag(),
  found: text(),
};
export interface FolderFinding extends ValuesOf<typeof FOLDER_FINDING> {}

export interface FolderCheck {
  findings: FolderFinding[];
  /** For `systemctl edit assay`. */
  unitLines: string[];
}
