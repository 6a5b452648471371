import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import {
  ApplianceService,
  type ListProcessesResponse,
  ListProcessesResponseSchema,
  type Process,
  ProcessRole,
  type RunningAnalysis,
  type StoreUse,
} from '../../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { MediaKind } from '../../../grpc/gen/assay/v1/media_pb.ts';
import { openClient } from '../../daemon/client.ts';
import { act, commandOf } from '../../rows/row.ts';
import { formatDuration } from '../../terminal/duration.ts';
import { printLine, type Terminal } from '../../terminal/terminal.ts';
import { nameOf } from '../../views/enum-word.ts';
import { toJsonLine } from '../../views/message-json.ts';
import { formatTable } from '../../views/table.ts';
import { describeWait, describeWorkers } from '../../views/worker-view.ts';

export const addPsCommand = commandOf(
  act('ps', 'show the daemon’s processes, models and what runs now (administrators)', {
    json: 'as one line of JSON',
    run: showProcesses,
  }),
);

async function showProcesses(terminal: Terminal, options: { json?: true }): Promise<void> {
  using client = await openClient(terminal);
  const found = await client.call(ApplianceService.method.listProcesses, {});
  printLine(
    terminal,
    options.json === true ? toJsonLine(ListProcessesResponseSchema, found) : describe(found),
  );
}

function describe({ processes, models, running, workers, ...totals }: ListProcessesResponse): string {
  const oldest = totals.oldestQueuedAt;
  const waiting = `${totals.waitingTotal} waiting${oldest === undefined ? '' : `, the oldest for ${since(oldest)}`}`;
  return [
    formatTable(['process', 'pid', 'memory', 'cpu', 'up'], processes.map(toProcessRow)),
    formatTable(
      ['model', 'version', 'device', 'fault'],
      models.map(({ id, version, provider, fault }) => [id, version, provider || 'not loaded', fault]),
    ),
    ...(workers.length === 0 ? [] : [describeWorkers(workers)]),
    ...(totals.store === undefined ? [] : [describeStore(totals.store)]),
    `${totals.runningTotal} running, ${waiting}`,
    ...describeWait(totals.waitReason),
    ...(running.length === 0
      ? []
      : [formatTable(['record', 'kind', 'account', 'step', 'for', 'attempt'], running.map(toRunningRow))]),
  ].join('\n');
}

function describeStore({ bytes, freeBytes, ...oldest }: StoreUse): string {
  const share = (100 * Number(freeBytes)) / Number(bytes);
  const size = `records ${(Number(bytes) / 1e6).toFixed(0)} MB, ${share.toFixed(0)} % free`;
  if (oldest.oldestReaderTransactions === 0n) return `${size}; no old reader`;
  const behind = `${oldest.oldestReaderTransactions} transactions behind`;
  return `${size}; the oldest reader is ${behind}, for ${formatDuration(oldest.oldestReaderSeconds)}`;
}

function toProcessRow({ role, pid, rssAnonBytes, cpuSeconds, ageSeconds }: Process): string[] {
  const share = ageSeconds === 0 ? 0 : (100 * cpuSeconds) / ageSeconds;
  return [
    nameOf(ProcessRole, role),
    String(pid),
    `${(Number(rssAnonBytes) / 1e6).toFixed(0)} MB`,
    `${cpuSeconds.toFixed(0)} s (${share.toFixed(0)} %)`,
    formatDuration(ageSeconds),
  ];
}

function toRunningRow(work: RunningAnalysis): string[] {
  const { identifier, records, kind, accountId, step, stepDone, stepTotal, startedAt, attempts } = work;
  return [
    records > 1 ? `${identifier} and ${records - 1} more` : identifier,
    nameOf(MediaKind, kind),
    String(accountId),
    stepTotal === 0 ? step : `${step} ${stepDone}/${stepTotal}`,
    startedAt === undefined ? '' : since(startedAt),
    String(attempts),
  ];
}

function since(time: Timestamp): string {
  return formatDuration(Math.max(0, (Date.now() - timestampDate(time).getTime()) / 1000));
}
