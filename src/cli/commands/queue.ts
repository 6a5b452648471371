import { type Command, Option } from 'commander';
import { showText } from '../../domain/shown-text.ts';
import {
  ApplianceService,
  type GetQueueResponse,
  GetQueueResponseSchema,
  type QueueEntry,
} from '../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { MediaKind } from '../../grpc/gen/assay/v1/media_pb.ts';
import { parseCount } from '../daemon/media-options.ts';
import { PAGE_SIZE } from '../daemon/pages.ts';
import { addRow, outcome, type Said } from '../rows/row.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { nameOf } from '../views/enum-word.ts';
import { toJsonObject } from '../views/message-json.ts';
import { formatTable } from '../views/table.ts';
import { formatTimestamp } from '../views/timestamp.ts';
import { describeWait } from '../views/worker-view.ts';

const { method } = ApplianceService;

const QUEUE = outcome(
  'queue',
  'list the analyses that run, wait and have failed (administrators)',
  method.getQueue,
  {
    json: 'as one line of JSON',
    options: [
      new Option('--limit <n>', 'how many of each, 1 to 100')
        .default(25)
        .argParser((value) => parseCount(value, PAGE_SIZE)),
    ],
    request: ({ limit }: { limit: number }) => ({ pageSize: limit }),
    outcome: (queue) => toJsonObject(GetQueueResponseSchema, queue),
    text: describe,
  },
);

/** Common to the commands that change work: each prints the records that the work is for. */
const CHANGED = {
  takes: [['analysisId', '<analysis>', 'as --json names it']],
  outcome: ({ identifiers }: { identifiers: string[] }, { analysisId }: Said) => ({
    analysis_id: analysisId,
    identifiers,
  }),
  text: ({ identifiers }: { identifiers: string[] }) => identifiers.join('\n'),
} as const;

const CHANGES = [
  outcome(
    'cancel',
    'end an analysis that waits or runs, for every account that shares it',
    method.cancelAnalysis,
    CHANGED,
  ),
  outcome(
    'retry',
    'run a failed analysis again; each owner pays as at the first time',
    method.retryAnalysis,
    CHANGED,
  ),
];

export function addQueueCommand(program: Command, terminal: Terminal): void {
  const queue = addRow(program, terminal, QUEUE);
  for (const row of CHANGES) addRow(queue, terminal, row);
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
