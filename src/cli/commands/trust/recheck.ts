import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { showText } from '../../../domain/shown-text.ts';
import type { AppliedTrustList } from '../../../grpc/gen/assay/v1/provenance_pb.ts';
import {
  RecheckedAnswer,
  type RecheckedRecord,
  RecheckedRecordSchema,
  RecheckOutcome,
  RecheckState,
  type TrustRecheck,
  TrustRecheckSchema,
  TrustService,
} from '../../../grpc/gen/assay/v1/trust_service_pb.ts';
import { type AssayClient, openClient } from '../../daemon/client.ts';
import { readPages } from '../../daemon/pages.ts';
import { CliFailure, EXIT_CODES } from '../../terminal/failure.ts';
import { printLine, printNote, type Terminal } from '../../terminal/terminal.ts';
import { nameOf } from '../../views/enum-word.ts';
import { toJsonLine } from '../../views/message-json.ts';
import { ProgressBars } from '../../views/progress-bars.ts';

const { method } = TrustService;
/** Often enough for a person; each look costs the daemon one small read. */
const LOOK_MS = 500;

interface RecheckOptions {
  json?: true;
  last?: true;
  cancel?: true;
  wait: boolean;
}

export function addRecheckCommand(trust: Command, terminal: Terminal): void {
  trust
    .command('recheck')
    .description('read the manifests of stored files again under the present lists, and show what changed')
    .option('--no-wait', 'leave it to the daemon')
    .option('--last', 'only say what the one that runs, or the last one, has found')
    .option('--cancel', 'end the one that runs; what it did stays')
    .option('--json', 'the recheck, then one record per line')
    .action((options: RecheckOptions) => recheck(terminal, options));
}

async function recheck(terminal: Terminal, options: RecheckOptions): Promise<void> {
  using client = await openClient(terminal);
  const begun = await begin(client, options);
  if (begun === undefined) throw new CliFailure('there was no recheck yet', EXIT_CODES.someFailed);
  const isFollowed = options.wait && options.last !== true && options.cancel !== true;
  const ended = isFollowed ? await follow(client, terminal, begun) : begun;
  if (options.json === true) printLine(terminal, toJsonLine(TrustRecheckSchema, ended));
  else printNote(terminal, describe(ended));
  if (isFollowed || options.last === true) await printRecords(client, terminal, options);
}

async function begin(client: AssayClient, options: RecheckOptions): Promise<TrustRecheck | undefined> {
  if (options.cancel === true) return (await client.call(method.cancelTrustRecheck, {})).recheck;
  if (options.last === true) return (await client.call(method.getTrustRecheck, {})).recheck;
  return (await client.call(method.startTrustRecheck, {})).recheck;
}

/** Ctrl-C ends the following, not the work. */
async function follow(client: AssayClient, terminal: Terminal, begun: TrustRecheck): Promise<TrustRecheck> {
  const signal = terminal.watchInterrupt();
  using bars = await ProgressBars.open(terminal);
  const bar = bars.add('manifests');
  let now = begun;
  while (now.state === RecheckState.RUNNING) {
    bar.showStep(`${now.changed} changed`, Number(now.looked), Number(now.total));
    await delay(LOOK_MS, undefined, { signal }).catch(() => {});
    if (signal.aborted) {
      throw new CliFailure('the daemon goes on; see assay trust recheck --last', EXIT_CODES.interrupted);
    }
    now = (await client.call(method.getTrustRecheck, {})).recheck ?? now;
  }
  return now;
}

function describe(recheck: TrustRecheck): string {
  const { state, looked, total, unchanged, changed, mediaGone, unreadable } = recheck;
  const found = `${changed} changed, ${unchanged} as before, ${mediaGone} without their file, ${unreadable} not readable`;
  const place = state === RecheckState.DONE ? '' : ` (${looked} of ${total} looked at)`;
  return `${nameOf(RecheckState, state)}${place}: ${found}`;
}

async function printRecords(
  client: AssayClient,
  terminal: Terminal,
  { json }: RecheckOptions,
): Promise<void> {
  const records = readPages({ limit: 1, all: true }, async (page) => {
    const { records: items, nextPageToken } = await client.call(method.listRecheckedRecords, page);
    return { items, nextPageToken };
  });
  for await (const record of records) {
    printLine(terminal, json === true ? toJsonLine(RecheckedRecordSchema, record) : toLine(record));
  }
}

function toLine({
  identifier,
  name,
  outcome,
  changes,
  reason,
  listsBefore,
  listsAfter,
}: RecheckedRecord): string {
  const said = changes.map(({ answer, before, after }) => {
    const what = nameOf(RecheckedAnswer, answer).replaceAll('_', ' ');
    return `${what}: ${before || 'none'} → ${after || 'none'}`;
  });
  const cells = [
    identifier.slice(0, 16),
    showText(name),
    nameOf(RecheckOutcome, outcome).replaceAll('_', ' '),
    said.join('; '),
    showText(reason),
    describeLists(listsBefore, listsAfter),
  ];
  return cells.filter((cell) => cell !== '').join('  ');
}

/** Only lists that differ, by the beginnings of their hashes. */
function describeLists(before: readonly AppliedTrustList[], after: readonly AppliedTrustList[]): string {
  const hashOf = (lists: readonly AppliedTrustList[], id: string): string =>
    lists.find((list) => list.id === id)?.sha256.slice(0, 12) ?? 'none';
  const ids = new Set([...before, ...after].map(({ id }) => id));
  return [...ids]
    .map((id) => ({ id, was: hashOf(before, id), is: hashOf(after, id) }))
    .filter(({ was, is }) => was !== is)
    .map(({ id, was, is }) => `[${id} ${was} → ${is}]`)
    .join(' ');
}
