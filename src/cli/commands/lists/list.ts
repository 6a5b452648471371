import type { MessageInitShape } from '@bufbuild/protobuf';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { RefusedRecord } from '../../../domain/answers/refused-record.ts';
import { LABELS, type Label } from '../../../domain/media/media.ts';
import { STATUSES, type Status } from '../../../domain/records/classification.ts';
import { OUTCOMES, type Outcome } from '../../../domain/records/outcome.ts';
import { showText } from '../../../domain/shown-text.ts';
import { fromTimestamp, parseTime, toTimestamp } from '../../../domain/time.ts';
import {
  type Classification,
  Outcome as ProtoOutcome,
  Status as ProtoStatus,
} from '../../../grpc/gen/assay/v1/classification_pb.ts';
import {
  type ClassificationFilterSchema,
  ClassificationService,
  type RefusedClassification,
} from '../../../grpc/gen/assay/v1/classification_service_pb.ts';
import { Label as ProtoLabel } from '../../../grpc/gen/assay/v1/media_pb.ts';
import { type AssayClient, openClient } from '../../daemon/client.ts';
import { deskOption } from '../../daemon/lookups.ts';
import { kindOption, toProtoKind } from '../../daemon/media-options.ts';
import { allOption, type CountOptions, limitOption, readPages } from '../../daemon/pages.ts';
import { type NarrowingOptions, readSavedFilter } from '../../daemon/saved-filter.ts';
import { printLine, printNote, type Terminal } from '../../terminal/terminal.ts';
import { describeRecord, toRecordJson } from '../../views/record-view.ts';
import { formatTimestamp } from '../../views/timestamp.ts';

const { method } = ClassificationService;

export interface FilterOptions extends NarrowingOptions {
  status?: Status;
  verdict?: Label;
  refId?: string;
  hash?: string;
  saved?: string;
}

interface ListOptions extends CountOptions, FilterOptions {
  json?: true;
}

type FilterInit = MessageInitShape<typeof ClassificationFilterSchema>;

export function addListCommand(program: Command, terminal: Terminal): void {
  const list = program
    .command('list')
    .description('list records, newest first')
    .option('--json', 'one record per line');
  addFilterOptions(list)
    .addOption(limitOption())
    .addOption(allOption())
    .action((options: ListOptions) => listRecords(terminal, options));
}

/** Options that filter a list or an export of records. */
export function addFilterOptions(command: Command): Command {
  for (const option of narrowingOptions()) command.addOption(option);
  return command
    .addOption(new Option('--status <status>', 'only these').choices(STATUSES))
    .addOption(new Option('--verdict <class>', 'the class of the formal verdict').choices(LABELS))
    .option('--ref-id <text>', 'the whole reference')
    .option('--hash <hex>', 'the SHA-256 of the file, or its beginning')
    .option('--saved <name>', 'a saved filter; options given here replace its own');
}

export function narrowingOptions(): Option[] {
  const outcome = 'the outcome: what a person says, else the assessment';
  return [
    kindOption('only these'),
    new Option('--outcome <outcome>', outcome).choices(OUTCOMES),
    new Option('--waits-for-me', 'findings of others that wait for your sign-off'),
    new Option(
      '--search <text>',
      'part of the name or reference, or the beginning of the hash or identifier',
    ),
    new Option('--text <text>', 'part of what is said, by its transcript'),
    new Option('--since <time>', 'from this day or time on (UTC)').argParser(parseMoment),
    new Option('--until <time>', 'before this day or time (UTC)').argParser(parseMoment),
    deskOption('only records of this desk; 0: only those that belong to none'),
  ];
}

/** `2026-01-31`, `2026-01-31T08:15:00Z`: microseconds. */
function parseMoment(value: string): number {
  const time = parseTime(/^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00Z` : value);
  if (time === undefined) {
    throw new InvalidArgumentError('It must be a day or a time: 2026-01-31 or 2026-01-31T08:15:00Z.');
  }
  return time;
}

async function listRecords(terminal: Terminal, options: ListOptions): Promise<void> {
  using client = await openClient(terminal);
  for await (const row of readRows(client, options)) {
    if (isRefused(row)) noteRefused(terminal, row);
    else printLine(terminal, options.json === true ? JSON.stringify(toRecordJson(row)) : toLine(row));
  }
}

export type Row = Classification | RefusedClassification;

export function isRefused(row: Row): row is RefusedClassification {
  return row.$typeName === 'assay.v1.RefusedClassification';
}

/** Printed to standard error, so that a program that reads the list is not disturbed. */
export function noteRefused(terminal: Terminal, { identifier, reason }: RefusedClassification): void {
  printNote(terminal, `warning: ${identifier} is left out: ${reason}`);
}

/** Newest first, page after page; records that cannot be shown keep their places. */
export async function* readRows(
  client: AssayClient,
  options: FilterOptions & CountOptions,
): AsyncGenerator<Row> {
  const { saved, ...given } = options;
  const narrowing = saved === undefined ? given : { ...(await readSavedFilter(client, saved)), ...given };
  const filter = toFilter(narrowing);
  yield* readPages(options, async (page) => {
    const request = { ...page, kind: toProtoKind(narrowing.kind), filter };
    const answer = await client.call(method.listClassifications, request);
    const { classifications, refused, nextPageToken } = answer;
    if (refused.length === 0) return { items: classifications, nextPageToken };
    const items = [...classifications, ...refused].sort(
      (left, right) => createdAtOf(right) - createdAtOf(left),
    );
    return { items, nextPageToken };
  });
}

export function toRefused({ identifier, createdAt, reason }: RefusedClassification): RefusedRecord {
  return { identifier, createdAt: createdAt === undefined ? null : fromTimestamp(createdAt), reason };
}

const createdAtOf = ({ createdAt }: Row): number => (createdAt === undefined ? 0 : fromTimestamp(createdAt));

function toFilter({
  status,
  outcome,
  verdict,
  refId,
  hash,
  search,
  text,
  since,
  until,
  waitsForMe,
  desk,
}: FilterOptions): FilterInit {
  return {
    ...(status === undefined ? {} : { status: STATUS_VALUES[status] }),
    ...(outcome === undefined ? {} : { outcome: OUTCOME_VALUES[outcome] }),
    ...(verdict === undefined ? {} : { verdict: LABEL_VALUES[verdict] }),
    refId: refId ?? '',
    hash: hash ?? '',
    search: search ?? '',
    text: text ?? '',
    waitsForMe: waitsForMe === true,
    ...(desk === undefined ? {} : { deskId: desk }),
    ...(since === undefined ? {} : { since: toTimestamp(since) }),
    ...(until === undefined ? {} : { until: toTimestamp(until) }),
  };
}

const STATUS_VALUES: Readonly<Record<Status, ProtoStatus>> = {
  new: ProtoStatus.NEW,
  done: ProtoStatus.DONE,
  errored: ProtoStatus.ERRORED,
};

const OUTCOME_VALUES: Readonly<Record<Outcome, ProtoOutcome>> = {
  waiting: ProtoOutcome.WAITING,
  failed: ProtoOutcome.FAILED,
  human: ProtoOutcome.HUMAN,
  artificial: ProtoOutcome.ARTIFICIAL,
  inconclusive: ProtoOutcome.INCONCLUSIVE,
  not_applicable: ProtoOutcome.NOT_APPLICABLE,
};

const LABEL_VALUES: Readonly<Record<Label, ProtoLabel>> = {
  human: ProtoLabel.HUMAN,
  artificial: ProtoLabel.ARTIFICIAL,
};

/** Printed line by line: a table would have to hold all records. */
export function toLine(record: Classification): string {
  const { answer, chance, verdict } = describeRecord(record);
  const cells = [
    record.identifier,
    formatTimestamp(record.createdAt),
    answer.padEnd(20),
    chance.padStart(5),
    verdict.padEnd(22),
    record.name,
  ];
  return showText(cells.join('  '));
}
