/** How a child ended, in words for a log and for the record of a failed attempt. */
import { constants } from 'node:os';

/** Wrappers such as bwrap report a signal as 128 + its number, as a shell does. */
const SIGNAL_EXIT_BASE = 128;

const MEANINGS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    SIGSEGV: 'it crashed',
    SIGABRT: 'it crashed or ran out of memory',
    SIGBUS: 'it crashed',
    SIGILL: 'it crashed',
    SIGFPE: 'it crashed',
    SIGKILL: 'it was killed, most likely for memory',
    SIGXFSZ: 'it wrote a file that is too large',
  }),
);

export function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  const name = signal ?? signalOfCode(code);
  if (name === undefined) return `it ended with code ${code}`;
  return `${MEANINGS.get(name) ?? 'it was ended'} (${name})`;
}

function signalOfCode(code: number | null): string | undefined {
  if (code === null || code <= SIGNAL_EXIT_BASE) return undefined;
  return Object.entries(constants.signals).find(([, number]) => number === code - SIGNAL_EXIT_BASE)?.[0];
}
