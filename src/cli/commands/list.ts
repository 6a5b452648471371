/** `assay list`: the account's records, newest first. */
import { type Command, Option } from 'commander';
import type { MediaKind } from '../../domain/media.ts';
import type { Classification } from '../../grpc/gen/assay/v1/classification_pb.ts';
import { ClassificationService } from '../../grpc/gen/assay/v1/classification_service_pb.ts';
import { type AssayClient, openClient } from '../client.ts';
import { kindOption, parseCount, toProtoKind } from '../media-options.ts';
import { describeRecord, formatCreated, printable, toRecordJson } from '../record-view.ts';
import { printLine, type Terminal } from '../terminal.ts';

interface ListOptions {
  json?: true;
  kind?: MediaKind;
  limit: number;
  all?: true;
}

const PAGE_SIZE = 100;

export function addListCommand(program: Command, terminal: Terminal): void {
  program
    .command('list')
    .description('list records, newest first')
    .option('--json', 'one record per line')
    .option('--all', 'all of them, not only the newest')
    .addOption(kindOption('only these'))
    .addOption(
      new Option('--limit <n>', 'how many').default(25).argParser((value) => parseCount(value, 1_000_000)),
    )
    .action((options: ListOptions) => listRecords(terminal, options));
}

async function listRecords(terminal: Terminal, options: ListOptions): Promise<void> {
  using client = await openClient(terminal);
  const countMax = options.all === true ? Number.POSITIVE_INFINITY : options.limit;
  for await (const record of readRecords(client, options.kind, countMax)) {
    printLine(terminal, options.json === true ? JSON.stringify(toRecordJson(record)) : toLine(record));
  }
}

async function* readRecords(
  client: AssayClient,
  kind: MediaKind | undefined,
  countMax: number,
): AsyncGenerator<Classification> {
  let pageToken = '';
  let left = countMax;
  do {
    const request = { pageSize: Math.min(PAGE_SIZE, left), pageToken, kind: toProtoKind(kind) };
    const page = await client.call(ClassificationService.method.listClassifications, request);
    yield* page.classifications;
    left -= page.classifications.length;
    pageToken = page.nextPageToken;
  } while (pageToken !== '' && left > 0);
}

/** One line as it comes: a table would have to hold all of them. */
export function toLine(record: Classification): string {
  const { verdict, confidence, assessment, decidedBy } = describeRecord(record);
  const cells = [
    record.identifier,
    formatCreated(record),
    verdict.padEnd(10),
    confidence.padStart(7),
    assessment.padEnd(14),
    decidedBy,
    record.name,
  ];
  return printable(cells.join('  '));
}
