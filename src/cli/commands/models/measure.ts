import { type Command, InvalidArgumentError } from 'commander';
import type { MediaKind } from '../../../domain/media/media.ts';
import { counted } from '../../../domain/shown-text.ts';
import {
  ApplianceService,
  BenchModelsResponseSchema,
  type Judgement,
  type RescoreResponse,
} from '../../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { MediaKind as ProtoKind } from '../../../grpc/gen/assay/v1/media_pb.ts';
import { openClient } from '../../daemon/client.ts';
import { kindOption, toProtoKind } from '../../daemon/media-options.ts';
import { throwIfInterrupted } from '../../terminal/failure.ts';
import { PartialFile } from '../../terminal/partial-file.ts';
import { printLine, printNote, type Terminal } from '../../terminal/terminal.ts';
import { nameOf } from '../../views/enum-word.ts';
import { toJsonLine } from '../../views/message-json.ts';
import type { OutcomeOptions } from '../../views/outcome.ts';
import { formatTable } from '../../views/table.ts';

const RESCORE_MAX = 10_000;

interface RescoreOptions {
  kind?: MediaKind;
  limit: number;
  all?: true;
  json?: true;
  document?: string;
  language?: string;
}

export function addModelMeasures(models: Command, terminal: Terminal): void {
  models
    .command('bench')
    .description('measure how fast each model answers on this box, beside its other work')
    .option('--json', 'one model per line')
    .action((options: OutcomeOptions) => bench(terminal, options));
  models
    .command('rescore')
    .description(
      'run old records with the present models and print which verdicts would change; nothing is stored',
    )
    .addOption(kindOption('only records of this kind'))
    .option('--limit <n>', `records at most, newest first, 1 to ${RESCORE_MAX}`, parseLimit, 100)
    .option('--all', 'print also those that would not change')
    .option('--json', 'one record per line')
    .option('--document <file>', 'also write a signed package that says what would change and why')
    .option('--language <language>', 'of the document: en or it (en)')
    .action((options: RescoreOptions) => rescore(terminal, options));
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= RESCORE_MAX) return limit;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${RESCORE_MAX}.`);
}

async function bench(terminal: Terminal, options: OutcomeOptions): Promise<void> {
  using client = await openClient(terminal);
  const signal = terminal.watchInterrupt();
  const rows: string[][] = [];
  for await (const model of client.receive(ApplianceService.method.benchModels, {}, signal)) {
    const { id, version, provider, itemsPerSecond, singleMs, error } = model;
    if (options.json === true) {
      printLine(terminal, toJsonLine(BenchModelsResponseSchema, model));
      continue;
    }
    const speed = error === '' ? [itemsPerSecond.toFixed(1), singleMs.toFixed(1)] : [error, ''];
    rows.push([`${id} ${version}`, provider, ...speed]);
  }
  if (options.json !== true)
    printLine(terminal, formatTable(['model', 'runs on', 'items a second', 'ms for one'], rows));
  throwIfInterrupted(signal);
}

async function rescore(terminal: Terminal, options: RescoreOptions): Promise<void> {
  using client = await openClient(terminal);
  const signal = terminal.watchInterrupt();
  const { kind, limit, all, json, document: path } = options;
  const withDocument = path !== undefined;
  const documentLanguage = options.language ?? '';
  const request = { kind: toProtoKind(kind), limit, withDocument, documentLanguage };
  await using document = path === undefined ? null : await PartialFile.create(path);
  const rows: string[][] = [];
  const counts = { records: 0, changes: 0, failed: 0 };
  for await (const record of client.receive(ApplianceService.method.rescore, request, signal)) {
    if (record.document.length > 0) {
      await document?.write(record.document);
      continue;
    }
    counts.records += 1;
    if (record.changes) counts.changes += 1;
    if (record.error !== '') counts.failed += 1;
    if (all !== true && !record.changes && record.error === '') continue;
    if (json === true) printLine(terminal, JSON.stringify(toJson(record)));
    else rows.push(toRow(record));
  }
  const head = ['record', 'name', 'kind', 'was', 'would be'];
  if (rows.length > 0) printLine(terminal, formatTable(head, rows));
  const { records, changes, failed } = counts;
  printNote(
    terminal,
    `${counted(records, 'record')}, ${changes} would change, ${failed} could not be analysed again`,
  );
  throwIfInterrupted(signal);
  await document?.keep();
}

function toRow({ identifier, name, kind, before, after, error }: RescoreResponse): string[] {
  const would = after === undefined ? error : describe(after);
  return [identifier.slice(0, 12), name, nameOf(ProtoKind, kind), describe(before), would];
}

function describe(judgement: Judgement | undefined): string {
  if (judgement === undefined) return '';
  const { classification, probability, state } = judgement;
  const sure = probability === undefined ? '' : `, p ${probability.toFixed(2)}`;
  return `${classification}${sure}, ${state.replaceAll('_', ' ')}`;
}

function toJson({ identifier, name, kind, changes, error, before, after }: RescoreResponse) {
  const plain = (judgement: Judgement | undefined) =>
    judgement === undefined ? null : { ...pick(judgement), probability: judgement.probability ?? null };
  return {
    identifier,
    name,
    kind: nameOf(ProtoKind, kind),
    changes,
    error,
    before: plain(before),
    after: plain(after),
  };
}

function pick({ classification, state }: Judgement): Pick<Judgement, 'classification' | 'state'> {
  return { classification, state };
}
