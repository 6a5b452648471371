/**
 * Where the time of each test file goes, loaded into its process by test/run.ts: one line of JSON a file. `npm run
 * test:times` shows the twenty slowest.
 */
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync, readFileSync } from 'node:fs';
import { DAEMON_STARTED, sourceOfTest } from './run-files.ts';

export interface FileTimes {
  file: string;
  seconds: number;
  /** Processor time of its own process and of its children that have ended, in seconds. */
  processorSeconds: number;
  daemonStarts: number;
  /** From spawn to ready. */
  daemonStartSeconds: number;
}

/** proc_pid_stat(5): USER_HZ is 100 on every Linux that Node.js runs on. */
const TICKS_PER_SECOND = 100;
const daemons = { starts: 0, seconds: 0 };

function processorSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  // The name in parentheses may hold spaces; utime, stime, cutime and cstime are fields 14 to 17.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
}

const { ASSAY_TEST_TIMES: times } = process.env;
const [, file = ''] = process.argv;
if (times !== undefined && /\.test\.[jt]s$/.test(file)) {
  subscribe(DAEMON_STARTED, (seconds) => {
    daemons.starts += 1;
    daemons.seconds += seconds as number;
  });
  process.on('exit', () => {
    const line: FileTimes = {
      file: sourceOfTest(file),
      seconds: performance.now() / 1000,
      processorSeconds: processorSeconds(),
      daemonStarts: daemons.starts,
      daemonStartSeconds: daemons.seconds,
    };
    appendFileSync(times, `${JSON.stringify(line)}\n`);
  });
}
