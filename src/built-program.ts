/** The program as a few files, so that a start need not link two thousand; in a checkout only if made of present sources. */
import { readFileSync, statSync } from 'node:fs';
import { enableCompileCache, SourceMap } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { codeOf } from './domain/error-code.ts';

const PROGRAM = resolve(import.meta.dirname, '..');
export const BUILD_FOLDER = join(PROGRAM, 'build');
/** Names the folder beside it that holds the present bundle. */
export const BUILT_FILE = 'built.json';

export interface BuiltProgram {
  /** The name of the bundle's folder. */
  folder: string;
  /** The sources of a checkout's bundle: path below the program's folder, bytes, time of the last change in ms. */
  sources: readonly (readonly [string, number, number])[];
}

/** Loads a module of the bundle, or of the sources if there is no bundle of them. */
export async function loadProgram<M>(name: string, fromSources: () => Promise<M>): Promise<M> {
  const built = findBuilt();
  if (built === null) return await fromSources();
  if (built.sources.length > 0) keepCompiled();
  const folder = join(BUILD_FOLDER, built.folder);
  mapStacks(folder);
  return await import(pathToFileURL(join(folder, `${name}.js`)).href);
}

function findBuilt(): BuiltProgram | null {
  const built = readBuilt();
  return built?.sources.every(isUnchanged) ? built : null;
}

function readBuilt(): BuiltProgram | null {
  try {
    return JSON.parse(readFileSync(join(BUILD_FOLDER, BUILT_FILE), 'utf8'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function isUnchanged([path, bytes, changedMs]: BuiltProgram['sources'][number]): boolean {
  // `join` would take as long as the look itself, for nine hundred files at each command.
  const now = statSync(`${PROGRAM}/${path}`, { throwIfNoEntry: false });
  return now?.size === bytes && now.mtimeMs === changedMs;
}

/** Keeps compiled code, which runs unread, only if no other user can write there; a release keeps none (`verify.sh`). */
function keepCompiled(): void {
  if (statSync(BUILD_FOLDER).uid === process.getuid?.()) enableCompileCache(join(BUILD_FOLDER, 'code'));
}

const PLACE = /(file:[^\s)]*\/)([\w.-]+\.js):(\d+):(\d+)/g;

/** Stacks of bundles in lines of their sources. Node reads a map beside each module, a tenth of a start; here on demand. */
function mapStacks(folder: string): void {
  const within = `${pathToFileURL(folder).href}/`;
  const maps = new Map<string, SourceMap | null>();
  const toSource = (place: string, base: string, name: string, line: string, column: string): string => {
    if (base !== within) return place;
    if (!maps.has(name)) maps.set(name, readMap(join(folder, `${name}.map`)));
    const origin = maps.get(name)?.findOrigin(Number(line), Number(column));
    if (origin === undefined || !('fileName' in origin)) return place;
    return `${resolve(folder, origin.fileName)}:${origin.lineNumber}:${origin.columnNumber}`;
  };
  Error.prepareStackTrace = (error, sites) =>
    [headOf(error), ...sites.map((site) => `    at ${site}`)].join('\n').replaceAll(PLACE, toSource);
}

/** Null if it cannot be read: a stack must not become a fault of its own. */
function readMap(path: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return null;
  }
}

function headOf(error: Error): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return 'Error';
  }
}
