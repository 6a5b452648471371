/** Rules of notices. */
import {
  createNoticeRule,
  listNoticeRules,
  type NoticeTest,
  removeNoticeRule,
  setNoticeRulePaused,
  testNoticeRule,
} from '../../../app/notices/notice-rules.ts';
import { NOTICE_RULE, type NoticeRuleView } from '../../../domain/contract/notice-rule.ts';
import { NOTICE_CHANNEL } from '../../../domain/contract/words.ts';
import { builder, enumOf, mediaKindEnum, outcomeEnum } from '../builder.ts';
import { defineNoun } from '../nouns.ts';
import { countCall, type Payload, settleCall } from '../transport/calls.ts';
import { toId, toRawFields } from '../transport/input.ts';
import { definePayload } from '../transport/payloads.ts';
import { userErrorType } from '../transport/user-errors.ts';

const ruleType = defineNoun<NoticeRuleView>({
  name: 'NoticeRule',
  description: 'Ended records that are told to a chat or by mail.',
  fields: NOTICE_RULE,
});
const rulePayloadType = definePayload<NoticeRuleView>('NoticeRule', 'rule', ruleType);
const testPayloadType = builder.objectRef<Payload<NoticeTest>>('NoticeTestPayload').implement({
  fields: (t) => ({
    delivered: t.boolean({ resolve: ({ value }) => value?.delivered ?? false }),
    status: t.int({
      nullable: true,
      description: 'What the receiver answered; null where it did not.',
      resolve: ({ value }) => value?.status ?? null,
    }),
    error: t.string({ description: 'Why it was not taken.', resolve: ({ value }) => value?.error ?? '' }),
    userErrors: t.expose('userErrors', { type: [userErrorType] }),
  }),
});

const ruleInput = builder.inputType('NoticeRuleInput', {
  fields: (t) => ({
    name: t.string(),
    channel: t.field({ type: enumOf(NOTICE_CHANNEL), required: true }),
    target: t.string({
      required: true,
      description:
        'https, under the guard of webhooks; or an e-mail address, the account’s own but for administrators.',
    }),
    outcomes: t.field({ type: [outcomeEnum], description: 'None: any.' }),
    kinds: t.field({ type: [mediaKindEnum], description: 'None: any.' }),
    ofEveryAccount: t.boolean({ description: 'Administrators only.' }),
  }),
});

export function addNoticeQueries(): void {
  builder.queryField('noticeRules', (t) =>
    t.field({
      type: [ruleType],
      nullable: true,
      description: 'Those of the account.',
      resolve: (_, _args, context) =>
        countCall(context, 'noticeRules', () =>
          listNoticeRules(context.app, { principal: context.principal() }),
        ),
    }),
  );
}

export function addNoticeMutations(): void {
  builder.mutationFields((t) => ({
    createNoticeRule: t.field({
      type: rulePayloadType,
      nullable: true,
      args: { input: t.arg({ type: ruleInput, required: true }) },
      resolve: (_, { input }, context) =>
        settleCall(context, 'createNoticeRule', () => {
          const given = Object.entries(input).filter(([, value]) => value !== null);
          const fields = toRawFields(Object.fromEntries(given));
          return createNoticeRule(context.app, { principal: context.principal(), fields }, context.signal);
        }),
    }),
    setNoticeRulePaused: t.field({
      type: rulePayloadType,
      nullable: true,
      args: { id: t.arg.id({ required: true }), paused: t.arg.boolean({ required: true }) },
      resolve: (_, { id, paused }, context) =>
        settleCall(context, 'setNoticeRulePaused', () => {
          const input = { principal: context.principal(), id: toId(id), isPaused: paused };
          return setNoticeRulePaused(context.app, input);
        }),
    }),
    removeNoticeRule: t.field({
      type: rulePayloadType,
      nullable: true,
      args: { id: t.arg.id({ required: true }) },
      resolve: (_, { id }, context) =>
        settleCall(context, 'removeNoticeRule', () =>
          removeNoticeRule(context.app, { principal: context.principal(), id: toId(id) }),
        ),
    }),
    testNoticeRule: t.field({
      type: testPayloadType,
      nullable: true,
      description: 'Sends a notice of nothing, once and now.',
      args: { id: t.arg.id({ required: true }) },
      resolve: (_, { id }, context) =>
        settleCall(context, 'testNoticeRule', () =>
          testNoticeRule(context.app, { principal: context.principal(), id: toId(id) }, context.signal),
        ),
    }),
  }));
}
