/** Waits until a daemon has so many watchers: what happens before they are there is none of their changes. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestDaemon } from './daemon.ts';
import { PATIENCE_MS } from './patience.ts';

const POLL_MS = 50;

export async function awaitWatchers(daemon: Pick<TestDaemon, 'http'>, count: number): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline) {
    const metrics = await (await fetch(`${daemon.http}/metrics`)).text();
    if (Number(/^assay_watchers (\d+)$/m.exec(metrics)?.[1]) >= count) return;
    await sleep(POLL_MS);
  }
  throw new Error(`fewer than ${count} watchers after ${PATIENCE_MS} ms`);
}
