/** Watched folders' rules: for administrators only, since a rule reads what the daemon may read. */
import {
  DONE_ACTIONS,
  type DoneAction,
  NO_FILES,
  type WatchedFile,
  type WatchedFileState,
  type WatchFolder,
} from '../../domain/automation/watch-folder.ts';
import type { FolderCheck, WatchFolderView } from '../../domain/contract/watch-folder.ts';
import type { AuditAction } from '../../domain/custody/audit-actions.ts';
import { AppError, badField } from '../../domain/errors.ts';
import { rowsOf, toSnakeCase } from '../../domain/field.ts';
import { MEDIA_KINDS } from '../../domain/media/media.ts';
import { ANALYSIS_OPTIONS } from '../../domain/records/analysis-options.ts';
import type { StoreReader } from '../../store/reader.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { auditLine } from '../accounts/audit.ts';
import { assertMayWrite } from '../callers/authenticate.ts';
import { assertAdmin, ownOrManaged } from '../callers/authority.ts';
import type { Principal } from '../callers/principal.ts';
import { parseEach } from '../check-each.ts';
import { assertPageSize, parseChoice, parseTextList, type RawFields, show } from '../field-parsers.ts';
import { parseSubmission } from '../submissions/input.ts';
import { checkFolder } from './folder-check.ts';
import type { WatchFolderParts } from './parts.ts';
import { sameRow, toSubmitted } from './recheck-file.ts';
import { describeUnwritten } from './unwritten.ts';
import { chainOf, doOverlap, parsePlace } from './watched-place.ts';

/** Each holds some descriptors and looks at its folder all day; for more, watch the folder above. */
export const WATCH_FOLDERS_MAX = 32;

export interface FolderInput {
  principal: Principal;
  id: number;
}

export interface AddedFolder extends FolderCheck {
  folder: WatchFolderView;
}

/** `userId`: the account that pays and owns the records; the caller's own if absent. */
export async function addWatchFolder(
  app: WatchFolderParts,
  { principal, userId, fields }: { principal: Principal; userId?: number | undefined; fields: RawFields },
): Promise<AddedFolder> {
  assertAdmin(principal);
  assertMayWrite(principal);
  const parsed = parseFolder(app.config.watchRoots, fields);
  await assertNotAlias(app, parsed.path);
  const folder = await app.store.transact((tx) => {
    const owner = ownOrManaged(tx, principal, userId);
    assertRoom(tx, parsed.path);
    const made: WatchFolder = {
      id: tx.automation.newestWatchFolderId() + 1,
      accountId: owner.id,
      ...parsed,
      isPaused: false,
      isRemoved: false,
      createdAt: app.clock.now(),
      counts: NO_FILES,
    };
    tx.automation.putWatchFolder(made);
    const details = { path: made.path, account: String(made.accountId), done: made.done };
    const options = JSON.stringify(made.options);
    tx.log.appendAudit(auditLine(app, principal, 'watch_folder.add', made.id, { ...details, options }));
    return made;
  });
  app.watching.onChange();
  return { folder: toView(app, folder), ...(await checkFolder(app, folder)) };
}

/** Two rules over one file would judge it twice, and both would move it. */
function assertRoom(tx: StoreTransaction, path: string): void {
  const others = tx.automation.watchFolders().filter(({ isRemoved }) => !isRemoved);
  if (others.length >= WATCH_FOLDERS_MAX) {
    throw new AppError('too_many', `at most ${WATCH_FOLDERS_MAX} folders are watched: remove one first`);
  }
  const other = others.find((one) => isWithin(one.path, path) || isWithin(path, one.path));
  if (other === undefined) return;
  const found = `${path}, which holds or lies in ${other.path} of folder ${other.id}`;
  throw badField('path', `expected a folder that no other one watches, found ${found}`);
}

function isWithin(inner: string, outer: string): boolean {
  return `${inner}/`.startsWith(`${outer}/`);
}

/** A bind mount or a link above shows one folder under two paths. Races are settled when folders are looked at. */
async function assertNotAlias({ store }: WatchFolderParts, path: string): Promise<void> {
  const chain = await chainOf(path);
  if (chain === null) return;
  for (const other of store.read.automation.watchFolders()) {
    // The transaction refuses those whose paths overlap.
    if (other.isRemoved || isWithin(other.path, path) || isWithin(path, other.path)) continue;
    const watched = await chainOf(other.path);
    if (watched === null || !doOverlap(chain, watched)) continue;
    const found = `${path}, which is, holds or lies in ${other.path} of folder ${other.id}, under another path`;
    throw badField('path', `expected a folder that no other one watches, found ${found}`);
  }
}

export function listWatchFolders(
  app: WatchFolderParts,
  { principal }: { principal: Principal },
): WatchFolderView[] {
  assertAdmin(principal);
  return app.store.read.automation
    .watchFolders()
    .filter(({ isRemoved }) => !isRemoved)
    .map((folder) => toView(app, folder));
}

/** Folders that a watched one must lie in. */
export function listWatchRoots(
  { config }: WatchFolderParts,
  { principal }: { principal: Principal },
): string[] {
  assertAdmin(principal);
  return [...config.watchRoots];
}

export function getWatchFolder(app: WatchFolderParts, { principal, id }: FolderInput): WatchFolderView {
  assertAdmin(principal);
  return toView(app, findFolder(app.store.read, id));
}

export interface ListFilesInput extends FolderInput {
  state: WatchedFileState;
  limit: number;
  /** The `at` of the last file seen. */
  before?: number | undefined;
}

/** Those of one state, newest first. */
export function listWatchedFiles(
  app: WatchFolderParts,
  { principal, id, state, limit, before }: ListFilesInput,
): WatchedFile[] {
  assertAdmin(principal);
  assertPageSize(limit);
  findFolder(app.store.read, id);
  return app.store.read.automation.watchedFiles({ folderId: id, state, limit, before });
}

export async function pauseWatchFolder(app: WatchFolderParts, input: FolderInput): Promise<WatchFolderView> {
  return await changeFolder(app, input, 'watch_folder.pause', (folder) => ({ ...folder, isPaused: true }));
}

/** With `retriesFailed` failed files are taken once more. */
export async function resumeWatchFolder(
  app: WatchFolderParts,
  { retriesFailed = false, ...input }: FolderInput & { retriesFailed?: boolean },
): Promise<WatchFolderView> {
  if (retriesFailed) await forgetFailed(app, input);
  return await changeFolder(app, input, 'watch_folder.resume', (folder) => ({ ...folder, isPaused: false }));
}

/** Judged files are not judged again: only their results are written. */
async function forgetFailed(app: WatchFolderParts, { principal, id }: FolderInput): Promise<void> {
  assertAdmin(principal);
  assertMayWrite(principal);
  findFolder(app.store.read, id);
  // Files that fail again meanwhile wait for the next request.
  const before = app.clock.now();
  for (;;) {
    const query = { folderId: id, state: 'failed', before, limit: FILES_PER_CHANGE } as const;
    const files = app.store.read.automation.watchedFiles(query);
    if (files.length === 0) return;
    await app.store.transact((tx) => {
      for (const found of files) {
        const file = sameRow(tx, found);
        if (file?.isUnwritten === true)
          tx.automation.putWatchedFile({ ...toSubmitted(file, app.clock.now()), attempts: 0 });
        else if (file !== undefined) tx.automation.removeWatchedFile(file);
      }
    });
  }
}

/** One transaction holds up everything else for some milliseconds. */
const FILES_PER_CHANGE = 200;

/** Files and records stay; the files' rows are forgotten after the answer. */
export async function removeWatchFolder(app: WatchFolderParts, input: FolderInput): Promise<WatchFolderView> {
  return await changeFolder(app, input, 'watch_folder.remove', (folder) => ({ ...folder, isRemoved: true }));
}

async function changeFolder(
  app: WatchFolderParts,
  { principal, id }: FolderInput,
  action: AuditAction,
  change: (folder: WatchFolder) => WatchFolder,
): Promise<WatchFolderView> {
  assertAdmin(principal);
  assertMayWrite(principal);
  const changed = await app.store.transact((tx) => {
    const folder = change(findFolder(tx, id));
    tx.automation.putWatchFolder(folder);
    tx.log.appendAudit(auditLine(app, principal, action, id, { path: folder.path }));
    return folder;
  });
  app.watching.onChange();
  return toView(app, changed);
}

/** Forgets a removed folder's files, then the folder. */
export async function forgetRemoved(
  { store }: Pick<WatchFolderParts, 'store'>,
  id: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const files = store.read.automation.someWatchedFiles(id, undefined, FILES_PER_CHANGE);
    await store.transact((tx) => {
      for (const file of files) tx.automation.removeWatchedFile(file);
      if (files.length === 0) tx.automation.removeWatchFolder(id);
    });
    if (files.length === 0) return;
  }
}

/** Whether the daemon can do what a rule asks of the folder. Its trials are removed. */
export async function testWatchFolder(
  app: WatchFolderParts,
  { principal, path }: { principal: Principal; path: unknown },
): Promise<FolderCheck> {
  assertAdmin(principal);
  const place = parsePlace(app.config.watchRoots, path);
  return await checkFolder(app, { path: place, done: 'move' });
}

function findFolder(read: StoreReader, id: number): WatchFolder {
  const folder = read.automation.watchFolder(id);
  if (folder === undefined || folder.isRemoved) throw new AppError('watch_folder', 'no such watched folder');
  return folder;
}

function toView(app: WatchFolderParts, folder: WatchFolder): WatchFolderView {
  const status = app.watching.statusOf(folder.id);
  const accountEmail = app.store.read.accounts.getUnlessDamaged(folder.accountId)?.email ?? '';
  const { id, accountId, path, done, createdAt, counts, isPaused } = folder;
  const { done: finished, ...others } = counts;
  const unwritten = folder.unwritten ?? 0;
  const options = Object.entries(folder.options).map(([name, value]) => `${name}=${value}`);
  const view = { id, accountId, accountEmail, path, done, createdAt, options, finished, ...others };
  const { obstacles, ...shown } = status;
  const reason =
    shown.state === 'watching' ? describeUnwritten(app, folder, { namesFile: true }) : shown.reason;
  return {
    ...view,
    ...shown,
    reason,
    unwritten,
    obstacles: [...obstacles],
    ...(isPaused ? { state: 'paused', reason: '' } : {}),
  };
}

interface ParsedFolder {
  path: string;
  done: DoneAction;
  options: Record<string, string>;
}

/** Fields: `path`, `done`, and `options` as a list of `name=value`. Reports all faults at once. */
function parseFolder(roots: readonly string[], fields: RawFields): ParsedFolder {
  return parseEach<ParsedFolder>({
    path: () => parsePlace(roots, fields.path),
    done: () => parseChoice(fields, 'done', DONE_ACTIONS) ?? 'leave',
    options: () => parseOptions(fields),
  });
}

/** The folder gives request identifiers itself, and results are written to it. */
const ALLOWED: readonly string[] = [
  ...rowsOf(ANALYSIS_OPTIONS).map(([name]) => toSnakeCase(name)),
  ...['priority', 'ref_id', 'no_cache', 'desk_id'],
];

function parseOptions(fields: RawFields): Record<string, string> {
  const pairs = (parseTextList(fields, 'options') ?? []).map((pair) => {
    const [, name = '', value = ''] = /^([a-z0-9_]+)=(.*)$/s.exec(pair) ?? [];
    if (!ALLOWED.includes(name)) {
      throw badField('options', `expected NAME=VALUE with one of ${ALLOWED.join(', ')}, found ${show(pair)}`);
    }
    return [name, value] as const;
  });
  const options = Object.fromEntries(pairs);
  // The kind is decided by the files, so the options must fit all kinds.
  for (const kind of MEDIA_KINDS) parseSubmission(kind, options);
  return options;
}
