/** The time of each test file, loaded into its process by test/run.ts: one line of JSON a file (`npm run test:times`). */
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync, readFileSync } from 'node:fs';
import { DAEMON_STARTED, FILE_BEGAN, sourceOfTest } from './run-files.ts';

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

function processorSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  // The name in parentheses may hold spaces; utime, stime, cutime and cstime are fields 14 to 17.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
}

/** Writes what has passed since the last call. */
function timeFiles(path: string): (file: string) => void {
  const since = { seconds: 0, processorSeconds: 0 };
  const daemons = { starts: 0, seconds: 0 };
  subscribe(DAEMON_STARTED, (seconds) => {
    daemons.starts += 1;
    daemons.seconds += seconds as number;
  });
  return (file) => {
    const now = { seconds: performance.now() / 1000, processorSeconds: processorSeconds() };
    const line: FileTimes = {
      file,
      seconds: now.seconds - since.seconds,
      processorSeconds: now.processorSeconds - since.processorSeconds,
      daemonStarts: daemons.starts,
      daemonStartSeconds: daemons.seconds,
    };
    Object.assign(since, now);
    Object.assign(daemons, { starts: 0, seconds: 0 });
    appendFileSync(path, `${JSON.stringify(line)}\n`);
  };
}

const { ASSAY_TEST_TIMES: path } = process.env;
const [, entry = ''] = process.argv;
if (path !== undefined && /\.test\.[jt]s$/.test(entry)) {
  const write = timeFiles(path);
  let file: string | null = null;
  subscribe(FILE_BEGAN, (next) => {
    // A file is over when the next one begins: its last hook may still end daemons.
    if (file !== null) write(file);
    file = next as string;
  });
  process.on('exit', () => write(file ?? sourceOfTest(entry)));
}
