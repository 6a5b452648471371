/** Test files as modules of a bundle: a process then links tens of files instead of a thousand. Code runs as where it lies. */
import { readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { oldForm, placePackages, STAY_PACKAGES } from '../../packaging/program-bundle.ts';
import { BUILD_FOLDER, BUILT_FILE, type BuiltProgram } from '../../src/built-program.ts';
import { BUILT_TESTS, ROOT } from './run-files.ts';

/** What only tests use and cannot be part of a bundle. */
const STAY_OF_TESTS = [
  'playwright-core',
  '@sparticuz/chromium',
  'typescript',
  'openapi-typescript',
  'undici',
];
/** It looks at which sources are loaded. */
const FROM_SOURCES = ['test/engine/remote/without-workers.test.ts'];
/** Says in which form the program runs. */
const PROGRAM_FORM = join(ROOT, 'src/machinery/program-folder.ts');

/** Returns what is to be run. Children of the program start from its own bundle, which must be there (`npm run build`). */
export async function buildTests(files: readonly string[]): Promise<string[]> {
  rmSync(BUILT_TESTS, { recursive: true, force: true });
  await build({
    ...{ absWorkingDir: ROOT, entryPoints: files.filter(isBuilt), outbase: ROOT, outdir: BUILT_TESTS },
    ...{ bundle: true, splitting: true, format: 'esm', platform: 'node', target: 'node24' },
    ...{ external: [...STAY_PACKAGES, ...STAY_OF_TESTS], banner: { js: oldForm(JSON.stringify(ROOT)) } },
    ...{ legalComments: 'none', logLevel: 'error', sourcemap: 'linked', sourcesContent: false },
    define: { ...PLACES, 'import.meta.main': 'false' },
    plugins: [keepPlaces(), placePackages(ROOT)],
  });
  return files.map((file) =>
    isBuilt(file) ? join(BUILT_TESTS, file.replace(/\.ts$/, '.js')) : join(ROOT, file),
  );
}

const isBuilt = (file: string): boolean => !FROM_SOURCES.includes(file);

/** Names of what a module asks of its own place; each module gets its own. */
const PLACES = {
  'import.meta.dirname': '__sourceFolder',
  'import.meta.filename': '__sourceFile',
  'import.meta.url': '__sourceUrl',
};

/** It is answered as in its source. */
function keepPlaces(): Plugin {
  const { folder }: BuiltProgram = JSON.parse(readFileSync(join(BUILD_FOLDER, BUILT_FILE), 'utf8'));
  return {
    name: 'keep-places',
    setup({ onLoad }) {
      onLoad({ filter: /\.(ts|js|mjs)$/ }, async ({ path }) => {
        const contents = await readFile(path, 'utf8');
        if (!contents.includes('import.meta.')) return undefined;
        const file = path === PROGRAM_FORM ? join(BUILD_FOLDER, folder, 'tests.js') : path;
        const answers = [dirname(path), file, pathToFileURL(path).href];
        const names = Object.values(PLACES).map((name, at) => `${name} = ${JSON.stringify(answers[at])}`);
        return {
          contents: `const ${names.join(', ')}; ${contents}`,
          loader: path.endsWith('.ts') ? 'ts' : 'js',
        };
      });
    },
  };
}

const BUILT_PLACE = /(?:file:\/\/)?(\/[^\s():]+\.js):(\d+):(\d+)/g;
const maps = new Map<string, SourceMap>();

/** A stack trace with the places of sources. */
export function namingSources(stack: string): string {
  return stack.replace(BUILT_PLACE, (place, path: string, line: string, column: string) => {
    if (!path.startsWith(BUILT_TESTS)) return place;
    const origin = mapOf(path).findOrigin(Number(line), Number(column));
    if (!('fileName' in origin)) return place;
    const file = fileURLToPath(new URL(origin.fileName, pathToFileURL(path)));
    return `${file}:${origin.lineNumber}:${origin.columnNumber}`;
  });
}

function mapOf(path: string): SourceMap {
  const map = maps.get(path) ?? new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')));
  maps.set(path, map);
  return map;
}
