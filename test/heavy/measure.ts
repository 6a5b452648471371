/** Figures of the heavy runs: how long reads take, and what a process keeps open and in memory. */
import { readdirSync } from 'node:fs';
import type { TestDaemon } from '../daemon.ts';
import { rssAnonBytes } from '../faults/rounds/processes.ts';
import { KEY_HEADERS, pidOf } from '../faults/rounds/submissions.ts';

export function memoryOf(daemon: TestDaemon): number {
  return rssAnonBytes(pidOf(daemon));
}

export function descriptorsOf(daemon: TestDaemon): number {
  return readdirSync(`/proc/${pidOf(daemon)}/fd`).length;
}

/** Milliseconds of each of so many reads of one record, one after the other. */
export async function timeReads({ http }: TestDaemon, identifier: string, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const startedAt = performance.now();
    const response = await fetch(`${http}/api/classification/${identifier}`, { headers: KEY_HEADERS });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`a read was answered with ${response.status} ${text}`);
    times.push(performance.now() - startedAt);
  }
  return times;
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
