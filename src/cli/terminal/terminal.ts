/** What a command reads and writes; handed in by the entry, so that commands run in tests without a process. */
import type { Readable, Writable } from 'node:stream';

export interface Terminal {
  env: Readonly<Record<string, string | undefined>>;
  stdin: Readable;
  stdout: Writable;
  stderr: Writable & { isTTY?: boolean };
  /** From this call on, Ctrl-C aborts the signal instead of ending the process. */
  watchInterrupt: () => AbortSignal;
  /** The worst outcome so far decides; see EXIT_CODES. */
  setExitCode: (code: number) => void;
}

export function printLine(terminal: Terminal, line: string): void {
  terminal.stdout.write(`${line}\n`);
}

/** For what is no result: hints, counts, faults of single files. */
export function printNote(terminal: Terminal, line: string): void {
  terminal.stderr.write(`${line}\n`);
}
