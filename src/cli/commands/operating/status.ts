import { toJson } from '@bufbuild/protobuf';
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import {
  ApplianceService,
  type GetStatusResponse,
  GetStatusResponseSchema,
  Phase,
} from '../../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { openClient } from '../../daemon/client.ts';
import { act, commandOf } from '../../rows/row.ts';
import { formatDuration } from '../../terminal/duration.ts';
import { EXIT_CODES } from '../../terminal/failure.ts';
import { printLine, type Terminal } from '../../terminal/terminal.ts';
import { formatColumns } from '../../views/columns.ts';
import { nameOf } from '../../views/enum-word.ts';
import { describePlace } from '../../views/model-view.ts';
import { formatTimestamp } from '../../views/timestamp.ts';

const BYTES_PER_MIB = 2 ** 20;

export const addStatusCommand = commandOf(
  act('status', 'show the daemon’s state; exits with 1 while it is not ready', {
    json: 'as one line of JSON',
    run: showStatus,
  }),
);

async function showStatus(terminal: Terminal, options: { json?: true }): Promise<void> {
  using client = await openClient(terminal);
  const status = await client.call(ApplianceService.method.getStatus, {});
  const json = () =>
    toJson(GetStatusResponseSchema, status, { useProtoFieldName: true, alwaysEmitImplicit: true });
  printLine(terminal, options.json === true ? JSON.stringify(json()) : describeStatus(status));
  if (status.phase !== Phase.READY) terminal.setExitCode(EXIT_CODES.someFailed);
}

function describeStatus(status: GetStatusResponse): string {
  const models = status.models.map((model) => [
    'model',
    `${model.id} ${model.version}: ${describePlace(model)}`,
  ]);
  const phase = nameOf(Phase, status.phase);
  return formatColumns([
    ['version', `${status.version} (interface ${status.apiVersion})`],
    ['phase', status.notReadyReason === '' ? phase : `${phase}: ${status.notReadyReason}`],
    ...describeLoad(status),
    ...models,
  ]);
}

/** Only administrators get it: for them the daemon adds the state of backups. */
function describeLoad(status: GetStatusResponse): [string, string][] {
  if (status.backup === undefined) return [];
  return [
    ['up', formatDuration(status.uptimeSeconds)],
    ['queue', `${status.queueDepth} waiting, ${status.running} running`],
    ['memory', `${(Number(status.rssAnonBytes) / 1e6).toFixed(0)} MB`],
    ['disk free', `${(Number(status.diskFreeBytes) / 1e9).toFixed(1)} GB`],
    ['records', `${(Number(status.recordsBytes) / 1e6).toFixed(0)} MB`],
    ['isolation', status.isolation],
    ['video', status.videoDecoder],
    ['search', describeSearch(status)],
    ['backup', describeBackup(status)],
  ];
}

function describeSearch({ search }: GetStatusResponse): string {
  if (search === undefined) return '';
  const { pictures, bytes, damaged, looked, total, isDone } = search;
  const notes = [
    `${pictures} pictures and frames by a part (${Math.ceil(Number(bytes) / BYTES_PER_MIB)} MiB)`,
    ...(damaged > 0 ? [`${damaged} DAMAGED`] : []),
    ...(isDone || total === 0 ? [] : [`${looked} of ${total} earlier analyses looked at`]),
  ];
  return notes.join('; ');
}

function describeBackup({ backup }: GetStatusResponse): string {
  if (backup === undefined || backup.folder === '') return 'none: set backup.dir';
  const at = backup.lastGoodAt === undefined ? 'none yet' : `last good ${formatTime(backup.lastGoodAt)}`;
  const notes = [
    ...(backup.tooOld ? ['TOO OLD'] : []),
    ...(backup.running ? ['one is being made'] : []),
    ...(backup.lastError === '' ? [] : [`the last try failed: ${backup.lastError}`]),
  ];
  return [at, ...notes].join('; ');
}

function formatTime(time: Timestamp): string {
  return formatTimestamp(time).slice(0, 16).replace('T', ' ');
}
