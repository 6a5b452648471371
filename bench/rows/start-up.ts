/** From the start of the process, on an empty data folder, to its ready line and to models that answer. */
import { TestDaemon } from '../../test/daemon.ts';
import { type Row, RUNS } from '../row.ts';

const POLL_MS = 10;
const POLLS_MAX = 3000;

export async function measureStartUp(): Promise<Row[]> {
  const lineMs: number[] = [];
  const readyMs: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const startedAt = performance.now();
    await using daemon = await TestDaemon.start({ awaitReady: false });
    lineMs.push(performance.now() - startedAt);
    await untilReady(daemon);
    readyMs.push(performance.now() - startedAt);
  }
  const row = { unit: 'ms', better: 'lower' } as const;
  return [
    { ...row, name: 'start to the line "assay ready"', runs: lineMs },
    { ...row, name: 'start to /readyz 200', runs: readyMs },
  ];
}

/** Looks more often than TestDaemon does: its 50 ms would be part of the figure. */
async function untilReady({ http }: TestDaemon): Promise<void> {
  for (let poll = 0; poll < POLLS_MAX; poll++) {
    if ((await fetch(`${http}/readyz`)).status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error('the daemon did not get ready');
}
