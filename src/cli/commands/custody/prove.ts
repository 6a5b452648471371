/** `assay custody prove`: a record's entries with the proofs that they are in the signed log. */
import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { codeOf } from '../../../domain/error-code.ts';
import { CustodyService, ProveCustodyResponseSchema } from '../../../grpc/gen/assay/v1/custody_service_pb.ts';
import { openClient } from '../../daemon/client.ts';
import { CliFailure, EXIT_CODES } from '../../terminal/failure.ts';
import { printLine, type Terminal } from '../../terminal/terminal.ts';
import { toJsonLine } from '../../views/message-json.ts';

interface ProveOptions {
  since?: string;
  output?: string;
}

export function addCustodyProofs(custody: Command, terminal: Terminal): void {
  custody
    .command('prove')
    .description('print a record’s entries as JSON, with proofs under a checkpoint that is signed now')
    .argument('<record>', 'its identifier')
    .option('--since <size>', 'also prove that the log goes on from an earlier checkpoint of that size')
    .option('-o, --output <file>', 'write it to a file')
    .action((identifier: string, options: ProveOptions) => prove(terminal, identifier, options));
}

async function prove(
  terminal: Terminal,
  identifier: string,
  { since = '0', output }: ProveOptions,
): Promise<void> {
  if (!/^\d{1,15}$/.test(since))
    throw new CliFailure(`expected the size of a checkpoint, found ${since}`, EXIT_CODES.usage);
  using client = await openClient(terminal);
  const request = { identifier, sinceSize: BigInt(since) };
  const proof = await client.call(CustodyService.method.proveCustody, request);
  const text = toJsonLine(ProveCustodyResponseSchema, proof);
  if (output === undefined) printLine(terminal, text);
  else
    await writeFile(output, `${text}\n`).catch((error: unknown) => {
      throw new CliFailure(`${output} cannot be written (${codeOf(error)})`, EXIT_CODES.someFailed);
    });
}
