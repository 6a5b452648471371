import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Notice,
  toMail,
  toMattermost,
  toSlack,
  toTeams,
} from '../../../src/domain/answers/notice-texts.ts';
import { shownTarget, wantsNotice } from '../../../src/domain/automation/notice-rule.ts';

const NOTICE: Notice = {
  ...{ identifier: 'a'.repeat(64), name: 'goal.jpg', kind: 'image', sha256: 'b'.repeat(64), refId: '' },
  ...{ verdict: 'artificial', outcome: 'artificial', assessment: 'artificial', probability: 0.973 },
  ...{ reasons: ['One.', 'Two.', 'Three.', 'Four.'], link: 'https://assay.example/classifications/a' },
  ...{ error: '', createdAt: 0, accountName: '', isTest: false },
  headline: {
    title: { en: 'Artificial', it: 'Artificiale' },
    sentence: { en: 'This picture is likely artificial.', it: '' },
    documented: { en: 'Older programs read “artificial” (0.97).', it: '' },
  },
};
/** A hostile name of a file. */
const EVIL = '<!channel> @all [x](http://evil.example) *b* \u202egpj.exe & \n new';
const LONG = 'x'.repeat(10_000);

test('Slack: text, header within 150 characters, at most ten fields, texts within their bounds, no previews', () => {
  deepEqual(toSlack(NOTICE), {
    text: 'Artificial: goal.jpg',
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: 'Artificial: goal.jpg', emoji: false } },
      {
        type: 'section',
        fields: [
          { type: 'mrkdwn', text: '*Kind*\nimage', verbatim: true },
          { type: 'mrkdwn', text: '*Chance of AI, by the models*\n97 %', verbatim: true },
          {
            ...{ type: 'mrkdwn', text: '*Documented verdict*\nOlder programs read “artificial” (0.97).' },
            verbatim: true,
          },
        ],
      },
      {
        type: 'section',
        text: {
          type: 'mrkdwn',
          text: '• This picture is likely artificial.\n• One.\n• Two.\n• Three.',
          verbatim: true,
        },
      },
      {
        type: 'section',
        text: {
          type: 'mrkdwn',
          text: '<https://assay.example/classifications/a|Look at the record>',
          verbatim: true,
        },
      },
    ],
  });
  const evil = JSON.stringify(toSlack({ ...NOTICE, name: EVIL, accountName: EVIL }));
  ok(!/<(?!https:\/\/assay\.example)/.test(evil.replace(/"type":"plain_text","text":"[^"]*"/, '')), evil);
  const { blocks } = toSlack({ ...NOTICE, name: LONG, error: LONG, reasons: [LONG, LONG] }) as {
    blocks: { text?: { text: string }; fields?: { text: string }[] }[];
  };
  for (const { text, fields = [] } of blocks) {
    ok((text?.text.length ?? 0) <= 3000 && fields.length <= 10);
    for (const field of fields) ok(field.text.length <= 2000);
  }
  ok((blocks[0]?.text?.text.length ?? 0) <= 150);
});

test('Teams: a message with one adaptive card, within 28 KB, without Markdown of strangers', () => {
  const card = (notice: Notice) => {
    const { type, attachments } = toTeams(notice) as {
      type: string;
      attachments: { contentType: string; contentUrl: null; content: Record<string, unknown> }[];
    };
    equal(type, 'message');
    equal(attachments.length, 1);
    equal(attachments[0]?.contentType, 'application/vnd.microsoft.card.adaptive');
    return attachments[0]?.content ?? {};
  };
  const { $schema, type, version, body, actions } = card(NOTICE);
  deepEqual(
    { $schema, type, version },
    { $schema: 'http://adaptivecards.io/schemas/adaptive-card.json', type: 'AdaptiveCard', version: '1.2' },
  );
  deepEqual(
    (body as { type: string }[]).map((part) => part.type),
    ['TextBlock', 'FactSet', 'TextBlock', 'TextBlock', 'TextBlock', 'TextBlock'],
  );
  deepEqual(actions, [{ type: 'Action.OpenUrl', title: 'Look at the record', url: NOTICE.link }]);
  const [title] = card({ ...NOTICE, name: EVIL }).body as { text: string }[];
  ok(title?.text.includes('\\[x\\]\\(http://evil.example\\)'), title?.text);
  const long = toTeams({ ...NOTICE, name: LONG, error: LONG, reasons: [LONG, LONG, LONG] });
  ok(Buffer.byteLength(JSON.stringify(long)) < 28 * 1024);
});

test('Mattermost: one attachment with a fallback, and no one is mentioned by a name', () => {
  const { attachments } = toMattermost(NOTICE) as { attachments: Record<string, unknown>[] };
  deepEqual(attachments, [
    {
      fallback: 'Artificial:\u2060 goal.jpg',
      color: '#b3261e',
      title: 'Artificial:\u2060 goal.jpg',
      title_link: NOTICE.link,
      text: '- This picture is likely artificial.\n- One.\n- Two.\n- Three.',
      fields: [
        { short: true, title: 'Kind', value: 'image' },
        { short: true, title: 'Chance of AI, by the models', value: '97 %' },
        {
          ...{ short: true, title: 'Documented verdict' },
          value: 'Older programs read “artificial” \\(0.97\\).',
        },
      ],
    },
  ]);
  const evil = JSON.stringify(toMattermost({ ...NOTICE, name: EVIL, reasons: [EVIL] }));
  ok(!/@(?!\u2060)/.test(evil), evil);
});

test('mail: one line of subject, plain text, the link; no channel carries a picture', () => {
  const { subject, text } = toMail({ ...NOTICE, name: EVIL, isTest: true });
  ok(subject.startsWith('Test: Artificial: ') && !/[\r\n]/.test(subject), subject);
  ok(!subject.includes('\u202e'));
  ok(text.endsWith(`\n${NOTICE.link}\n`));
  for (const make of [toSlack, toTeams, toMattermost, toMail]) {
    ok(!/image_url|thumb_url|"Image"|attachments":\[\{"filename/.test(JSON.stringify(make(NOTICE))));
  }
});

test('a rule matches by outcome, kind and account; its target is shown in part', () => {
  const rule = {
    ...{ id: 1, accountId: 7, name: '', channel: 'slack', sealedTarget: new Uint8Array(), target: '' },
    ...{ outcomes: ['artificial'], kinds: ['image'], ofEveryAccount: false, isPaused: false },
    ...{ reason: '', createdAt: 0 },
  } as Parameters<typeof wantsNotice>[0];
  const record = { accountIds: [6, 7], kind: 'image', outcome: 'artificial' } as const;
  equal(wantsNotice(rule, record), true);
  for (const other of [{ accountIds: [8] }, { kind: 'video' }, { outcome: 'human' }] as const) {
    equal(wantsNotice(rule, { ...record, ...other }), false);
  }
  equal(wantsNotice({ ...rule, isPaused: true }, record), false);
  equal(wantsNotice({ ...rule, ofEveryAccount: true }, { ...record, accountIds: [8] }), true);
  equal(
    wantsNotice({ ...rule, outcomes: [], kinds: [] }, { ...record, kind: 'audio', outcome: 'failed' }),
    true,
  );
  equal(
    shownTarget('slack', 'https://hooks.slack.com/services/T0/B0/secretZ9x2'),
    'https://hooks.slack.com/…Z9x2',
  );
  equal(shownTarget('email', 'a@example.org'), 'a@example.org');
});
