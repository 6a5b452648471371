/** Where the time of analyses goes, as rows: the steps that their records name. */
import type { StepTime } from '../src/grpc/gen/assay/v1/classification_pb.ts';
import { medianOf, type Row } from './row.ts';

/** One row a step, of each run the median over its files; a step that a file did not need counts as none. */
export function toStepRows(what: string, runs: readonly (readonly StepTime[])[][]): Row[] {
  const steps = new Set(runs.flat(2).map(({ step }) => step));
  return Array.from(steps, (step) => ({
    ...{ name: `${what}: ${step}`, unit: 'ms', better: 'lower' },
    runs: runs.map((files) => medianOf(files.map((times) => millisecondsOf(times, step)))),
  }));
}

function millisecondsOf(times: readonly StepTime[], wanted: string): number {
  return 1000 * (times.find(({ step }) => step === wanted)?.seconds ?? 0);
}
