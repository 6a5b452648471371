import { Argument, type Command } from 'commander';
import { ADDABLE_ANALYSES, type AddableAnalysis } from '../../domain/records/plan-option.ts';
import type { Classification } from '../../grpc/gen/assay/v1/classification_pb.ts';
import { ClassificationService } from '../../grpc/gen/assay/v1/classification_service_pb.ts';
import { openClient } from '../daemon/client.ts';
import { CliFailure, EXIT_CODES } from '../terminal/failure.ts';
import { printLine, type Terminal } from '../terminal/terminal.ts';
import { toRecordJson } from '../views/record-view.ts';

interface AddOptions {
  wait: boolean;
  json?: true;
}

export function addAddCommand(program: Command, terminal: Terminal): void {
  program
    .command('add')
    .description('add analyses to a record: a heatmap, a map of edits, a transcript')
    .argument('<record>', 'identifier of a record that is done')
    .addArgument(new Argument('<analyses...>', 'what to make').choices(ADDABLE_ANALYSES))
    .option('--no-wait', 'do not wait until it is there')
    .option('--json', 'the record as one line of JSON')
    .action((identifier: string, analyses: AddableAnalysis[], options: AddOptions) =>
      addAnalyses(terminal, identifier, analyses, options),
    );
}

async function addAnalyses(
  terminal: Terminal,
  identifier: string,
  analyses: AddableAnalysis[],
  { wait, json }: AddOptions,
): Promise<void> {
  using client = await openClient(terminal);
  const { addAnalyses: add, watchClassification } = ClassificationService.method;
  let { classification: record } = await client.call(add, { identifier, analyses });
  if (wait && record?.added?.progress !== undefined) {
    const answers = client.receive(watchClassification, { identifier: record.identifier });
    for await (const { classification } of answers) record = classification;
  }
  if (record === undefined) throw new CliFailure('no such record', EXIT_CODES.someFailed);
  printLine(terminal, json === true ? JSON.stringify(toRecordJson(record)) : describe(record, analyses));
  if (record.added !== undefined && record.added.error !== '') terminal.setExitCode(EXIT_CODES.someFailed);
}

function describe({ identifier, added }: Classification, analyses: readonly string[]): string {
  if (added === undefined) return `${identifier}: ${analyses.join(', ')} is there`;
  const asked = added.analyses.join(', ');
  return added.error === ''
    ? `${identifier}: ${asked} is being made`
    : `${identifier}: ${asked} could not be made: ${added.error}`;
}
