/** `assay custody`: what happened to records, and whether the log of it is whole. */
import type { Command } from 'commander';
import { CustodyService } from '../../../grpc/gen/assay/v1/custody_service_pb.ts';
import { openClient } from '../../daemon/client.ts';
import { addRow } from '../../rows/row.ts';
import { CliFailure, EXIT_CODES } from '../../terminal/failure.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { printOutcome } from '../../views/outcome.ts';
import { CUSTODY_LISTS } from './list.ts';
import { addCustodyProofs } from './prove.ts';
import { addCustodyVerify } from './verify.ts';

export function addCustodyCommand(program: Command, terminal: Terminal): void {
  const custody = program.command('custody').description('what happened to records, when and by whom');
  addCustodyVerify(custody, terminal);
  for (const row of CUSTODY_LISTS) addRow(custody, terminal, row);
  addCustodyProofs(custody, terminal);
  custody
    .command('redact')
    .description('delete the details of entries; that they were there stays (administrators)')
    .argument('<sequence...>', 'numbers of entries, as list shows them')
    .option('--reason <text>', 'why, without anything of what is deleted', '')
    .option('--json', 'the numbers of the entries whose details went, as one line of JSON')
    .action((sequences: string[], options: RedactOptions) => redact(terminal, sequences, options));
}

interface RedactOptions {
  reason: string;
  json?: true;
}

async function redact(terminal: Terminal, given: readonly string[], options: RedactOptions): Promise<void> {
  const { reason } = options;
  const sequences = given.map((text) => {
    if (/^\d{1,15}$/.test(text)) return BigInt(text);
    throw new CliFailure(`expected the number of an entry, found ${text}`, EXIT_CODES.usage);
  });
  using client = await openClient(terminal);
  const answer = await client.call(CustodyService.method.redactCustody, { sequences, reason });
  const count = answer.sequences.length;
  const done = { sequences: answer.sequences.map(String) };
  printOutcome(terminal, options, done, `the details of ${count} of ${sequences.length} entries are deleted`);
  if (count < sequences.length)
    throw new CliFailure(
      'the others are not there, have none any more, or are needed to verify others',
      EXIT_CODES.someFailed,
    );
}
