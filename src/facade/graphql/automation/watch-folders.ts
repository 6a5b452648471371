/** Watched folders: rules, their files, and whether a folder can be watched. */
import {
  type AddedFolder,
  addWatchFolder,
  getWatchFolder,
  listWatchedFiles,
  listWatchFolders,
  pauseWatchFolder,
  removeWatchFolder,
  resumeWatchFolder,
  testWatchFolder,
} from '../../../app/watch-folders/watch-folders.ts';
import type { WatchedFile } from '../../../domain/automation/watch-folder.ts';
import {
  FOLDER_FINDING,
  type FolderCheck,
  type FolderFinding,
  WATCH_FOLDER,
  WATCHED_FILE,
  type WatchFolderView,
} from '../../../domain/contract/watch-folder.ts';
import { DONE_ACTION, WATCHED_FILE_STATE } from '../../../domain/contract/words.ts';
import { badField } from '../../../domain/errors.ts';
import { builder, enumOf } from '../builder.ts';
import { defineNoun } from '../nouns.ts';
import { countCall, type Payload, settleCall } from '../transport/calls.ts';
import { defineConnection, FIRST_DESCRIPTION, pageLimitOf } from '../transport/connection.ts';
import { toId, toOwner } from '../transport/input.ts';
import { definePayload } from '../transport/payloads.ts';
import { userErrorType } from '../transport/user-errors.ts';

const ADMINS = 'Administrators only.';

const folderType = defineNoun<WatchFolderView>({
  name: 'WatchFolder',
  description: 'A folder of the box whose new files are judged by themselves.',
  fields: WATCH_FOLDER,
});
const fileType = defineNoun<WatchedFile>({ name: 'WatchedFile', fields: WATCHED_FILE });
const findingType = defineNoun<FolderFinding>({ name: 'FolderFinding', fields: FOLDER_FINDING });
const fileConnectionType = defineConnection<WatchedFile>('WatchedFile', fileType);
const folderPayloadType = definePayload<WatchFolderView>('WatchFolder', 'folder', folderType);

const checkPayloadType = builder.objectRef<Payload<FolderCheck>>('FolderCheckPayload').implement({
  fields: (t) => ({
    findings: t.field({ type: [findingType], resolve: ({ value }) => value?.findings ?? [] }),
    unitLines: t.stringList({
      description: 'For systemctl edit assay; empty where none are needed.',
      resolve: ({ value }) => value?.unitLines ?? [],
    }),
    userErrors: t.expose('userErrors', { type: [userErrorType] }),
  }),
});

const addedPayloadType = builder.objectRef<Payload<AddedFolder>>('AddedWatchFolderPayload').implement({
  fields: (t) => ({
    folder: t.field({ type: folderType, nullable: true, resolve: ({ value }) => value?.folder ?? null }),
    findings: t.field({ type: [findingType], resolve: ({ value }) => value?.findings ?? [] }),
    unitLines: t.stringList({
      description: 'For systemctl edit assay; empty where none are needed.',
      resolve: ({ value }) => value?.unitLines ?? [],
    }),
    userErrors: t.expose('userErrors', { type: [userErrorType] }),
  }),
});

export function addWatchFolderQueries(): void {
  builder.queryFields((t) => ({
    watchFolders: t.field({
      type: [folderType],
      nullable: true,
      description: ADMINS,
      resolve: (_, _args, context) =>
        countCall(context, 'watchFolders', () =>
          listWatchFolders(context.app, { principal: context.principal() }),
        ),
    }),
    watchRoots: t.stringList({
      nullable: true,
      description: 'The setting watch.roots: empty, no folder is watched. Administrators only.',
      resolve: (_, _args, context) =>
        countCall(context, 'watchRoots', () => {
          listWatchFolders(context.app, { principal: context.principal() });
          return [...context.app.config.watchRoots];
        }),
    }),
    watchFolder: t.field({
      type: folderType,
      nullable: true,
      description: ADMINS,
      args: { id: t.arg.id({ required: true }) },
      resolve: (_, { id }, context) =>
        countCall(context, 'watchFolder', () =>
          getWatchFolder(context.app, { principal: context.principal(), id: toId(id) }),
        ),
    }),
    watchedFiles: t.field({
      type: fileConnectionType,
      nullable: true,
      description: `The files of a watched folder that are in one state, newest first. ${ADMINS}`,
      args: {
        id: t.arg.id({ required: true }),
        state: t.arg({ type: enumOf(WATCHED_FILE_STATE), required: true }),
        first: t.arg.int({ description: FIRST_DESCRIPTION }),
        after: t.arg.string(),
      },
      resolve: (_, { id, state, first, after }, context) =>
        countCall(context, 'watchedFiles', () => {
          const limit = pageLimitOf({ first });
          const query = {
            principal: context.principal(),
            id: toId(id),
            state,
            limit,
            before: fromCursor(after),
          };
          const files = listWatchedFiles(context.app, query);
          const edges = files.map((node) => ({ node, cursor: String(node.at) }));
          return { edges, hasNextPage: files.length === limit };
        }),
    }),
  }));
}

function fromCursor(cursor: string | null | undefined): number | undefined {
  if (cursor === null || cursor === undefined) return undefined;
  if (/^\d{1,16}$/.test(cursor)) return Number(cursor);
  throw badField('after', 'expected a cursor from an earlier page');
}

export function addWatchFolderMutations(): void {
  builder.mutationFields((t) => ({
    addWatchFolder: t.field({
      type: addedPayloadType,
      nullable: true,
      description: ADMINS,
      args: {
        path: t.arg.string({ required: true, description: 'Absolute, in one of watch.roots.' }),
        userId: t.arg.id({ description: 'Whose records they become; the caller where absent.' }),
        done: t.arg({ type: enumOf(DONE_ACTION) }),
        options: t.arg.stringList({ description: 'Fields of a submission as NAME=VALUE.' }),
      },
      resolve: (_, { path, userId, done, options }, context) =>
        settleCall(context, 'addWatchFolder', () => {
          const fields = { path, done, options };
          return addWatchFolder(context.app, { principal: context.principal(), ...toOwner(userId), fields });
        }),
    }),
    testWatchFolder: t.field({
      type: checkPayloadType,
      nullable: true,
      description: `Whether the daemon's user can read, write and move in a folder. Nothing of it stays. ${ADMINS}`,
      args: { path: t.arg.string({ required: true }) },
      resolve: (_, { path }, context) =>
        settleCall(context, 'testWatchFolder', () =>
          testWatchFolder(context.app, { principal: context.principal(), path }),
        ),
    }),
  }));
  addFolderChanges();
}

function addFolderChanges(): void {
  builder.mutationFields((t) => ({
    pauseWatchFolder: t.field({
      type: folderPayloadType,
      nullable: true,
      description: `Takes nothing more until it is resumed; what was taken is finished. ${ADMINS}`,
      args: { id: t.arg.id({ required: true }) },
      resolve: (_, { id }, context) =>
        settleCall(context, 'pauseWatchFolder', () =>
          pauseWatchFolder(context.app, { principal: context.principal(), id: toId(id) }),
        ),
    }),
    resumeWatchFolder: t.field({
      type: folderPayloadType,
      nullable: true,
      description: ADMINS,
      args: {
        id: t.arg.id({ required: true }),
        retryFailed: t.arg.boolean({ description: 'Takes files that failed once more.' }),
      },
      resolve: (_, { id, retryFailed }, context) =>
        settleCall(context, 'resumeWatchFolder', () => {
          const retriesFailed = retryFailed ?? false;
          return resumeWatchFolder(context.app, {
            principal: context.principal(),
            id: toId(id),
            retriesFailed,
          });
        }),
    }),
    removeWatchFolder: t.field({
      type: folderPayloadType,
      nullable: true,
      description: `Files and records stay. ${ADMINS}`,
      args: { id: t.arg.id({ required: true }) },
      resolve: (_, { id }, context) =>
        settleCall(context, 'removeWatchFolder', () =>
          removeWatchFolder(context.app, { principal: context.principal(), id: toId(id) }),
        ),
    }),
  }));
}
