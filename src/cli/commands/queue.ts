/** `assay queue`: what the daemon works on, for all accounts. */

import { type Command, Option } from 'commander';
import { showText } from '../../domain/shown-text.ts';
import {
  ApplianceService,
  type GetQueueResponse,
  GetQueueResponseSchema,
  type QueueEntry,
} from '../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { MediaKind } from '../../grpc/gen/assay/v1/media_pb.ts';
import { openClient } from '../daemon/client.ts';
import { parseCount } from '../daemon/media-options.ts';
import { PAGE_SIZE } from '../daemon/pages.ts';
import { printLine, type Terminal } from '../terminal/terminal.ts';
import { formatTimestamp } from '../views/account-view.ts';
import { nameOf } from '../views/enum-word.ts';
import { toJsonLine } from '../views/message-json.ts';
import { type OutcomeOptions, outcomeOption, printOutcome } from '../views/outcome.ts';
import { formatTable } from '../views/table.ts';
import { describeWait } from '../views/worker-view.ts';

const { method } = ApplianceService;

interface QueueOptions {
  json?: true;
  limit: number;
}

export function addQueueCommand(program: Command, terminal: Terminal): void {
  const queue = program
    .command('queue')
    .description('list the analyses that run, wait and have failed (administrators)')
    .option('--json', 'as one line of JSON')
    .addOption(
      new Option('--limit <n>', 'how many of each, 1 to 100')
        .default(25)
        .argParser((value) => parseCount(value, PAGE_SIZE)),
    )
    .action((options: QueueOptions) => showQueue(terminal, options));
  queue
    .command('cancel')
    .description('end an analysis that waits or runs, for every account that shares it')
    .argument('<analysis>', 'as --json names it')
    .addOption(outcomeOption())
    .action((analysisId: string, _: OutcomeOptions, command: Command) =>
      changeWork(terminal, method.cancelAnalysis, analysisId, command.optsWithGlobals()),
    );
  queue
    .command('retry')
    .description('run a failed analysis again; each owner pays as at the first time')
    .argument('<analysis>', 'as --json names it')
    .addOption(outcomeOption())
    .action((analysisId: string, _: OutcomeOptions, command: Command) =>
      changeWork(terminal, method.retryAnalysis, analysisId, command.optsWithGlobals()),
    );
}

/** Prints the records that the work is for. */
async function changeWork(
  terminal: Terminal,
  change: typeof method.cancelAnalysis | typeof method.retryAnalysis,
  analysisId: string,
  options: OutcomeOptions,
): Promise<void> {
  using client = await openClient(terminal);
  const { identifiers } =
    change === method.cancelAnalysis
      ? await client.call(method.cancelAnalysis, { analysisId })
      : await client.call(method.retryAnalysis, { analysisId });
  if (options.json === true || identifiers.length > 0)
    printOutcome(terminal, options, { analysis_id: analysisId, identifiers }, identifiers.join('\n'));
}

async function showQueue(terminal: Terminal, options: QueueOptions): Promise<void> {
  using client = await openClient(terminal);
  const queue = await client.call(method.getQueue, { pageSize: options.limit });
  printLine(terminal, options.json === true ? toJsonLine(GetQueueResponseSchema, queue) : describe(queue));
}

function describe({ running, waiting, failed, waitReason, ...all }: GetQueueResponse): string {
  const rows = [
    ...running.map((entry) => toRow('running', entry)),
    ...waiting.map((entry) => toRow('waiting', entry)),
    ...failed.map((entry) => toRow('failed', entry)),
  ];
  const counts = `${all.runningTotal} running, ${all.waitingTotal} waiting`;
  const totals = [counts, ...describeWait(waitReason)].join('\n');
  const head = ['state', 'analysis', 'kind', 'account', 'since', 'attempts', 'record', 'error'];
  return rows.length === 0 ? totals : `${totals}\n${formatTable(head, rows)}`;
}

function toRow(state: string, entry: QueueEntry): string[] {
  const [first = '', ...others] = entry.identifiers;
  return [
    state,
    entry.analysisId,
    nameOf(MediaKind, entry.kind),
    entry.accountName === ''
      ? String(entry.accountId)
      : showText(`${entry.accountName} (${entry.accountId})`),
    formatTimestamp(entry.endedAt ?? entry.startedAt ?? entry.queuedAt),
    String(entry.attempts),
    others.length === 0 ? first : `${first} and ${others.length} more`,
    entry.error,
  ];
}
