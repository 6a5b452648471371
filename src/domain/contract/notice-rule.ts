import { flag, idNumber, listOf, moment, oneOf, text, type ValuesOf } from '../field.ts';
import { MEDIA_KIND, type MediaKind } from '../media/media.ts';
import { OUTCOME, type Outcome } from '../records/outcome.ts';

import { NOTICE_CHANNEL } from './words.ts';

export const NOTICE_RULE = {
  id: idNumber(),
  name: text(),
  channel: oneOf(NOTICE_CHANNEL),
  target: text('Where to, as far as it is shown: anyone who knows such an address can write there.'),
  outcomes: listOf(oneOf<Outcome>(OUTCOME, 'None: any.')),
  kinds: listOf(oneOf<MediaKind>(MEDIA_KIND, 'None: any.')),
  ofEveryAccount: flag('The records of all accounts; of administrators only.'),
  isPaused: flag(),
  reason: text('Why it was paused by itself; empty otherwise.'),
  createdAt: moment(),
};

export interface NoticeRuleView extends ValuesOf<typeof NOTICE_RULE> {}
