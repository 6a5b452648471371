/** The page's bundle, made when the first browser asks, and kept under the hash of its sources. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip as gzipWithCallback } from 'node:zlib';
import { codeOf } from '../domain/error-code.ts';
import { PROGRAM_FOLDER } from '../machinery/program-folder.ts';

const gzip = promisify(gzipWithCallback);

const PAGE_FOLDER = join(PROGRAM_FOLDER, 'page');
const MAIN = join(PAGE_FOLDER, 'main.tsx');
const EARLY = join(PAGE_FOLDER, 'early.ts');
const PACKAGE_FILE = join(PROGRAM_FOLDER, 'package.json');
/** Files of the daemon that the page uses, too. */
const SHARED_FILES = [
  'records/record-search.ts',
  'shown-text.ts',
  'media/formats.ts',
  'media/media.ts',
  'records/finding-words.ts',
  'sheets/formula-cell.ts',
  'sheets/sheet-columns.ts',
  'transcripts/languages.ts',
  'verdicts/suspicious-moment.ts',
].map((name) => join(PROGRAM_FOLDER, 'src', 'domain', name));
/** A release brings the bundle of its sources along; a checkout has none. */
const SHIPPED_FOLDER = join(PROGRAM_FOLDER, 'page-bundle');
/** Raised when the options below change, which the sources would not show. */
const RECIPE = 2;

const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    '.js': 'text/javascript; charset=utf-8',
    '.css': 'text/css; charset=utf-8',
  }),
);

export interface PageAsset {
  name: string;
  type: string;
  bytes: Buffer;
  gzip: Buffer;
}

export interface PageBundle {
  assets: ReadonlyMap<string, PageAsset>;
  /** Names of the assets that the page's frame refers to. */
  entry: { script: string; early: string; style: string };
  /** What a browser needs before it shows anything. */
  firstLoad: readonly string[];
}

export interface BundleConfig {
  /** May be emptied at any time. */
  cacheFolder: string;
  /** Called if the bundle could not be kept, as on a full disk: the next start makes it again. */
  onNotKept: (error: unknown) => void;
}

export async function openBundle({ cacheFolder, onNotKept }: BundleConfig): Promise<PageBundle> {
  const name = await hashSources();
  const folder = join(cacheFolder, name);
  const kept = (await readFolder(join(SHIPPED_FOLDER, name))) ?? (await readFolder(folder));
  if (kept !== undefined) return await toBundle(kept);
  const files = await build();
  await keep(cacheFolder, folder, files).catch(onNotKept);
  return await toBundle(files);
}

type Files = ReadonlyMap<string, Buffer>;

async function hashSources(): Promise<string> {
  const hash = createHash('sha256').update(`recipe ${RECIPE}\n`);
  const { dependencies } = JSON.parse(await readFile(PACKAGE_FILE, 'utf8')) as { dependencies: unknown };
  hash.update(JSON.stringify(dependencies));
  const names = await readdir(PAGE_FOLDER, { recursive: true, withFileTypes: true });
  const paths = names.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  for (const path of [...paths.sort(), ...SHARED_FILES]) {
    hash.update(`${path.slice(PAGE_FOLDER.length)}\n`).update(await readFile(path));
  }
  return hash.digest('hex').slice(0, 32);
}

async function build(): Promise<Files> {
  // Only a start without a kept bundle needs the bundler and its process.
  const esbuild = await import('esbuild');
  const shared = {
    outdir: '/assets',
    write: false,
    bundle: true,
    target: 'es2022',
    minify: true,
    charset: 'utf8',
    entryNames: '[name]-[hash]',
    chunkNames: 'chunk-[hash]',
    legalComments: 'eof',
    logLevel: 'silent',
    jsx: 'automatic',
    jsxImportSource: 'preact',
  } as const;
  try {
    const built = await Promise.all([
      esbuild.build({ ...shared, entryPoints: [MAIN], format: 'esm', splitting: true }),
      // Blocks the first painting, so it is one small script that imports nothing.
      esbuild.build({ ...shared, entryPoints: [EARLY], format: 'iife' }),
    ]);
    const files = built.flatMap(({ outputFiles }) => outputFiles);
    return new Map(files.map(({ path, contents }) => [path.slice('/assets/'.length), Buffer.from(contents)]));
  } finally {
    await esbuild.stop();
  }
}

const ABSENT: readonly string[] = ['ENOENT', 'ENOTDIR'];

async function readFolder(folder: string): Promise<Files | undefined> {
  try {
    const names = await readdir(folder);
    const files = names.map(async (name) => [name, await readFile(join(folder, name))] as const);
    return new Map(await Promise.all(files));
  } catch (error) {
    if (ABSENT.includes(codeOf(error))) return undefined;
    throw error;
  }
}

/** Renamed once it is whole: a start that is killed while it writes must not leave half a page. Older bundles are removed. */
async function keep(cacheFolder: string, folder: string, files: Files): Promise<void> {
  const partial = join(cacheFolder, `partial-${randomBytes(8).toString('hex')}`);
  await mkdir(partial, { recursive: true });
  for (const [name, bytes] of files) await writeFile(join(partial, name), bytes);
  for (const name of await readdir(cacheFolder)) {
    const path = join(cacheFolder, name);
    if (path !== partial) await rm(path, { recursive: true, force: true });
  }
  await rename(partial, folder);
}

async function toBundle(files: Files): Promise<PageBundle> {
  const assets = new Map<string, PageAsset>();
  for (const [name, bytes] of files) {
    const type = TYPES.get(extname(name));
    if (type === undefined) throw new Error(`the bundle holds a file of unknown type: ${name}`);
    assets.set(name, { name, type, bytes, gzip: await gzip(bytes, { level: 9 }) });
  }
  const find = (pattern: RegExp): string => {
    const name = [...assets.keys()].find((key) => pattern.test(key));
    if (name === undefined) throw new Error(`the bundle lacks ${pattern}`);
    return name;
  };
  const entry = {
    script: find(/^main-.*\.js$/),
    early: find(/^early-.*\.js$/),
    style: find(/^main-.*\.css$/),
  };
  return { assets, entry, firstLoad: firstLoadOf(assets, entry) };
}

/** The entry and all that it imports statically. */
function firstLoadOf(assets: ReadonlyMap<string, PageAsset>, entry: PageBundle['entry']): string[] {
  const found = new Set<string>([entry.early, entry.style]);
  const visit = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    const text = assets.get(name)?.bytes.toString('utf8') ?? '';
    for (const [, chunk] of text.matchAll(/(?:from|import)"\.\/([^"]+\.js)"/g)) if (chunk) visit(chunk);
  };
  visit(entry.script);
  return [...found];
}
