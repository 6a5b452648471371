/** Faults that the daemon once had, put back one by one into a copy of the program: the simulator must find each. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runFleet } from '../../simulator/fleet.ts';
import { numberArgument } from '../random.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
/** What the simulator imports and reads. */
const NEEDED = [
  ...['src', 'page', 'trust', 'test/simulator', 'test/heavy/random.ts', 'evaluate/random.ts'],
  ...['models/assay-transformer/model.json', 'package.json', 'tsconfig.json'],
];

interface Fault {
  name: string;
  /** The invariant that finds it. */
  violated: RegExp;
  changes: readonly Change[];
}

interface Change {
  file: string;
  /** The lines of today, and those of then. */
  now: string;
  past: string;
}

const FAULTS: readonly Fault[] = [
  {
    name: 'an iterator of LMDB is left half-way and pins every page',
    violated: /no reader is old|bytes are bounded/,
    changes: [
      {
        file: 'src/store/tables/ranges.ts',
        now: `  yield* walk(
    range,
    (key) => key,
    (from, rowsMax) => readKeys(database, from, rowsMax),
  );`,
        past: '  yield* database.getKeys(range);',
      },
    ],
  },
  {
    name: 'a worker’s result is believed that cannot be',
    violated: /a result is|every figure is finite/,
    changes: [
      {
        file: 'src/engine/remote/judge-result.ts',
        now: "    if (result.kind === 'image') checkImage(job, result, files);",
        past: "    if (result.kind === 'image') return;",
      },
    ],
  },
  {
    name: 'a revoked key’s streams go on',
    violated: /a lost key hears nothing/,
    changes: [
      {
        file: 'src/app/callers/standings.ts',
        now: "    if (change.type !== 'standing') return;",
        past: "    if (change.type !== 'balance') return;",
      },
    ],
  },
  {
    name: 'a watched folder sleeps as long as a large drop took',
    violated: /a folder sleeps no longer than its pauses/,
    changes: [
      {
        file: 'src/app/watch-folders/folder-watch.ts',
        now: '      const lookedMs = clock.elapsedMs() - startedMs - this.#waitedMs;',
        past: '      const lookedMs = clock.elapsedMs() - startedMs;',
      },
    ],
  },
  {
    name: 'a name near 255 bytes holds its place in a watched folder',
    violated: /every place is freed/,
    changes: [
      {
        file: 'src/app/watch-folders/result-names.ts',
        now: '  const stem = shorten(name, NAME_BYTES_MAX - second.length);',
        past: '  const stem = name;',
      },
      {
        file: 'src/app/watch-folders/folder-watch.ts',
        now: "  return { ...tries, state: 'failed', reason, isUnwritten: true };",
        past: '  return { ...tries, reason, at: file.at };',
      },
    ],
  },
];

/** `--skip N` leaves out the first N of them. */
for (const { name, violated, changes } of FAULTS.slice(numberArgument('skip', 0))) {
  const folder = mkdtempSync(join(tmpdir(), 'assay-simulator-faults-'));
  try {
    makeCopy(folder, changes);
    const main = join(folder, 'test/simulator/main.ts');
    const count = numberArgument('count', 2000);
    const { faults } = await runFleet({ from: 1, count, processes: availableParallelism(), main });
    const found = faults.find((text) => violated.test(text));
    process.stdout.write(`${name}: ${found?.split('\n')[0] ?? 'not found'}\n`);
    if (found === undefined) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeCopy(folder: string, changes: readonly Change[]): void {
  for (const path of NEEDED) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const { file, now, past } of changes) {
    const text = readFileSync(join(folder, file), 'utf8');
    // Lines that are no longer there put no fault back.
    if (!text.includes(now)) throw new Error(`${file} has changed: put its old fault back in other lines`);
    writeFileSync(join(folder, file), text.replace(now, past));
  }
}
