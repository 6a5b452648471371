/** A notice for each channel. Strangers' names are made harmless: none pings a room or becomes a link. No pictures. Pure. */
import type { NoticeChannel } from '../automation/notice-rule.ts';
import type { Headline } from '../records/headline.ts';
import { showText } from '../shown-text.ts';
import type { RecordSummary } from './record-summary.ts';

export interface Notice extends Omit<RecordSummary, 'readings'> {
  headline: Pick<Headline, 'title' | 'sentence' | 'documented'>;
  /** Name of the account whose record it is; empty if a notice is for that account itself. */
  accountName: string;
  /** A test of the rule: nothing was judged. */
  isTest: boolean;
}

export interface NoticeMail {
  subject: string;
  text: string;
}

/** Slack cuts a header at 150 characters; a subject should not be longer either. */
const TITLE_CHARACTERS_MAX = 140;
/** One sentence each; the link leads to the others. */
const REASONS_MAX = 3;
/** Slack refuses a field beyond 2000 characters and a text beyond 3000, Teams a message beyond 28 KB. */
const TEXT_CHARACTERS_MAX = 1500;

function titleOf({ name, headline, isTest }: Notice): string {
  const title = `${headline.title.en}: ${shown(name) || 'a file without a name'}`;
  return cut(isTest ? `Test: ${title}` : title, TITLE_CHARACTERS_MAX);
}

type Fact = readonly [name: string, value: string];

function factsOf({ kind, probability, accountName, error, headline: { documented } }: Notice): Fact[] {
  const facts: Fact[] = [
    ['Kind', kind],
    ['Chance of AI, by the models', probability === null ? '' : `${Math.round(probability * 100)} %`],
    ['Documented verdict', documented?.en ?? ''],
    ['Account', shown(accountName)],
    ['Error', cut(shown(error), TEXT_CHARACTERS_MAX)],
  ];
  return facts.filter(([, value]) => value !== '');
}

/** The headline's sentence, then the reasons. */
function reasonsOf({ headline, reasons }: Notice): string[] {
  const each = Math.floor(TEXT_CHARACTERS_MAX / (1 + REASONS_MAX));
  const said = reasons.length === 0 ? [] : [headline.sentence.en, ...reasons.slice(0, REASONS_MAX)];
  return said.map((sentence) => cut(shown(sentence), each));
}

/** One line, with characters that turn or hide text made visible. */
function shown(text: string): string {
  return showText(text).replace(/\s+/g, ' ').trim();
}

function cut(text: string, charactersMax: number): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax - 1)}…` : text;
}

const LINK_TEXT = 'Look at the record';

/**
 * Incoming webhook of Slack (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks): `text` is what a
 * notification shows, `blocks` the message (https://docs.slack.dev/reference/block-kit/blocks). In `mrkdwn` `&`, `<` and `>` are
 * escaped, without which `<!channel>` in a name would ping a room; `verbatim` keeps names from becoming links.
 */
export function toSlack(notice: Notice): object {
  const title = titleOf(notice);
  const mrkdwn = (text: string) => ({ type: 'mrkdwn', text, verbatim: true });
  const facts = factsOf(notice).map(([name, value]) => mrkdwn(`*${name}*\n${escapeSlack(value)}`));
  const reasons = reasonsOf(notice).map((reason) => `• ${escapeSlack(reason)}`);
  return {
    text: escapeSlack(title),
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: title, emoji: false } },
      { type: 'section', fields: facts },
      ...(reasons.length === 0 ? [] : [{ type: 'section', text: mrkdwn(reasons.join('\n')) }]),
      { type: 'section', text: mrkdwn(`<${escapeSlack(notice.link)}|${LINK_TEXT}>`) },
    ],
  };
}

function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * Workflow of Microsoft Teams, "When a Teams webhook request is received"
 * (https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook): a message whose one
 * attachment is an adaptive card (https://adaptivecards.io/explorer). Its texts know some Markdown, which names must not use.
 */
export function toTeams(notice: Notice): object {
  const facts = factsOf(notice).map(([title, value]) => ({ title, value: escapeMarkdown(value) }));
  const line = (text: string) => ({ type: 'TextBlock', text: escapeMarkdown(text), wrap: true });
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.2',
          body: [
            { ...line(titleOf(notice)), size: 'Medium', weight: 'Bolder' },
            { type: 'FactSet', facts },
            ...reasonsOf(notice).map(line),
          ],
          actions: [{ type: 'Action.OpenUrl', title: LINK_TEXT, url: notice.link }],
        },
      },
    ],
  };
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]()#|~>]/g, '\\$&');
}

const COLOURS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    artificial: '#b3261e',
    human: '#1b6e3c',
    failed: '#5f6368',
  }),
);
const COLOUR_OTHERWISE = '#8a6d00';

/**
 * Incoming webhook of Mattermost (https://developers.mattermost.com/integrate/webhooks/incoming) with one message attachment
 * (https://developers.mattermost.com/integrate/reference/message-attachments). Its texts know Markdown and mentions: a name with
 * `@channel` must not ping a room, so that the sign is parted from the word.
 */
export function toMattermost(notice: Notice): object {
  const title = titleOf(notice);
  const facts = factsOf(notice);
  return {
    attachments: [
      {
        fallback: escapeMattermost(title),
        color: COLOURS.get(notice.outcome) ?? COLOUR_OTHERWISE,
        title: escapeMattermost(title),
        title_link: notice.link,
        text: reasonsOf(notice)
          .map((reason) => `- ${escapeMattermost(reason)}`)
          .join('\n'),
        fields: facts.map(([name, value]) => ({ short: true, title: name, value: escapeMattermost(value) })),
      },
    ],
  };
}

/** A word joiner is invisible, and breaks a mention, a channel or an emoji. */
function escapeMattermost(text: string): string {
  return escapeMarkdown(text).replace(/[@~:]/g, '$&\u2060');
}

/** Plain text (RFC 5322): a subject of one line, and nothing that a program would compute. */
export function toMail(notice: Notice): NoticeMail {
  const facts = factsOf(notice).map(([name, value]) => `${name}: ${value}`);
  const reasons = reasonsOf(notice).map((reason) => `- ${reason}`);
  const lines = [titleOf(notice), '', ...facts, ...(reasons.length === 0 ? [] : ['', ...reasons])];
  return { subject: titleOf(notice), text: `${[...lines, '', notice.link, ''].join('\n')}` };
}

/** Bodies of the channels that take JSON, so not of mail. */
export const NOTICE_BODIES: Readonly<Record<Exclude<NoticeChannel, 'email'>, (notice: Notice) => object>> = {
  slack: toSlack,
  teams: toTeams,
  mattermost: toMattermost,
};
