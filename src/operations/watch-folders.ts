import {
  addWatchFolder,
  getWatchFolder,
  listWatchedFiles,
  listWatchFolders,
  listWatchRoots,
  pauseWatchFolder,
  removeWatchFolder,
  resumeWatchFolder,
  testWatchFolder,
} from '../app/watch-folders/watch-folders.ts';
import { FOLDER_FINDING, WATCH_FOLDER, WATCHED_FILE } from '../domain/contract/watch-folder.ts';
import { DONE_ACTION, WATCHED_FILE_STATE } from '../domain/contract/words.ts';
import { flag, idNumber, listOf, nounOf, oneOf, text } from '../domain/field.ts';
import { mutation, one, optional, page, pageInput, query, several } from './operation.ts';

const FOLDER = nounOf({
  name: 'WatchFolder',
  description: 'A folder of the box whose new files are judged by themselves.',
  fields: WATCH_FOLDER,
});
const ONE_FOLDER = one('folder', FOLDER);
const CHECK = {
  findings: listOf(nounOf({ name: 'FolderFinding', fields: FOLDER_FINDING })),
  unitLines: listOf(text('For systemctl edit assay; empty where none are needed.')),
};
const NOT_CHECKED = { findings: [], unitLines: [] };

export const WATCH_FOLDER_OPERATIONS = {
  listWatchFolders: query({
    field: 'watchFolders',
    role: 'admin',
    answer: one('folders', listOf(FOLDER)),
    run: listWatchFolders,
  }),
  getWatchFolder: query({
    field: 'watchFolder',
    role: 'admin',
    input: { id: idNumber() },
    answer: ONE_FOLDER,
    run: getWatchFolder,
  }),
  watchRoots: query({
    rpc: null,
    description: 'The setting watch.roots: empty, no folder is watched.',
    role: 'admin',
    answer: one('watchRoots', listOf(text())),
    run: listWatchRoots,
  }),
  listWatchedFiles: query({
    field: 'watchedFiles',
    description: 'The files of a watched folder that are in one state, newest first.',
    role: 'admin',
    input: { id: idNumber(), state: oneOf(WATCHED_FILE_STATE), ...pageInput() },
    answer: page('files', nounOf({ name: 'WatchedFile', fields: WATCHED_FILE }), { cursor: 'at' }),
    run: listWatchedFiles,
  }),
  addWatchFolder: mutation({
    role: 'admin',
    input: {
      path: text('Absolute, in one of the setting watch.roots.'),
      userId: optional(idNumber('Whose records they become; the caller where absent.')),
      done: optional(oneOf(DONE_ACTION)),
      options: optional(listOf(text('Fields of a submission as NAME=VALUE.'))),
    },
    answer: several({ folder: FOLDER, ...CHECK }),
    payload: 'AddedWatchFolder',
    whenRefused: NOT_CHECKED,
    run: (app, { principal, userId, ...fields }) => addWatchFolder(app, { principal, userId, fields }),
  }),
  testWatchFolder: mutation({
    description: "Whether the daemon's user can read, write and move in a folder. Nothing of it stays.",
    role: 'admin',
    input: { path: text() },
    isForReaders: true,
    answer: several(CHECK),
    payload: 'FolderCheck',
    whenRefused: NOT_CHECKED,
    run: testWatchFolder,
  }),
  pauseWatchFolder: mutation({
    description: 'Takes nothing more until it is resumed; what was taken is finished.',
    role: 'admin',
    input: { id: idNumber() },
    answer: ONE_FOLDER,
    payload: 'WatchFolder',
    run: pauseWatchFolder,
  }),
  resumeWatchFolder: mutation({
    role: 'admin',
    input: {
      id: idNumber(),
      retryFailed: optional(flag('Takes files that failed once more.')),
    },
    answer: ONE_FOLDER,
    payload: 'WatchFolder',
    run: (app, { principal, id, retryFailed: retriesFailed = false }) =>
      resumeWatchFolder(app, { principal, id, retriesFailed }),
  }),
  removeWatchFolder: mutation({
    description: 'Files and records stay.',
    role: 'admin',
    input: { id: idNumber() },
    answer: ONE_FOLDER,
    payload: 'WatchFolder',
    run: removeWatchFolder,
  }),
};
