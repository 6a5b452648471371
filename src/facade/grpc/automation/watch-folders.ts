/** Watched folders: rules, their files, and whether a folder can be watched. */
import {
  addWatchFolder,
  getWatchFolder,
  listWatchedFiles,
  listWatchFolders,
  pauseWatchFolder,
  removeWatchFolder,
  resumeWatchFolder,
  testWatchFolder,
} from '../../../app/watch-folders/watch-folders.ts';
import type { WatchedFileState } from '../../../domain/automation/watch-folder.ts';
import { badField } from '../../../domain/errors.ts';
import type { Handlers } from '../../../grpc/definition.ts';
import {
  DoneActionSchema,
  WatchedFileStateSchema,
  WatchFolderService,
} from '../../../grpc/gen/assay/v1/watch_folder_service_pb.ts';
import { toMessage } from '../../../grpc/messages.ts';
import { pageSizeOf } from '../accounts.ts';
import { type GrpcContext, unary } from '../calls.ts';
import { fromEnum } from '../enums.ts';

const { method } = WatchFolderService;

export function watchFolderHandlers(context: GrpcContext): Handlers<typeof WatchFolderService> {
  return { ...ruleHandlers(context), ...changeHandlers(context) };
}

type OfRules =
  | 'addWatchFolder'
  | 'listWatchFolders'
  | 'getWatchFolder'
  | 'listWatchedFiles'
  | 'testWatchFolder';

function ruleHandlers(context: GrpcContext): Pick<Handlers<typeof WatchFolderService>, OfRules> {
  const { app } = context;
  return {
    addWatchFolder: unary(context, method.addWatchFolder, async ({ principal, request }) => {
      const { path, options } = request;
      const fields = { path, options, done: fromEnum(DoneActionSchema, request.done, 'done') };
      const userId = request.userId === 0n ? undefined : Number(request.userId);
      const added = await addWatchFolder(app, { principal, userId, fields });
      return toMessage(method.addWatchFolder.output, added);
    }),
    listWatchFolders: unary(context, method.listWatchFolders, ({ principal }) =>
      toMessage(method.listWatchFolders.output, { folders: listWatchFolders(app, { principal }) }),
    ),
    getWatchFolder: unary(context, method.getWatchFolder, ({ principal, request }) =>
      toMessage(method.getWatchFolder.output, {
        folder: getWatchFolder(app, { principal, id: Number(request.id) }),
      }),
    ),
    listWatchedFiles: unary(context, method.listWatchedFiles, ({ principal, request }) => {
      const state = fromEnum<WatchedFileState>(WatchedFileStateSchema, request.state, 'state');
      if (state === undefined) throw badField('state', 'expected a state, found none');
      const limit = pageSizeOf(request.pageSize);
      const before = fromToken(request.pageToken);
      const files = listWatchedFiles(app, { principal, id: Number(request.id), state, limit, before });
      const last = files.length < limit ? undefined : files.at(-1);
      return toMessage(method.listWatchedFiles.output, { files, nextPageToken: String(last?.at ?? '') });
    }),
    testWatchFolder: unary(context, method.testWatchFolder, async ({ principal, request: { path } }) =>
      toMessage(method.testWatchFolder.output, await testWatchFolder(app, { principal, path })),
    ),
  };
}

type OfChanges = 'pauseWatchFolder' | 'resumeWatchFolder' | 'removeWatchFolder';

function changeHandlers(context: GrpcContext): Pick<Handlers<typeof WatchFolderService>, OfChanges> {
  const { app } = context;
  return {
    pauseWatchFolder: unary(context, method.pauseWatchFolder, async ({ principal, request }) =>
      toMessage(method.pauseWatchFolder.output, {
        folder: await pauseWatchFolder(app, { principal, id: Number(request.id) }),
      }),
    ),
    resumeWatchFolder: unary(context, method.resumeWatchFolder, async ({ principal, request }) => {
      const input = { principal, id: Number(request.id), retriesFailed: request.retryFailed };
      return toMessage(method.resumeWatchFolder.output, { folder: await resumeWatchFolder(app, input) });
    }),
    removeWatchFolder: unary(context, method.removeWatchFolder, async ({ principal, request }) => {
      await removeWatchFolder(app, { principal, id: Number(request.id) });
      return {};
    }),
  };
}

function fromToken(token: string): number | undefined {
  if (token === '') return undefined;
  if (/^\d{1,16}$/.test(token)) return Number(token);
  throw badField('page_token', 'expected the next_page_token of an earlier page');
}
