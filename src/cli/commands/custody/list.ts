/** `assay custody list` and `show`: entries of the log, and of one record. */
import type { Command } from 'commander';
import { showText } from '../../../domain/shown-text.ts';
import {
  type CustodyEntry,
  CustodyEntrySchema,
  CustodyService,
} from '../../../grpc/gen/assay/v1/custody_service_pb.ts';
import { type AssayClient, openClient } from '../../daemon/client.ts';
import { allOption, type CountOptions, limitOption, readPages } from '../../daemon/pages.ts';
import { printLine, type Terminal } from '../../terminal/terminal.ts';
import { formatTimestamp } from '../../views/account-view.ts';
import { toJsonLine } from '../../views/message-json.ts';

interface ListOptions extends CountOptions {
  json?: true;
}

export function addCustodyLists(custody: Command, terminal: Terminal): void {
  custody
    .command('list')
    .description('list the entries of the whole log, newest first (administrators)')
    .option('--json', 'one entry per line')
    .addOption(allOption())
    .addOption(limitOption())
    .action((options: ListOptions) => list(terminal, '', options));
  custody
    .command('show')
    .description('show what happened to a record, newest first')
    .argument('<record>', 'its identifier')
    .option('--json', 'one entry per line')
    .addOption(allOption())
    .addOption(limitOption())
    .action((identifier: string, options: ListOptions) => list(terminal, identifier, options));
}

async function list(terminal: Terminal, identifier: string, options: ListOptions): Promise<void> {
  using client = await openClient(terminal);
  for await (const entry of readEntries(client, identifier, options)) {
    printLine(terminal, options.json === true ? toJsonLine(CustodyEntrySchema, entry) : toLine(entry));
  }
}

function readEntries(
  client: AssayClient,
  identifier: string,
  options: CountOptions,
): AsyncGenerator<CustodyEntry> {
  return readPages(options, async (page) => {
    const request = { identifier, ...page };
    const answer = await client.call(CustodyService.method.listCustodyEntries, request);
    return { items: answer.entries, nextPageToken: answer.nextPageToken };
  });
}

function toLine(entry: CustodyEntry): string {
  const { sequence, at, kind, subject, accountId, facade, remoteAddress, detailsDeletedAt, what } = entry;
  const said = { ...entry.details, ...what };
  const cells = [
    String(sequence),
    formatTimestamp(at),
    accountId === undefined ? 'appliance' : `account ${accountId}`,
    [facade, remoteAddress].filter(Boolean).join(' '),
    kind,
    subject,
    detailsDeletedAt === undefined
      ? describe(said)
      : `details deleted on ${formatTimestamp(detailsDeletedAt)}`,
  ];
  return showText(cells.filter(Boolean).join('  '));
}

/** Figures and words; what is empty says nothing. */
function describe(said: Readonly<Record<string, unknown>>): string {
  return Object.entries(said)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(' ');
}
