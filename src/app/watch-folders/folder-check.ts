/** Checks by trial whether the daemon's user can use a folder, and prints the lines that systemd's unit needs. */
import { readFile, rm, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import type { DoneAction, WatchFolder } from '../../domain/automation/watch-folder.ts';
import type { FolderCheck, FolderFinding } from '../../domain/contract/watch-folder.ts';
import { codeOf } from '../../domain/error-code.ts';
import type { SafeFolder } from '../../machinery/safe-folder.ts';
import type { Core } from '../core.ts';
import { moveFile, trialIn, writeTrial } from './move-file.ts';
import { openPlace, PlaceError } from './watched-place.ts';

export async function checkFolder(
  { config }: Pick<Core, 'config'>,
  { path, done }: Pick<WatchFolder, 'path' | 'done'>,
): Promise<FolderCheck> {
  return {
    findings: await tryFolder(config.watchRoots, path, done),
    unitLines: await unitLinesOf(path, done),
  };
}

async function tryFolder(roots: readonly string[], path: string, done: DoneAction): Promise<FolderFinding[]> {
  try {
    await using folder = await openPlace(roots, path);
    const read = await tryTo('read', () => folder.isEmpty());
    if (done === 'leave') return [read];
    return [read, ...(await tryChanges(folder, done))];
  } catch (error) {
    const reason = error instanceof PlaceError ? error.message : codeOf(error);
    return [{ name: 'read', good: false, found: reason }];
  }
}

async function tryChanges(folder: SafeFolder, done: DoneAction): Promise<FolderFinding[]> {
  const { trial, moved } = trialIn(folder.within('.'));
  try {
    const write = await tryTo('write', () => writeTrial(trial));
    if (done !== 'move' || !write.good) return [write];
    return [write, await tryTo('move', () => moveFile(trial, moved))];
  } finally {
    for (const left of [trial, moved]) await rm(left, { force: true }).catch(() => undefined);
  }
}

async function tryTo(name: string, work: () => Promise<unknown>): Promise<FolderFinding> {
  const { username } = userInfo();
  try {
    await work();
    return { name, good: true, found: `${username} can ${name}` };
  } catch (error) {
    return { name, good: false, found: `${username} cannot ${name}: ${adviceOf(codeOf(error))}` };
  }
}

const ADVICE: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    EACCES: "its owner and mode keep the daemon's user out (EACCES)",
    EPERM: 'the file system forbids it (EPERM)',
    EROFS: 'it is read-only for the daemon (EROFS): the unit needs ReadWritePaths, or the mount is read-only',
    ENOSPC: 'its disk is full (ENOSPC)',
  }),
);

function adviceOf(code: string): string {
  return ADVICE.get(code) ?? code;
}

/** Folders that the unit hides or replaces. */
const HIDDEN = ['/home', '/root', '/run/user', '/tmp', '/var/tmp'];

async function unitLinesOf(path: string, done: DoneAction): Promise<string[]> {
  const quoted = quoteForUnit(path);
  const isHidden = HIDDEN.some((hidden) => `${path}/`.startsWith(`${hidden}/`));
  const isWritten = done !== 'leave';
  const paths = [
    ...(isHidden ? [`${isWritten ? 'BindPaths' : 'BindReadOnlyPaths'}=${quoted}`] : []),
    ...(isWritten ? [`ReadWritePaths=${quoted}`] : []),
  ];
  const group = await groupOf(path);
  const lines = [...paths, ...(group === null ? [] : [`SupplementaryGroups=${group}`])];
  return lines.length === 0 ? [] : ['[Service]', ...lines];
}

/** systemd.unit(5): `%` begins a specifier; quotes and backslashes are escaped. */
function quoteForUnit(path: string): string {
  const doubled = path.replaceAll('%', '%%');
  return /^[\w./%+:@-]+$/.test(doubled) ? doubled : `"${doubled.replace(/[\\"]/g, '\\$&')}"`;
}

/** The group of the folder's files; null for root's, which no daemon should be in. */
async function groupOf(path: string): Promise<string | null> {
  const found = await stat(path).catch(() => null);
  if (found === null || found.gid === 0) return null;
  const groups = await readFile('/etc/group', 'utf8').catch(() => '');
  const line = groups.split('\n').find((one) => one.split(':')[2] === String(found.gid));
  return line?.split(':')[0] ?? String(found.gid);
}
