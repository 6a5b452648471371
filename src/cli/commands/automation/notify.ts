/** `assay notify`: ended records reported to a chat or by mail. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  NOTICE_CHANNELS,
  NOTICE_OUTCOMES,
  type NoticeChannel,
} from '../../../domain/automation/notice-rule.ts';
import { MEDIA_KINDS, type MediaKind } from '../../../domain/media/media.ts';
import type { Outcome } from '../../../domain/records/outcome.ts';
import { Outcome as ProtoOutcome } from '../../../grpc/gen/assay/v1/classification_pb.ts';
import { MediaKind as ProtoKind } from '../../../grpc/gen/assay/v1/media_pb.ts';
import {
  type NoticeRule,
  NoticeRuleSchema,
  NotifyService,
  NoticeChannel as ProtoChannel,
} from '../../../grpc/gen/assay/v1/notify_service_pb.ts';
import { toMessage } from '../../../grpc/messages.ts';
import { openClient } from '../../daemon/client.ts';
import { rowIdParser } from '../../daemon/lookups.ts';
import { EXIT_CODES } from '../../terminal/failure.ts';
import { printLine, printNote, type Terminal } from '../../terminal/terminal.ts';
import { nameOf } from '../../views/enum-word.ts';
import { toJsonLine } from '../../views/message-json.ts';
import { printOutcome } from '../../views/outcome.ts';
import { formatTable } from '../../views/table.ts';

const { method } = NotifyService;
const ID = 'its id, as assay notify list shows it';
const parseId = rowIdParser('rule');

interface Json {
  json?: true;
}

const AS_JSON = 'what was done as one line of JSON';

interface AddOptions {
  name?: string;
  outcome?: Outcome[];
  kind?: MediaKind[];
  everyAccount?: true;
  json?: true;
}

export function addNotifyCommand(program: Command, terminal: Terminal): void {
  const notify = program.command('notify').description('ended records announced in a chat or by mail');
  notify
    .command('add')
    .description('add a channel for notices; never with a picture')
    .argument('<channel>', NOTICE_CHANNELS.join(', '), parseChannel)
    .argument('<target>', "the webhook's address, or an e-mail address")
    .option('--name <name>', 'what lists call it')
    .addOption(new Option('--outcome <outcomes...>', 'only these').choices(NOTICE_OUTCOMES))
    .addOption(new Option('--kind <kinds...>', 'only these').choices(MEDIA_KINDS))
    .option('--every-account', 'the records of all accounts (administrators)')
    .option('--json', 'the rule as one line of JSON')
    .action((channel: NoticeChannel, target: string, options: AddOptions) =>
      addRule(terminal, channel, target, options),
    );
  notify
    .command('list', { isDefault: true })
    .description('list the rules of your account')
    .option('--json', 'one rule per line')
    .action((options: { json?: true }) => listRules(terminal, options));
  for (const [name, paused] of [
    ['pause', true],
    ['resume', false],
  ] as const) {
    notify
      .command(name)
      .description(paused ? 'send nothing more' : 'go on')
      .argument('<rule>', ID, parseId)
      .option('--json', AS_JSON)
      .action((id: bigint, options: Json) => setPaused(terminal, id, paused, options));
  }
  notify
    .command('remove')
    .description('send it no more; the log of deliveries stays')
    .argument('<rule>', ID, parseId)
    .option('--json', AS_JSON)
    .action((id: bigint, options: Json) => removeRule(terminal, id, options));
  notify
    .command('test')
    .description('send a notice of nothing, once and now; exits with 1 where it was not taken')
    .argument('<rule>', ID, parseId)
    .option('--json', 'what the channel answered as one line of JSON')
    .action((id: bigint, options: Json) => testRule(terminal, id, options));
}

function parseChannel(value: string): NoticeChannel {
  const channel = NOTICE_CHANNELS.find((one) => one === value);
  if (channel === undefined)
    throw new InvalidArgumentError(`It must be one of ${NOTICE_CHANNELS.join(', ')}.`);
  return channel;
}

async function addRule(
  terminal: Terminal,
  channel: NoticeChannel,
  target: string,
  options: AddOptions,
): Promise<void> {
  using client = await openClient(terminal);
  const { name, outcome: outcomes, kind: kinds, everyAccount: ofEveryAccount } = options;
  const fields = { name, channel, target, outcomes, kinds, ofEveryAccount };
  const { rule } = await client.call(
    method.createNoticeRule,
    toMessage(method.createNoticeRule.input, fields),
  );
  if (rule === undefined) return;
  if (options.json === true) printLine(terminal, toJsonLine(NoticeRuleSchema, rule));
  else
    printLine(
      terminal,
      `rule ${rule.id} reports to ${rule.target}; try it with assay notify test ${rule.id}`,
    );
}

async function listRules(terminal: Terminal, { json }: { json?: true }): Promise<void> {
  using client = await openClient(terminal);
  const { rules } = await client.call(method.listNoticeRules, {});
  if (json === true) for (const rule of rules) printLine(terminal, toJsonLine(NoticeRuleSchema, rule));
  else
    printLine(
      terminal,
      formatTable(['id', 'name', 'channel', 'to', 'outcomes', 'kinds', 'state'], rules.map(toRow)),
    );
}

function toRow({
  id,
  name,
  channel,
  target,
  outcomes,
  kinds,
  ofEveryAccount,
  isPaused,
  reason,
}: NoticeRule): string[] {
  const listed = (names: string[]): string => (names.length === 0 ? 'any' : names.join(', '));
  const state = isPaused ? `paused${reason === '' ? '' : `: ${reason}`}` : 'on';
  return [
    ...[String(id), name, nameOf(ProtoChannel, channel), target],
    listed(outcomes.map((outcome) => nameOf(ProtoOutcome, outcome))),
    listed(kinds.map((kind) => nameOf(ProtoKind, kind))),
    ofEveryAccount ? `${state}, every account` : state,
  ];
}

async function setPaused(terminal: Terminal, id: bigint, paused: boolean, options: Json): Promise<void> {
  using client = await openClient(terminal);
  await client.call(method.setNoticeRulePaused, { id, paused });
  const state = paused ? 'paused' : 'resumed';
  printOutcome(terminal, options, { id: String(id), state }, `${state}: rule ${id}`);
}

async function removeRule(terminal: Terminal, id: bigint, options: Json): Promise<void> {
  using client = await openClient(terminal);
  await client.call(method.removeNoticeRule, { id });
  printOutcome(terminal, options, { id: String(id), state: 'removed' }, `removed: rule ${id}`);
}

async function testRule(terminal: Terminal, id: bigint, { json }: Json): Promise<void> {
  using client = await openClient(terminal);
  const tested = await client.call(method.testNoticeRule, { id });
  const { delivered, status, error } = tested;
  if (!delivered) terminal.setExitCode(EXIT_CODES.someFailed);
  if (json === true) printLine(terminal, toJsonLine(method.testNoticeRule.output, tested));
  else if (delivered)
    printLine(terminal, `delivered: rule ${id}${status === undefined ? '' : ` (${status})`}`);
  else printNote(terminal, `not delivered: ${error}`);
}
