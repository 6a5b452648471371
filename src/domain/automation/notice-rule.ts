/** Rules of notices: which ended records are announced, and where. No I/O. */
import type { MediaKind } from '../media/media.ts';
import { OUTCOMES, type Outcome } from '../records/outcome.ts';

export const NOTICE_CHANNELS = ['slack', 'teams', 'mattermost', 'email'] as const;
export type NoticeChannel = (typeof NOTICE_CHANNELS)[number];

export const NOTICE_OUTCOMES = OUTCOMES.filter((outcome) => outcome !== 'waiting');

export interface NoticeRule {
  id: number;
  accountId: number;
  name: string;
  channel: NoticeChannel;
  /** The webhook's address, or an e-mail address: sealed, since anyone who knows a webhook's address can write there. */
  sealedTarget: Uint8Array;
  /** The target as lists show it: enough to recognise it. */
  target: string;
  /** Empty: any. */
  outcomes: readonly Outcome[];
  /** Empty: any. */
  kinds: readonly MediaKind[];
  /** Announces the records of all accounts; only for administrators. */
  ofEveryAccount: boolean;
  isPaused: boolean;
  /** Why the rule paused itself; empty if a person paused it, or it is active. */
  reason: string;
  createdAt: number;
}

export interface NoticedRecord {
  /** The record's account, or the members of its desk. */
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

/** `https://hooks.slack.com/…Z9x2`: shows where notices go, and gives no access to it. */
export function shownTarget(channel: NoticeChannel, target: string): string {
  if (channel === 'email') return target;
  const origin = URL.canParse(target) ? new URL(target).origin : '';
  return `${origin}/…${target.slice(-4)}`;
}
