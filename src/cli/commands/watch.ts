import { showText } from '../../domain/shown-text.ts';
import type { Classification } from '../../grpc/gen/assay/v1/classification_pb.ts';
import { ClassificationService } from '../../grpc/gen/assay/v1/classification_service_pb.ts';
import { type AssayClient, openClient } from '../daemon/client.ts';
import { act, commandOf } from '../rows/row.ts';
import { printLine, type Terminal } from '../terminal/terminal.ts';
import { describeRecord, describeTentative, toRecordJson } from '../views/record-view.ts';

export const addWatchCommand = commandOf(
  act('watch', 'print each change of a record until it ends, or of all your records until Ctrl-C', {
    takes: [['identifier', '[identifier]', 'a record; without it, all of them']],
    json: 'one record per line',
    run: watch,
  }),
);

async function watch(
  terminal: Terminal,
  { identifier, json }: { identifier?: string; json?: true },
): Promise<void> {
  using client = await openClient(terminal);
  for await (const { classification } of openChanges(client, identifier, terminal.watchInterrupt())) {
    if (classification === undefined) continue;
    printLine(
      terminal,
      json === true ? JSON.stringify(toRecordJson(classification)) : toLine(classification),
    );
  }
}

function openChanges(
  client: AssayClient,
  identifier: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<{ classification?: Classification | undefined }> {
  const { watchClassification, watchClassifications } = ClassificationService.method;
  return identifier === undefined
    ? client.receive(watchClassifications, {}, signal)
    : client.receive(watchClassification, { identifier }, signal);
}

function toLine(record: Classification): string {
  const { progress } = record;
  const { answer, chance } = describeRecord(record);
  const step = progress === undefined ? '' : `${progress.step} ${progress.done}/${progress.total}`;
  const cells = [
    ...[record.identifier, step, step === '' ? answer : '', describeTentative(record), chance],
    record.name,
  ];
  return showText(cells.filter(Boolean).join('  '));
}
