/** The rows that pictures, videos and recordings have alike: files a second, and processor time of one. */
import type { ClassifiedMedia } from './grpc-media.ts';
import type { Row } from './row.ts';
import { toStepRows } from './step-rows.ts';
import type { WorkTime } from './timed-work.ts';

export interface EndToEndRun {
  ours: ClassifiedMedia;
  bare: WorkTime;
}

/** `what` names one file, `many` names all. */
export function toEndToEndRows(
  runs: readonly EndToEndRun[],
  { what, many, count }: { what: string; many: string; count: number },
): Row[] {
  const steps = runs.map(({ ours }) => ours.stepTimes);
  return [
    {
      ...{ name: `${many} end to end (gRPC)`, unit: '1/s', better: 'higher' },
      runs: runs.map(({ ours }) => ours.filesPerSecond),
      bareRuns: runs.map(({ bare }) => count / bare.seconds),
    },
    {
      ...{ name: `${what}: processor time, daemon and children`, unit: 's', better: 'lower' },
      runs: runs.map(({ ours }) => ours.processorSeconds / count),
      bareRuns: runs.map(({ bare }) => bare.processorSeconds / count),
    },
    ...toStepRows(what, steps),
  ];
}
