import { Argument, type Command } from 'commander';
import { LABELS, type Label, type MediaKind } from '../../domain/media/media.ts';
import {
  ClassificationService,
  OverrideEntrySchema,
} from '../../grpc/gen/assay/v1/classification_service_pb.ts';
import { type MediaKind as ProtoKind, Label as ProtoLabel } from '../../grpc/gen/assay/v1/media_pb.ts';
import { type AssayClient, openClient } from '../daemon/client.ts';
import { kindOption, toProtoKind } from '../daemon/media-options.ts';
import { CliFailure, EXIT_CODES } from '../terminal/failure.ts';
import { printLine, type Terminal } from '../terminal/terminal.ts';
import { nameOf } from '../views/enum-word.ts';
import { toJsonLine } from '../views/message-json.ts';
import { formatTable } from '../views/table.ts';
import { formatTimestamp } from '../views/timestamp.ts';

interface OverrideOptions {
  kind?: MediaKind;
  reason?: string;
  remove?: true;
  history?: true;
  json?: true;
}

const LABEL_VALUES = { human: ProtoLabel.HUMAN, artificial: ProtoLabel.ARTIFICIAL } as const;

export function addOverrideCommand(program: Command, terminal: Terminal): void {
  program
    .command('override')
    .description('state what a file is; all your records of it then show it')
    .argument('<record>', 'identifier of a record, or with --kind the SHA-256 of a file')
    .addArgument(new Argument('[label]', 'the correct value').choices(LABELS))
    .addOption(kindOption('the argument is the hash of a file of this kind'))
    .option('--reason <text>', 'why, for the audit log')
    .option('--remove', 'take the finding back')
    .option('--history', 'list what was stated so far, and what was measured then')
    .option('--json', 'the answer as one line of JSON')
    .action((record: string, label: Label | undefined, options: OverrideOptions) =>
      override(terminal, record, label, options),
    );
}

async function override(
  terminal: Terminal,
  record: string,
  label: Label | undefined,
  options: OverrideOptions,
): Promise<void> {
  if ([label, options.remove, options.history].filter(Boolean).length !== 1) {
    const message = `give either ${LABELS.join(' or ')}, or --remove, or --history`;
    throw new CliFailure(message, EXIT_CODES.usage);
  }
  using client = await openClient(terminal);
  const file = await findFile(client, record, options.kind);
  if (options.history === true) return await listHistory(terminal, client, file, options);
  const { overrideClassification, removeOverride } = ClassificationService.method;
  const reason = options.reason ?? '';
  const answer =
    label === undefined
      ? await client.call(removeOverride, file)
      : await client.call(overrideClassification, { ...file, classification: LABEL_VALUES[label], reason });
  const classification = nameOf(ProtoLabel, answer.classification);
  const line = `${answer.hash}: ${label === undefined ? `no longer stated as ${classification}` : classification}`;
  printLine(terminal, options.json === true ? JSON.stringify({ classification, hash: answer.hash }) : line);
}

async function listHistory(
  terminal: Terminal,
  client: AssayClient,
  file: { kind: ProtoKind; hash: string },
  options: OverrideOptions,
): Promise<void> {
  const { overrides } = await client.call(ClassificationService.method.listOverrides, file);
  if (options.json === true) {
    for (const entry of overrides) printLine(terminal, toJsonLine(OverrideEntrySchema, entry));
    return;
  }
  const rows = overrides.map((entry) => [
    formatTimestamp(entry.at),
    nameOf(ProtoLabel, entry.classification),
    nameOf(ProtoLabel, entry.measured),
    String(entry.byAccountId),
    entry.reason,
  ]);
  printLine(terminal, formatTable(['at', 'stated', 'measured', 'account', 'reason'], rows));
}

async function findFile(
  client: AssayClient,
  record: string,
  kind: MediaKind | undefined,
): Promise<{ kind: ProtoKind; hash: string }> {
  if (kind !== undefined) return { kind: toProtoKind(kind), hash: record };
  const request = { identifier: record };
  const { classification } = await client.call(ClassificationService.method.getClassification, request);
  if (classification === undefined) throw new CliFailure('no such record', EXIT_CODES.someFailed);
  return { kind: classification.kind, hash: classification.hash };
}
