/** Notices to receivers that judge them by what the makers of Slack, Teams and Mattermost publish. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { openReceiver } from '../../app/webhooks/webhook-receiver.ts';
import { KEY_HEADERS, submitPicture } from '../../faults/rounds/submissions.ts';
import { patternImage } from '../../media/pictures.ts';
import { npmWith, run, type Workplace } from './tools.ts';

const PACKAGES = [
  '@slack/types@3.2.0',
  '@mattermost/types@11.9.0',
  'adaptivecards@3.0.6',
  'typescript@5.9.3',
];
const CHANNELS = ['slack', 'teams', 'mattermost'] as const;
const TEAMS_BYTES_MAX = 28_000;
const EVIL_NAME = '<!channel> @all [x](http://evil.example) "*b*".png';

async function addRule({ daemon }: Workplace, channel: string, target: string): Promise<void> {
  const query =
    'mutation($input: NoticeRuleInput!) { createNoticeRule(input: $input) { userErrors { message } } }';
  const response = await fetch(`${daemon.http}/graphql`, {
    method: 'POST',
    headers: { ...KEY_HEADERS, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { input: { channel: channel.toUpperCase(), target } } }),
  });
  const { data, errors } = (await response.json()) as {
    data?: { createNoticeRule: { userErrors: unknown[] } };
    errors?: unknown;
  };
  deepEqual(data?.createNoticeRule.userErrors, [], JSON.stringify(errors));
}

async function submitNamed({ daemon }: Workplace, name: string): Promise<void> {
  const body = new FormData();
  const bytes = await patternImage(333, 260).linear(0.1, 228).png().toBuffer();
  body.set('image', new Blob([new Uint8Array(bytes)]), name);
  const response = await fetch(`${daemon.http}/api/classification`, {
    method: 'POST',
    headers: KEY_HEADERS,
    body,
  });
  equal(response.status, 200, await response.text());
}

/** By the types that Slack and Mattermost publish. */
async function judgeTypes(
  folder: string,
  slack: readonly string[],
  mattermost: readonly string[],
): Promise<void> {
  const lines = [
    "import type { KnownBlock } from '@slack/types';",
    "import type { MessageAttachment } from '@mattermost/types/message_attachments';",
    'interface SlackMessage { text: string; blocks: KnownBlock[]; unfurl_links?: boolean; unfurl_media?: boolean }',
    'interface MattermostMessage { text?: string; attachments: MessageAttachment[] }',
    `export const slack: SlackMessage[] = [${slack.join(',\n')}];`,
    `export const mattermost: MattermostMessage[] = [${mattermost.join(',\n')}];`,
  ];
  await writeFile(join(folder, 'messages.ts'), lines.join('\n'));
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2024'];
  await run(join(folder, 'node_modules', '.bin', 'tsc'), [...options, 'messages.ts'], { cwd: folder });
}

interface CardReader {
  SerializationContext: new () => { eventCount: number; getEventAt(index: number): { message: string } };
  AdaptiveCard: new () => {
    parse(card: unknown, context: unknown): void;
    validateProperties(): { validationEvents: { message: string }[] };
  };
}

/** By Microsoft's own reader of adaptive cards. */
function judgeCards(folder: string, messages: readonly string[]): void {
  const file = join(folder, 'node_modules/adaptivecards/dist/adaptivecards.js');
  const reader: CardReader = createRequire(import.meta.url)(file);
  const complaints = (content: unknown): string[] => {
    const context = new reader.SerializationContext();
    const card = new reader.AdaptiveCard();
    card.parse(content, context);
    const parsed = Array.from(
      { length: context.eventCount },
      (_, index) => context.getEventAt(index).message,
    );
    return [...parsed, ...card.validateProperties().validationEvents.map(({ message }) => message)];
  };
  ok(complaints({ type: 'AdaptiveCard', version: '1.2', body: [{ type: 'TextBlok' }] }).length > 0);
  for (const message of messages) {
    ok(Buffer.byteLength(message) <= TEAMS_BYTES_MAX);
    const { type, attachments } = JSON.parse(message) as {
      type: string;
      attachments: { contentType: string; content: unknown }[];
    };
    equal(type, 'message');
    equal(attachments[0]?.contentType, 'application/vnd.microsoft.card.adaptive');
    deepEqual(complaints(attachments[0]?.content), []);
  }
}

export async function chatReceivers(workplace: Workplace): Promise<string> {
  const folder = await npmWith(workplace, 'chats', ...PACKAGES);
  await using receiver = await openReceiver({ status: 200 });
  for (const channel of CHANNELS) await addRule(workplace, channel, `${receiver.origin}/${channel}`);
  await submitNamed(workplace, 'goal.png');
  await submitNamed(workplace, EVIL_NAME);
  await submitPicture(workplace.daemon, await patternImage(310, 270).png().toBuffer());
  await receiver.waitFor(2 * CHANNELS.length);
  const sentTo = (channel: string) =>
    receiver.hooks.filter(({ path }) => path === `/${channel}`).map(({ body }) => body);
  await judgeTypes(folder, sentTo('slack'), sentTo('mattermost'));
  judgeCards(folder, sentTo('teams'));
  return `${receiver.hooks.length} notices judged: Slack's and Mattermost's by their types, Teams' by Microsoft's reader of cards`;
}
