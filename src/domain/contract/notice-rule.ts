/** What an account sees of its rules of notices, one row a field. */

import { flag, identifier, listOf, moment, oneOf, text, type ValuesOf } from '../field.ts';
import type { MediaKind } from '../media/media.ts';
import type { Outcome } from '../records/outcome.ts';
import { MEDIA_KIND, NOTICE_CHANNEL, OUTCOME } from './words.ts';

export const NOTICE_RULE = {
  id: identifier<number>(),
  name: text(),
  channel: oneOf(NOTICE_CHANNEL),
  target: text({
    description: 'Where to, as far as it is shown: anyone who knows such an address can write there.',
  }),
  outcomes: listOf(oneOf<Outcome>(OUTCOME, { description: 'None: any.' })),
  kinds: listOf(oneOf<MediaKind>(MEDIA_KIND, { description: 'None: any.' })),
  ofEveryAccount: flag({ description: 'The records of all accounts; of administrators only.' }),
  isPaused: flag(),
  reason: text({ description: 'Why it was paused by itself; empty otherwise.' }),
  createdAt: moment(),
};

export interface NoticeRuleView extends ValuesOf<typeof NOTICE_RULE> {}
