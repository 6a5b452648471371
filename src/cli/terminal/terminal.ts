/** Input and output of a command, passed in by the entry, so that commands run in tests without a process. */
import type { Readable, Writable } from 'node:stream';

export interface Terminal {
  env: Readonly<Record<string, string | undefined>>;
  stdin: Readable;
  stdout: Writable;
  stderr: Writable & { isTTY?: boolean };
  /** From this call on, Ctrl-C aborts the signal instead of ending the process. */
  watchInterrupt: () => AbortSignal;
  /** The worst outcome so far wins; see EXIT_CODES. */
  setExitCode: (code: number) => void;
}

export function printLine(terminal: Terminal, line: string): void {
  terminal.stdout.write(`${line}\n`);
}

/** Prints hints, counts and faults of single files to standard error. */
export function printNote(terminal: Terminal, line: string): void {
  terminal.stderr.write(`${line}\n`);
}
