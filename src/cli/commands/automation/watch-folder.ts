/** `assay watch-folder`: folders of the box whose new files are judged by themselves. */
import { type Command, Option } from 'commander';
import { DONE_ACTIONS, type DoneAction } from '../../../domain/automation/watch-folder.ts';
import {
  type FolderFinding,
  DoneAction as ProtoDone,
  WatchedFileSchema,
  WatchedFileState,
  type WatchFolder,
  WatchFolderSchema,
  WatchFolderService,
  WatchState,
} from '../../../grpc/gen/assay/v1/watch_folder_service_pb.ts';
import { openClient } from '../../daemon/client.ts';
import { findUserId, rowIdParser } from '../../daemon/lookups.ts';
import { EXIT_CODES } from '../../terminal/failure.ts';
import { printLine, printNote, type Terminal } from '../../terminal/terminal.ts';
import { nameOf } from '../../views/enum-word.ts';
import { toJsonLine } from '../../views/message-json.ts';
import { printOutcome } from '../../views/outcome.ts';
import { formatTable } from '../../views/table.ts';

const { method } = WatchFolderService;
const ID = 'its id, as assay watch-folder list shows it';
const parseId = rowIdParser('folder');
const DONE_VALUES: Readonly<Record<DoneAction, ProtoDone>> = {
  leave: ProtoDone.LEAVE,
  sidecar: ProtoDone.SIDECAR,
  move: ProtoDone.MOVE,
};
/** Named by `show`; all of them are in the pages of the interfaces. */
const FAILED_SHOWN = 20;

interface Json {
  json?: true;
}

const AS_JSON = 'what was done as one line of JSON';

interface AddOptions {
  user?: string;
  done: DoneAction;
  option: string[];
  json?: true;
}

export function addWatchFolderCommand(program: Command, terminal: Terminal): void {
  const folder = program
    .command('watch-folder')
    .description('folders of the box whose new files are judged by themselves (administrators)');
  folder
    .command('add')
    .description('watch a folder; prints what systemd needs for it')
    .argument('<path>', 'absolute path on the box, in one of the setting watch.roots')
    .option('--user <user>', 'who pays and gets the records: an id or e-mail address; you where absent')
    .addOption(
      new Option('--done <action>', 'what becomes of a judged file')
        .choices(DONE_ACTIONS)
        .default('leave' satisfies DoneAction),
    )
    .option('--option <name=value>', 'a field of each submission, as with_nsfw=true; repeatable', collect, [])
    .option('--json', 'the folder as one line of JSON')
    .action((path: string, options: AddOptions) => addFolder(terminal, path, options));
  folder
    .command('list', { isDefault: true })
    .description('list them with what they do now')
    .option('--json', 'one folder per line')
    .action((options: { json?: true }) => listFolders(terminal, options));
  folder
    .command('show')
    .description('one folder, with the files that failed and why')
    .argument('<folder>', ID, parseId)
    .option('--json', 'the folder as one line of JSON, then a line for each file that failed')
    .action((id: bigint, options: Json) => showFolder(terminal, id, options));
  addChanges(folder, terminal);
}

function addChanges(folder: Command, terminal: Terminal): void {
  folder
    .command('pause')
    .description('take nothing more; what was taken is finished')
    .argument('<folder>', ID, parseId)
    .option('--json', AS_JSON)
    .action((id: bigint, options: Json) => pauseFolder(terminal, id, options));
  folder
    .command('resume')
    .description('go on')
    .argument('<folder>', ID, parseId)
    .option('--failed', 'take files that failed once more')
    .option('--json', AS_JSON)
    .action((id: bigint, options: Json & { failed?: true }) => resumeFolder(terminal, id, options));
  folder
    .command('remove')
    .description('watch it no more; files and records stay')
    .argument('<folder>', ID, parseId)
    .option('--json', AS_JSON)
    .action((id: bigint, options: Json) => removeFolder(terminal, id, options));
  folder
    .command('test')
    .description("whether the daemon's user can read, write and move in a folder; prints what systemd needs")
    .argument('<path>', 'absolute path on the box')
    .option('--json', 'what was found as one line of JSON')
    .action((path: string, options: Json) => testFolder(terminal, path, options));
}

function collect(value: string, before: string[]): string[] {
  return [...before, value];
}

async function addFolder(terminal: Terminal, path: string, options: AddOptions): Promise<void> {
  using client = await openClient(terminal);
  const userId = options.user === undefined ? 0n : await findUserId(client, options.user);
  const request = { path, userId, done: DONE_VALUES[options.done], options: options.option };
  const { folder, findings, unitLines } = await client.call(method.addWatchFolder, request);
  if (folder === undefined) return;
  if (options.json === true) printLine(terminal, toJsonLine(WatchFolderSchema, folder));
  else printLine(terminal, `watching ${folder.path} as folder ${folder.id} for ${folder.accountEmail}`);
  printCheck(terminal, findings, unitLines);
}

async function testFolder(terminal: Terminal, path: string, { json }: Json): Promise<void> {
  using client = await openClient(terminal);
  const found = await client.call(method.testWatchFolder, { path });
  const { findings, unitLines } = found;
  if (json === true) printLine(terminal, toJsonLine(method.testWatchFolder.output, found));
  else printCheck(terminal, findings, unitLines);
  if (findings.some(({ good }) => !good)) terminal.setExitCode(EXIT_CODES.someFailed);
}

function printCheck(
  terminal: Terminal,
  findings: readonly FolderFinding[],
  unitLines: readonly string[],
): void {
  for (const { name, good, found } of findings) {
    printNote(terminal, `${good ? 'good' : 'bad '}  ${name.padEnd(5)}  ${found}`);
  }
  if (unitLines.length === 0) return;
  printNote(
    terminal,
    'under systemd the daemon needs these lines (sudo systemctl edit assay), and a restart:',
  );
  for (const line of unitLines) printNote(terminal, `  ${line}`);
}

async function listFolders(terminal: Terminal, { json }: { json?: true }): Promise<void> {
  using client = await openClient(terminal);
  const { folders } = await client.call(method.listWatchFolders, {});
  if (json === true) for (const folder of folders) printLine(terminal, toJsonLine(WatchFolderSchema, folder));
  else printLine(terminal, formatTable(HEAD, folders.map(toRow)));
}

const HEAD = [
  'id',
  'folder',
  'account',
  'done files',
  'state',
  'waiting',
  'at work',
  'done',
  'failed',
  'skipped',
];

function toRow(folder: WatchFolder): string[] {
  const { id, path, accountEmail, done, waiting, submitted, finished, failed, skipped } = folder;
  const counts = [waiting, submitted, finished, failed, skipped].map(String);
  return [String(id), path, accountEmail, nameOf(ProtoDone, done), describeState(folder), ...counts];
}

function describeState({ state, reason }: WatchFolder): string {
  return reason === '' ? nameOf(WatchState, state) : `${nameOf(WatchState, state)}: ${reason}`;
}

async function showFolder(terminal: Terminal, id: bigint, { json }: Json): Promise<void> {
  using client = await openClient(terminal);
  const { folder } = await client.call(method.getWatchFolder, { id });
  if (folder === undefined) return;
  const request = { id, state: WatchedFileState.FAILED, pageSize: FAILED_SHOWN };
  const { files } = await client.call(method.listWatchedFiles, request);
  if (json === true) {
    printLine(terminal, toJsonLine(WatchFolderSchema, folder));
    for (const file of files) printLine(terminal, toJsonLine(WatchedFileSchema, file));
    return;
  }
  printLine(terminal, formatTable(HEAD, [toRow(folder)]));
  for (const option of folder.options) printLine(terminal, `option: ${option}`);
  for (const obstacle of folder.obstacles) printLine(terminal, `not gone into: ${obstacle}`);
  if (files.length === 0) return;
  const rows = files.map(({ path, reason, retryAt }) => [
    ...[path, reason],
    retryAt === undefined ? 'not by itself' : new Date(Number(retryAt.seconds) * 1000).toISOString(),
  ]);
  printLine(terminal, formatTable(['failed', 'why', 'tried again'], rows));
}

async function pauseFolder(terminal: Terminal, id: bigint, options: Json): Promise<void> {
  using client = await openClient(terminal);
  await client.call(method.pauseWatchFolder, { id });
  printOutcome(terminal, options, { id: String(id), state: 'paused' }, `paused: folder ${id}`);
}

async function resumeFolder(
  terminal: Terminal,
  id: bigint,
  options: Json & { failed?: true },
): Promise<void> {
  using client = await openClient(terminal);
  await client.call(method.resumeWatchFolder, { id, retryFailed: options.failed === true });
  printOutcome(terminal, options, { id: String(id), state: 'watching' }, `resumed: folder ${id}`);
}

async function removeFolder(terminal: Terminal, id: bigint, options: Json): Promise<void> {
  using client = await openClient(terminal);
  await client.call(method.removeWatchFolder, { id });
  const sentence = `removed: folder ${id}; its files and records stay`;
  printOutcome(terminal, options, { id: String(id), state: 'removed' }, sentence);
}
