/** Test files that share a process, one after another, as each would load and compile the program anew. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { BUILT_TESTS, FILE_BEGAN, isWaiting, quickTests } from './run-files.ts';

/** Tests in these folders load the whole program. Those in other folders mostly start programs of their own, so sharing a process saves them little. */
const SHARING =
  /^test\/(app|cli|config|contract|domain|engine|evidence|facade|grpc|interface|machinery|models|page|port|store|worker)\//;
/** They change their process, or look at all that it has started or written. */
const ALONE = [
  /^test\/engine\/(decode|inference|remote)\//,
  'test/contract/renditions.test.ts',
  'test/facade/graphql-watch-stream.test.ts',
  'test/store/media-writer.test.ts',
  'test/store/migrations.test.ts',
  'test/store/private-folder.test.ts',
  'test/store/rebuild-indexes.test.ts',
  'test/store/rollback.test.ts',
  'test/tidy.test.ts',
  // It draws with SVG, which decoders close to their process.
  'test/worker/keypoints.test.ts',
];
/** A process must end long before the time that a test file has (`test/run.ts`). */
const FILES_MAX = 8;
/** Quick ones hardly do more than load the program. */
const QUICK = 'quick';
const QUICK_FILES_MAX = 60;

export interface SharedProcess {
  /** What its files have in common, a folder or that they are quick, and which part of it. */
  name: string;
  files: readonly string[];
}

/** In the order of the files; those that are by themselves are in none. */
export function shareProcesses(files: readonly string[]): SharedProcess[] {
  const quick = new Set(quickTests());
  const places = Map.groupBy(
    files.filter((file) => !isAlone(file, quick)),
    (file) => (quick.has(file) ? QUICK : dirname(file)),
  );
  return [...places].flatMap(([place, those]) => {
    const parts = Math.ceil(those.length / (place === QUICK ? QUICK_FILES_MAX : FILES_MAX));
    const most = Math.ceil(those.length / parts);
    return Array.from({ length: parts }, (_, part) => ({
      name: `${place}-${part + 1}`,
      files: those.slice(part * most, (part + 1) * most),
    })).filter(({ files }) => files.length > 1);
  });
}

function isAlone(file: string, quick: ReadonlySet<string>): boolean {
  if (ALONE.some((place) => (typeof place === 'string' ? place === file : place.test(file)))) return true;
  return !quick.has(file) && (!SHARING.test(file) || isWaiting(file));
}

/**
 * One file is loaded after the other: of two that are loaded at once and share a module that awaits, the second would go on in the
 * suite of the first. A file that waits for its turn must be bound to its suite.
 */
const HEAD = `import { AsyncResource } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import { before, suite } from 'node:test';
const began = channel('${FILE_BEGAN}');
let loaded = Promise.resolve();
function add(file, load) {
  suite(file, async () => {
    before(() => began.publish(file));
    const loadHere = AsyncResource.bind(load);
    loaded = loaded.then(loadHere, loadHere);
    await loaded;
  });
}`;

/** Writes the module that runs the files, which are built in a folder; returns its path. */
export function writeSharedProcess({ name, files }: SharedProcess, folder = BUILT_TESTS): string {
  const path = join(folder, 'shared', `${name}.test.js`);
  const suites = files.map((file) => {
    const built = relative(dirname(path), join(folder, file.replace(/\.ts$/, '.js')));
    return `add('${file}', () => import('${built}'));`;
  });
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${[HEAD, ...suites].join('\n')}\n`);
  return path;
}
