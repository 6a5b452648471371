/** Prints the outcome of a command that does one thing: a sentence, or with --json one line for a program. */
import { Option } from 'commander';
import { printLine, type Terminal } from '../terminal/terminal.ts';

export interface OutcomeOptions {
  json?: true;
}

export const outcomeOption = (): Option => new Option('--json', 'the outcome as one line of JSON');

/** Field names as in every other --json: words with underscores. */
export function printOutcome(
  terminal: Terminal,
  { json }: OutcomeOptions,
  outcome: Readonly<Record<string, unknown>>,
  text: string,
): void {
  printLine(terminal, json === true ? JSON.stringify(outcome, plainNumber) : text);
}

/** JSON has one kind of number; identifiers and credits lie far below where it loses precision. */
function plainNumber(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}
