import { Option } from 'commander';
import { DONE_ACTIONS, type DoneAction } from '../../../domain/automation/watch-folder.ts';
import {
  DoneActionSchema,
  type FolderFinding,
  type DoneAction as ProtoDone,
  WatchedFileSchema,
  WatchedFileState,
  type WatchFolder,
  WatchFolderSchema,
  WatchFolderService,
  WatchState,
} from '../../../grpc/gen/assay/v1/watch_folder_service_pb.ts';
import { toEnumValue } from '../../../grpc/messages.ts';
import { openClient } from '../../daemon/client.ts';
import { findUserId, rowIdParser } from '../../daemon/lookups.ts';
import { type Argument, act, commandsOf, listing, outcome, type Said } from '../../rows/row.ts';
import { EXIT_CODES } from '../../terminal/failure.ts';
import { printLine, printNote, type Terminal } from '../../terminal/terminal.ts';
import { type Columns, headOf, toCells } from '../../views/cells.ts';
import { nameOf } from '../../views/enum-word.ts';
import { toJsonLine } from '../../views/message-json.ts';
import { formatTable } from '../../views/table.ts';

const { method } = WatchFolderService;
/** `show` names this many; the pages of the interfaces have all of them. */
const FAILED_SHOWN = 20;
const ID: readonly Argument[] = [
  ['id', '<folder>', 'its id, as assay watch-folder list shows it', rowIdParser('folder')],
];

interface Chosen {
  id: bigint;
  json?: true;
}

interface AddOptions {
  path: string;
  user?: string;
  done: DoneAction;
  option: string[];
  json?: true;
}

const COLUMNS: Columns<WatchFolder> = {
  id: 'id',
  folder: 'path',
  account: 'accountEmail',
  'done files': 'done',
  state: ({ state, reason }) => [nameOf(WatchState, state), reason].filter(Boolean).join(': '),
  waiting: 'waiting',
  'at work': 'submitted',
  done: 'finished',
  failed: 'failed',
  skipped: 'skipped',
};

const changed = (state: string, text: (id: unknown) => string) => ({
  takes: ID,
  json: 'what was done as one line of JSON',
  outcome: (_: unknown, { id }: Said) => ({ id: String(id), state }),
  text: (_: unknown, { id }: Said) => text(id),
});

export const addWatchFolderCommand = commandsOf(
  'watch-folder',
  'folders of the box whose new files are analysed automatically (administrators)',
  [
    act('add', 'watch a folder; prints what systemd needs for it', {
      takes: [['path', '<path>', 'absolute path on the box, in one of the setting watch.roots']],
      json: 'the folder as one line of JSON',
      options: [
        new Option('--user <user>', 'who pays and gets the records: an id or e-mail address; by default you'),
        new Option('--done <action>', 'what becomes of a judged file')
          .choices(DONE_ACTIONS)
          .default('leave' satisfies DoneAction),
        new Option('--option <name=value>', 'a field of each submission, as with_nsfw=true; repeatable')
          .default([])
          .argParser((value, before: string[]) => [...before, value]),
      ],
      run: addFolder,
    }),
    listing('list', 'list them with what they do now', method.listWatchFolders, 'folders', {
      isDefault: true,
      json: 'one folder per line',
      columns: COLUMNS,
    }),
    act('show', 'one folder, with the files that failed and why', {
      takes: ID,
      json: 'the folder as one line of JSON, then a line for each file that failed',
      run: showFolder,
    }),
    outcome(
      'pause',
      'take no new files; those taken are finished',
      method.pauseWatchFolder,
      changed('paused', (id) => `paused: folder ${id}`),
    ),
    outcome('resume', 'take new files again', method.resumeWatchFolder, {
      ...changed('watching', (id) => `resumed: folder ${id}`),
      options: [new Option('--failed', 'take files that failed once more')],
      request: ({ id, failed = false }: { id: bigint; failed?: boolean }) => ({ id, retryFailed: failed }),
    }),
    outcome(
      'remove',
      'stop watching it; files and records stay',
      method.removeWatchFolder,
      changed('removed', (id) => `removed: folder ${id}; its files and records stay`),
    ),
    act('test', "whether the daemon's user can read, write and move in a folder; prints what systemd needs", {
      takes: [['path', '<path>', 'absolute path on the box']],
      json: 'what was found as one line of JSON',
      run: testFolder,
    }),
  ],
);

async function addFolder(terminal: Terminal, { path, user, ...said }: AddOptions): Promise<void> {
  using client = await openClient(terminal);
  const userId = user === undefined ? 0n : await findUserId(client, user);
  const done = toEnumValue(DoneActionSchema, said.done) as ProtoDone;
  const request = { path, userId, done, options: said.option };
  const { folder, findings, unitLines } = await client.call(method.addWatchFolder, request);
  if (folder === undefined) return;
  if (said.json === true) printLine(terminal, toJsonLine(WatchFolderSchema, folder));
  else printLine(terminal, `watching ${folder.path} as folder ${folder.id} for ${folder.accountEmail}`);
  printCheck(terminal, findings, unitLines);
}

async function testFolder(terminal: Terminal, { path, json }: AddOptions): Promise<void> {
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

async function showFolder(terminal: Terminal, { id, json }: Chosen): Promise<void> {
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
  printLine(terminal, formatTable(headOf(COLUMNS), [toCells(WatchFolderSchema, COLUMNS, folder)]));
  for (const option of folder.options) printLine(terminal, `option: ${option}`);
  for (const obstacle of folder.obstacles) printLine(terminal, `not gone into: ${obstacle}`);
  if (files.length === 0) return;
  const rows = files.map(({ path, reason, retryAt }) => [
    ...[path, reason],
    retryAt === undefined ? 'not by itself' : new Date(Number(retryAt.seconds) * 1000).toISOString(),
  ]);
  printLine(terminal, formatTable(['failed', 'why', 'tried again'], rows));
}
