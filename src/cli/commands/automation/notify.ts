import { InvalidArgumentError, Option } from 'commander';
import { NOTICE_CHANNELS, NOTICE_OUTCOMES } from '../../../domain/automation/notice-rule.ts';
import { MEDIA_KINDS } from '../../../domain/media/media.ts';
import { NotifyService } from '../../../grpc/gen/assay/v1/notify_service_pb.ts';
import { toMessage } from '../../../grpc/messages.ts';
import { openClient } from '../../daemon/client.ts';
import { rowIdParser } from '../../daemon/lookups.ts';
import { type Argument, act, change, commandsOf, listing, outcome, type Said } from '../../rows/row.ts';
import { EXIT_CODES } from '../../terminal/failure.ts';
import { printLine, printNote } from '../../terminal/terminal.ts';
import { toJsonLine } from '../../views/message-json.ts';

const { method } = NotifyService;
const ID: readonly Argument[] = [
  ['id', '<rule>', 'its id, as assay notify list shows it', rowIdParser('rule')],
];
const changed = (state: string) => ({
  takes: ID,
  json: 'what was done as one line of JSON',
  outcome: (_: unknown, { id }: Said) => ({ id: String(id), state }),
  text: (_: unknown, { id }: Said) => `${state}: rule ${id}`,
});

function parseChannel(value: string): string {
  if (NOTICE_CHANNELS.some((one) => one === value)) return value;
  throw new InvalidArgumentError(`It must be one of ${NOTICE_CHANNELS.join(', ')}.`);
}

export const addNotifyCommand = commandsOf('notify', 'notices of ended records, in a chat or by mail', [
  change('add', 'add a channel for notices; never with a picture', method.createNoticeRule, 'rule', {
    takes: [
      ['channel', '<channel>', NOTICE_CHANNELS.join(', '), parseChannel],
      ['target', '<target>', "the webhook's address, or an e-mail address"],
    ],
    options: [
      new Option('--name <name>', 'its name in lists'),
      new Option('--outcome <outcomes...>', 'only these').choices(NOTICE_OUTCOMES),
      new Option('--kind <kinds...>', 'only these').choices(MEDIA_KINDS),
      new Option('--every-account', 'the records of all accounts (administrators)'),
    ],
    request: ({ outcome: outcomes, kind: kinds, everyAccount: ofEveryAccount, ...said }: Said) =>
      toMessage(method.createNoticeRule.input, { ...said, outcomes, kinds, ofEveryAccount }),
    text: ({ id, target }) => `rule ${id} reports to ${target}; try it with assay notify test ${id}`,
  }),
  listing('list', 'list the rules of your account', method.listNoticeRules, 'rules', {
    isDefault: true,
    json: 'one rule per line',
    columns: {
      id: 'id',
      name: 'name',
      channel: 'channel',
      to: 'target',
      outcomes: ['outcomes', 'any'],
      kinds: ['kinds', 'any'],
      state: ({ isPaused, reason, ofEveryAccount }) => {
        const state = isPaused ? `paused${reason && `: ${reason}`}` : 'on';
        return ofEveryAccount ? `${state}, every account` : state;
      },
    },
  }),
  outcome('pause', 'pause a rule: it sends nothing', method.setNoticeRulePaused, {
    ...changed('paused'),
    request: ({ id }: { id: bigint }) => ({ id, paused: true }),
  }),
  outcome('resume', 'let a paused rule send again', method.setNoticeRulePaused, {
    ...changed('resumed'),
    request: ({ id }: { id: bigint }) => ({ id, paused: false }),
  }),
  outcome(
    'remove',
    'remove a rule; its log of deliveries stays',
    method.removeNoticeRule,
    changed('removed'),
  ),
  act('test', 'send one test notice now; exits with 1 if it was refused', {
    takes: ID,
    json: 'what the channel answered as one line of JSON',
    run: async (terminal, { id, json }: { id: bigint; json?: true }) => {
      using client = await openClient(terminal);
      const tested = await client.call(method.testNoticeRule, { id });
      const { delivered, status, error } = tested;
      if (!delivered) terminal.setExitCode(EXIT_CODES.someFailed);
      if (json === true) printLine(terminal, toJsonLine(method.testNoticeRule.output, tested));
      else if (delivered)
        printLine(terminal, `delivered: rule ${id}${status === undefined ? '' : ` (${status})`}`);
      else printNote(terminal, `not delivered: ${error}`);
    },
  }),
]);
