/** Rules of notices: which ended records somebody wants to hear of, and where. No I/O. */
import type { MediaKind } from '../media/media.ts';
import { OUTCOMES, type Outcome } from '../records/outcome.ts';

export const NOTICE_CHANNELS = ['slack', 'teams', 'mattermost', 'email'] as const;
export type NoticeChannel = (typeof NOTICE_CHANNELS)[number];

/** What a record that has ended can come to. */
export const NOTICE_OUTCOMES = OUTCOMES.filter((outcome) => outcome !== 'waiting');

export interface NoticeRule {
  id: number;
  accountId: number;
  name: string;
  channel: NoticeChannel;
  /** The webhook's address, or an e-mail address: sealed, since anyone who knows such an address can write there. */
  sealedTarget: Uint8Array;
  /** As lists show it: enough to recognise it. */
  target: string;
  /** None: any. */
  outcomes: readonly Outcome[];
  /** None: any. */
  kinds: readonly MediaKind[];
  /** For administrators: the records of all accounts. */
  ofEveryAccount: boolean;
  isPaused: boolean;
  /** Why it was paused by itself; empty if a person did, or it is not. */
  reason: string;
  createdAt: number;
}

/** What of a record a rule looks at. */
export interface NoticedRecord {
  /** The account that it belongs to, or the members of its desk. */
  accountIds: readonly number[];
  kind: MediaKind;
  outcome: Outcome;
}

export function wantsNotice(
  { accountId, outcomes, kinds, ofEveryAccount, isPaused }: NoticeRule,
  record: NoticedRecord,
): boolean {
  if (isPaused || (!ofEveryAccount && !record.accountIds.includes(accountId))) return false;
  const isOutcome = outcomes.length === 0 || outcomes.includes(record.outcome);
  return isOutcome && (kinds.length === 0 || kinds.includes(record.kind));
}

/** `https://hooks.slack.com/…Z9x2`: where to, and no key to it. */
export function shownTarget(channel: NoticeChannel, target: string): string {
  if (channel === 'email') return target;
  const origin = URL.canParse(target) ? new URL(target).origin : '';
  return `${origin}/…${target.slice(-4)}`;
}
