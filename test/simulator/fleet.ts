/** Histories in several processes at once, each with seeds of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { HistorySums } from './main.ts';

const MAIN = join(import.meta.dirname, 'main.ts');

export interface FleetRun {
  /** First seed; the others follow. */
  from: number;
  count: number;
  processes: number;
  /** Main file of a changed copy of the program; the program's own if absent. */
  main?: string;
}

export interface FleetReport {
  sums: Omit<HistorySums, 'traceHash'>;
  /** Trace of the last history of each process that met none. */
  traces: string[];
  /** What each process that met a fault printed: seed, step, invariant, trace. */
  faults: string[];
}

export async function runFleet({ from, count, processes, main = MAIN }: FleetRun): Promise<FleetReport> {
  const share = Math.ceil(count / processes);
  const starts = Array.from({ length: Math.ceil(count / share) }, (_, index) => from + index * share);
  const outputs = await Promise.all(
    starts.map((start) => runOne(main, start, Math.min(share, from + count - start))),
  );
  const traces: string[] = [];
  const sums = { histories: 0, lives: 0, steps: 0, accepted: 0, brought: 0, seconds: 0 };
  for (const output of outputs.filter(({ code }) => code === 0)) {
    const found = JSON.parse(output.text.trimEnd().split('\n').at(-1) ?? '') as HistorySums;
    for (const name of ['histories', 'lives', 'steps', 'accepted', 'brought'] as const)
      sums[name] += found[name];
    sums.seconds = Math.max(sums.seconds, found.seconds);
    traces.push(found.traceHash);
  }
  return { sums, traces, faults: outputs.filter(({ code }) => code !== 0).map((output) => output.text) };
}

async function runOne(main: string, from: number, count: number): Promise<{ code: number; text: string }> {
  const args = [main, '--from', String(from), '--count', String(count)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said, [code]] = await Promise.all([
    text(child.stdout),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { code: code ?? 1, text: said };
}
