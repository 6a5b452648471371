/** Samples `GET /livez` and RssAnon apart from the load's event loop. Arguments: base address, pid; `stop` ends it. */
import { setTimeout as delay } from 'node:timers/promises';
import { rssAnonBytes } from '../faults/rounds/processes.ts';

export interface LivezSample {
  latencyMs: number;
  rssBytes: number;
}

const SAMPLE_MS = 20;

const [base = '', pid = ''] = process.argv.slice(2);
const samples: LivezSample[] = [];
let isStopped = false;

process.on('message', () => {
  isStopped = true;
});

while (!isStopped) {
  const startedAt = performance.now();
  await (await fetch(`${base}/livez`)).text();
  samples.push({ latencyMs: performance.now() - startedAt, rssBytes: rssAnonBytes(Number(pid)) });
  await delay(SAMPLE_MS);
}
process.send?.(samples, () => process.disconnect());
