import {
  createNoticeRule,
  listNoticeRules,
  removeNoticeRule,
  setNoticeRulePaused,
  testNoticeRule,
} from '../app/notices/notice-rules.ts';
import { NOTICE_RULE } from '../domain/contract/notice-rule.ts';
import { flag, idNumber, listOf, nounOf, nullable, text, whole } from '../domain/field.ts';
import { form, mutation, one, query, several } from './operation.ts';

const RULE = nounOf({
  name: 'NoticeRule',
  description: 'Ended records that are reported to a chat or by mail.',
  fields: NOTICE_RULE,
});
const ONE_RULE = one('rule', RULE);

export const NOTICE_OPERATIONS = {
  listNoticeRules: query({
    field: 'noticeRules',
    description: "The account's own, at most 20, so without pages.",
    answer: one('rules', listOf(RULE)),
    run: listNoticeRules,
  }),
  createNoticeRule: mutation({
    input: { fields: form('noticeRule') },
    answer: ONE_RULE,
    payload: 'NoticeRule',
    run: createNoticeRule,
  }),
  setNoticeRulePaused: mutation({
    input: { id: idNumber(), paused: flag() },
    answer: ONE_RULE,
    payload: 'NoticeRule',
    run: (app, { paused, ...input }) => setNoticeRulePaused(app, { ...input, isPaused: paused }),
  }),
  removeNoticeRule: mutation({
    input: { id: idNumber() },
    answer: ONE_RULE,
    payload: 'NoticeRule',
    run: removeNoticeRule,
  }),
  testNoticeRule: mutation({
    description: 'Sends a notice of nothing, once and now.',
    input: { id: idNumber() },
    answer: several({
      delivered: flag(),
      status: nullable(whole('What the receiver answered; null where it did not.')),
      error: text('Why it was not taken; empty where it was.'),
    }),
    payload: 'NoticeTest',
    whenRefused: { delivered: false, error: '' },
    run: testNoticeRule,
  }),
};
