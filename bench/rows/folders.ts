/**
 * How cost grows with the files of a folder (ASSAY_BENCH_FILES names how many): `assay classify FOLDER` and a watched folder.
 * The files are no media, so that what is measured is all but the analyses: finding, sending, looking, rows.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposableSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { reach } from '../../test/command-line.ts';
import { TestDaemon } from '../../test/daemon.ts';
import { metricOf } from '../../test/faults/rounds/submissions.ts';
import { countsOf } from '../counts.ts';
import { MemoryPeak } from '../memory.ts';
import { rssAnonOf } from '../process-tree.ts';
import type { Row } from '../row.ts';
import { timeWork } from '../timed-work.ts';

const LAUNCHER = join(import.meta.dirname, '..', '..', 'bin', 'assay');
const POLL_MS = 250;
const WATCH_MS_MAX = 3_600_000;
const WRITTEN_AT_ONCE = 500;

export async function measureFolders(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const count of countsOf('ASSAY_BENCH_FILES', [1_000, 10_000, 100_000])) {
    const of = ({ name, ...row }: Row): Row => ({ ...row, name: `${name}, ${count} files` });
    rows.push(...(await measureFolderOf(count)).map(of));
  }
  return rows;
}

async function measureFolderOf(count: number): Promise<Row[]> {
  using root = mkdtempDisposableSync(join(tmpdir(), 'assay-bench-'));
  const folder = join(root.path, 'drop');
  await fill(folder, count);
  await using daemon = await TestDaemon.start({ models: 'tiny', env: { ASSAY_WATCH_ROOTS: root.path } });
  return [...(await measureClassify(daemon, folder)), ...(await measureWatched(daemon, folder, count))];
}

async function fill(folder: string, count: number): Promise<void> {
  await mkdir(folder);
  for (let from = 0; from < count; from += WRITTEN_AT_ONCE) {
    const length = Math.min(WRITTEN_AT_ONCE, count - from);
    await Promise.all(Array.from({ length }, (_, index) => lay(folder, from + index)));
  }
}

async function lay(folder: string, index: number): Promise<void> {
  await writeFile(join(folder, `picture-${index}.jpg`), `no picture, number ${index}`);
}

/** Each file is refused by its content, and is a row of the table at the end. */
async function measureClassify(daemon: TestDaemon, folder: string): Promise<Row[]> {
  const startedAt = performance.now();
  const { memoryMib } = await assay(daemon, 'classify', folder);
  return [
    { name: 'assay classify', unit: 's', better: 'lower', runs: [(performance.now() - startedAt) / 1000] },
    { name: 'memory of the command at the peak', unit: 'MiB', better: 'lower', runs: [memoryMib] },
  ];
}

async function measureWatched(daemon: TestDaemon, folder: string, count: number): Promise<Row[]> {
  const pid = daemon.process.pid ?? 0;
  const all = await timeWork(pid, async () => {
    await assay(daemon, 'watch-folder', 'add', folder);
    await untilSkipped(daemon, count);
  });
  const last = await timeWork(pid, async () => {
    await lay(folder, count);
    await untilSkipped(daemon, count + 1);
  });
  const seconds = { unit: 's', better: 'lower' } as const;
  return [
    { ...seconds, name: 'a watched folder, until each has its row', runs: [all.seconds] },
    { ...seconds, name: 'the same, processor time of the daemon', runs: [all.processorSeconds] },
    { ...seconds, name: 'one file more, until it has its row', runs: [last.seconds] },
    { name: 'memory of the daemon then', unit: 'MiB', better: 'lower', runs: [rssAnonOf(pid)] },
  ];
}

/** By the daemon's own count: a command for each poll would be work beside what is measured. */
async function untilSkipped(daemon: TestDaemon, count: number): Promise<void> {
  const endAt = performance.now() + WATCH_MS_MAX;
  while (performance.now() < endAt) {
    if ((await metricOf(daemon, 'assay_watched_files_total{state="skipped"}')) >= count) return;
    await delay(POLL_MS);
  }
  throw new Error(`a folder did not get ${count} rows`);
}

/** It ends with a fault where files were refused; what it says is read, or it would wait for its reader. */
async function assay(daemon: TestDaemon, ...args: string[]): Promise<{ memoryMib: number }> {
  const env = { PATH: process.env.PATH, ...reach(daemon) };
  const child = spawn(LAUNCHER, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  using memory = new MemoryPeak(child.pid ?? 0);
  await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { memoryMib: memory.peak.tree };
}
