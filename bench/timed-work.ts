/** Work with the time on the clock and on the processors that it took. */
import { processorSecondsOf } from './process-tree.ts';

export interface WorkTime {
  seconds: number;
  processorSeconds: number;
}

/** Times a daemon and its children while the work is done, or this process if no other is named. */
export async function timeWork(pid: number | null, work: () => Promise<void>): Promise<WorkTime> {
  const [processorBefore, startedAt] = [readProcessor(pid), performance.now()];
  await work();
  const seconds = (performance.now() - startedAt) / 1000;
  return { seconds, processorSeconds: readProcessor(pid) - processorBefore };
}

function readProcessor(pid: number | null): number {
  if (pid !== null) return processorSecondsOf(pid);
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
