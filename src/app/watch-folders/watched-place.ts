/** Where a watched folder may lie: inside a root of `watch.roots`, without links below it. */
import { realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { codeOf } from '../../domain/error-code.ts';
import { AppError, badField } from '../../domain/errors.ts';
import { identityOf, SafeFolder } from '../../machinery/safe-folder.ts';
import { show } from '../field-parsers.ts';

interface Place {
  root: string;
  /** Below the root; '' is the root itself. */
  below: string;
}

/** Undefined if the path lies in none of the roots. */
export function findPlace(roots: readonly string[], path: string): Place | undefined {
  for (const root of roots) {
    const below = relative(root, path);
    if (!below.startsWith('..') && !isAbsolute(below)) return { root, below };
  }
  return undefined;
}

/** The path as it is stored. Throws on the field for an invalid path or one outside the roots. */
export function parsePlace(roots: readonly string[], path: unknown): string {
  if (roots.length === 0) throw watchingIsOff();
  if (typeof path !== 'string' || path === '' || path.length > PATH_CHARACTERS_MAX || path.includes('\0'))
    throw badField('path', `expected an absolute path, found ${show(path)}`);
  if (!isAbsolute(path)) throw badField('path', `expected an absolute path, found ${show(path)}`);
  const resolved = resolve(path);
  if (findPlace(roots, resolved) !== undefined) return resolved;
  throw badField(
    'path',
    `expected a folder in one of watch.roots (${roots.join(', ')}), found ${show(path)}`,
  );
}

/** Linux takes no longer path. */
const PATH_CHARACTERS_MAX = 4096;

export function watchingIsOff(): AppError {
  return new AppError('watching', 'no folder is watched: set watch.roots, and start the daemon again');
}

/** A folder that is missing or unsuitable; the sentence says which. */
export class PlaceError extends Error {
  override readonly name = 'PlaceError';
}

const SENTENCES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    ENOENT: 'it is not there',
    ENOTDIR: 'it, or a folder above it, is a link or no folder',
    ELOOP: 'it, or a folder above it, is a link',
    EACCES: 'the daemon may not go into it',
    EPERM: 'the daemon may not go into it',
    ESTALE: 'its share was taken away',
    EHOSTDOWN: 'the machine of its share does not answer',
    ETIMEDOUT: 'the machine of its share does not answer',
    EIO: 'its disk or share fails',
  }),
);

export function sentenceOf(error: unknown): string {
  const code = codeOf(error);
  return SENTENCES.get(code) ?? `it cannot be opened (${code})`;
}

/** Rejects with a PlaceError. */
export async function openPlace(roots: readonly string[], path: string): Promise<SafeFolder> {
  const place = findPlace(roots, path);
  if (place === undefined) throw new PlaceError('it lies in none of watch.roots');
  try {
    await using root = await SafeFolder.open(place.root);
    return await root.openBelow(place.below);
  } catch (error) {
    throw new PlaceError(sentenceOf(error), { cause: error });
  }
}

/** The identity of a path's folder and of those above: another path may lead to the same. */
export interface FolderChain {
  own: string;
  above: readonly string[];
}

/** Null if the folder does not exist now. */
export async function chainOf(path: string): Promise<FolderChain | null> {
  try {
    const real = await realpath(path);
    const above: string[] = [];
    for (let at = real; dirname(at) !== at; ) {
      at = dirname(at);
      above.push(await identify(at));
    }
    return { own: await identify(real), above };
  } catch {
    return null;
  }
}

async function identify(path: string): Promise<string> {
  return identityOf(await stat(path, { bigint: true }));
}

/** Whether one is the other or lies in it. */
export function doOverlap(left: FolderChain, right: FolderChain): boolean {
  return left.own === right.own || left.above.includes(right.own) || right.above.includes(left.own);
}
