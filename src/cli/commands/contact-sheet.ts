import { Option } from 'commander';
import { ClassificationService } from '../../grpc/gen/assay/v1/classification_service_pb.ts';
import { openClient } from '../daemon/client.ts';
import { act, commandOf } from '../rows/row.ts';
import { savePieces } from '../terminal/partial-file.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { printOutcome } from '../views/outcome.ts';
import { describeMoment, momentOf } from '../views/record-view.ts';

interface SheetOptions {
  identifier: string;
  output?: string;
  json?: true;
}

export const addContactSheetCommand = commandOf(
  act('contact-sheet', 'draw the analysed frames of a video, with times and scores, as one picture', {
    takes: [['identifier', '<id>', 'identifier of a video']],
    json: 'where it lies and the most suspicious moment as one line of JSON',
    options: [new Option('-o, --output <file>', 'the PNG, a new file (assay-<id>-sheet.png)')],
    run: saveSheet,
  }),
);

async function saveSheet(terminal: Terminal, options: SheetOptions): Promise<void> {
  const { identifier } = options;
  const signal = terminal.watchInterrupt();
  using client = await openClient(terminal);
  const { classification } = await client.call(ClassificationService.method.getClassification, {
    identifier,
  });
  const path = options.output ?? `assay-${identifier.slice(0, 12)}-sheet.png`;
  const pieces = client.receive(ClassificationService.method.getContactSheet, { identifier }, signal);
  await savePieces(pieces, path, signal);
  const moment = classification && momentOf(classification);
  const suspicious = moment ? { seconds: moment.seconds, probability: moment.probability } : null;
  const said = moment ? `${path}  most suspicious: ${describeMoment(moment)}` : path;
  printOutcome(terminal, options, { path, most_suspicious: suspicious }, said);
}
