/** From the start of the process, on an empty data folder and on one of many records, to its ready line and to models that answer. */
import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Store } from '../../src/store/store.ts';
import { TestDaemon } from '../../test/daemon.ts';
import { seedRecords } from '../../test/seeded-records.ts';
import { type Row, RUNS } from '../row.ts';

const POLL_MS = 10;
const POLLS_MAX = 3000;
const RECORDS = 100_000;

export async function measureStartUp(): Promise<Row[]> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'assay-bench-'));
  await fill(folder.path);
  const empty = await timeStarts({});
  const filled = await timeStarts({ folder: folder.path });
  const row = { unit: 'ms', better: 'lower' } as const;
  return [
    { ...row, name: 'start to the line "assay ready"', runs: empty.lineMs },
    { ...row, name: 'start to /readyz 200', runs: empty.readyMs },
    { ...row, name: `start to /readyz 200, ${RECORDS} records`, runs: filled.readyMs },
  ];
}

async function timeStarts(options: { folder?: string }): Promise<{ lineMs: number[]; readyMs: number[] }> {
  const lineMs: number[] = [];
  const readyMs: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    using empty = mkdtempDisposableSync(join(tmpdir(), 'assay-bench-'));
    const folder = options.folder ?? empty.path;
    const startedAt = performance.now();
    await using daemon = await TestDaemon.start({ folder, awaitReady: false });
    lineMs.push(performance.now() - startedAt);
    await untilReady(daemon);
    readyMs.push(performance.now() - startedAt);
  }
  return { lineMs, readyMs };
}

async function fill(folder: string): Promise<void> {
  {
    // Makes the account that the records are of.
    await using _daemon = await TestDaemon.start({ folder });
  }
  await using store = await Store.open({ folder });
  await seedRecords(store, RECORDS, (index) => ({
    ...{ name: `${index}.jpg`, probability: ((index % 99) + 1) / 100 },
  }));
}

/** Looks more often than TestDaemon does: its 50 ms would be part of the figure. */
async function untilReady({ http }: TestDaemon): Promise<void> {
  for (let poll = 0; poll < POLLS_MAX; poll++) {
    if ((await fetch(`${http}/readyz`)).status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error('the daemon did not get ready');
}
