/** `assay queue`: what the daemon works on, for all accounts. */
import { type Command, Option } from 'commander';
import {
  ApplianceService,
  type GetQueueResponse,
  GetQueueResponseSchema,
  type QueueEntry,
} from '../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { MediaKind } from '../../grpc/gen/assay/v1/media_pb.ts';
import { formatTimestamp } from '../account-view.ts';
import { openClient } from '../client.ts';
import { parseCount } from '../media-options.ts';
import { toJsonLine } from '../message-json.ts';
import { PAGE_SIZE } from '../pages.ts';
import { formatTable, nameOf } from '../record-view.ts';
import { printLine, type Terminal } from '../terminal.ts';

interface QueueOptions {
  json?: true;
  limit: number;
}

export function addQueueCommand(program: Command, terminal: Terminal): void {
  program
    .command('queue')
    .description('list the analyses that run, wait and have failed (administrators)')
    .option('--json', 'as one line of JSON')
    .addOption(
      new Option('--limit <n>', 'how many of each, 1 to 100')
        .default(25)
        .argParser((value) => parseCount(value, PAGE_SIZE)),
    )
    .action((options: QueueOptions) => showQueue(terminal, options));
}

async function showQueue(terminal: Terminal, options: QueueOptions): Promise<void> {
  using client = await openClient(terminal);
  const queue = await client.call(ApplianceService.method.getQueue, { pageSize: options.limit });
  printLine(terminal, options.json === true ? toJsonLine(GetQueueResponseSchema, queue) : describe(queue));
}

function describe({ running, waiting, failed, runningTotal, waitingTotal }: GetQueueResponse): string {
  const rows = [
    ...running.map((entry) => toRow('running', entry)),
    ...waiting.map((entry) => toRow('waiting', entry)),
    ...failed.map((entry) => toRow('failed', entry)),
  ];
  const totals = `${runningTotal} running, ${waitingTotal} waiting`;
  const head = ['state', 'kind', 'account', 'since', 'attempts', 'record', 'error'];
  return rows.length === 0 ? totals : `${totals}\n${formatTable(head, rows)}`;
}

function toRow(state: string, entry: QueueEntry): string[] {
  const [first = '', ...others] = entry.identifiers;
  return [
    state,
    nameOf(MediaKind, entry.kind),
    String(entry.accountId),
    formatTimestamp(entry.endedAt ?? entry.startedAt ?? entry.queuedAt),
    String(entry.attempts),
    others.length === 0 ? first : `${first} and ${others.length} more`,
    entry.error,
  ];
}
