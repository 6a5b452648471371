/** Turns ended records into notices: which rules apply, and sending one to its channel. */
import { randomUUID } from 'node:crypto';
import { NOTICE_BODIES, type Notice, toMail } from '../../domain/answers/notice-texts.ts';
import { type RecordSummary, summaryOf } from '../../domain/answers/record-summary.ts';
import type { WebhookDelivery } from '../../domain/answers/webhook.ts';
import { type NoticeRule, wantsNotice } from '../../domain/automation/notice-rule.ts';
import { AppError } from '../../domain/errors.ts';
import type { Classification } from '../../domain/records/classification.ts';
import { webhookRule } from '../../machinery/address.ts';
import type { AccountParts } from '../accounts/parts.ts';
import { membersAt } from '../callers/rights.ts';
import { unlessRefused } from '../records/find-records.ts';
import type { RecordParts } from '../records/parts.ts';
import { readRecord } from '../records/record.ts';
import { noticeRuleOf, type SentAnswer } from '../webhooks/attempt.ts';
import { postPlain } from '../webhooks/post.ts';

export interface NoticeParts extends AccountParts, RecordParts {}

/** Bound per transaction, which holds up everything else for some milliseconds. */
const RECORDS_AT_ONCE = 50;
/** A chat answers at once, or is down. */
const TIMEOUT_MS = 15_000;

/** Makes a delivery for each rule that fits an ended record, in one transaction. Resolves with whether there may be more. */
export async function spreadNotices(app: NoticeParts): Promise<boolean> {
  const { store, clock } = app;
  const marks = store.read.automation.pendingNotices(RECORDS_AT_ONCE);
  if (marks.length === 0) return false;
  const rules = store.read.automation.noticeRules();
  const wanted = marks.flatMap(({ identifier }) => {
    // Read first: a damaged or deleted record is not announced, and must not hold up the others.
    const said = unlessRefused(() => summaryOfRecord(app, identifier));
    const record = said && store.read.records.get(identifier);
    if (said === undefined || record === undefined) return [];
    const noticed = { accountIds: noticedAccounts(app, record), kind: said.kind, outcome: said.outcome };
    return rules.filter((rule) => wantsNotice(rule, noticed)).map((rule) => ({ rule, identifier }));
  });
  await store.transact((tx) => {
    for (const { rule, identifier } of wanted) tx.putDelivery(newDelivery(rule, identifier, clock.now()));
    for (const mark of marks) tx.removePendingNotice(mark);
  });
  return marks.length === RECORDS_AT_ONCE;
}

/** A rule covers what its account may read. */
function noticedAccounts({ store: { read } }: NoticeParts, record: Classification): number[] {
  if (record.deskId === undefined) return [record.accountId];
  return membersAt(read, record).map(({ accountId }) => accountId);
}

function newDelivery(
  { id, accountId, target }: NoticeRule,
  identifier: string,
  now: number,
): WebhookDelivery {
  return {
    id: `msg_${randomUUID().replaceAll('-', '')}`,
    accountId,
    identifier,
    url: target,
    state: 'pending',
    noticeId: id,
    attempts: [],
    createdAt: now,
    seriesAt: now,
    nextAttemptAt: now,
  };
}

/** One attempt; rejects only if `signal` aborted. */
export async function sendNotice(
  app: NoticeParts,
  delivery: WebhookDelivery,
  signal: AbortSignal,
): Promise<SentAnswer> {
  const rule = noticeRuleOf(app.store.read, delivery);
  if (rule === undefined) return unsent('the rule was removed');
  try {
    return await deliver(app, rule, noticeOf(app, rule, delivery.identifier), signal);
  } catch (error) {
    signal.throwIfAborted();
    app.log.error({ err: error, rule: rule.id }, 'a notice could not be made');
    return unsent(error instanceof AppError ? error.message : 'the message could not be made');
  }
}

function noticeOf(app: NoticeParts, rule: NoticeRule, identifier: string): Notice {
  const ownerId = app.store.read.records.get(identifier)?.accountId;
  const isForeign = ownerId !== undefined && ownerId !== rule.accountId;
  const accountName = isForeign ? (app.store.read.accounts.getUnlessDamaged(ownerId)?.name ?? '') : '';
  return app.refusals.shown(identifier, () => {
    const record = readRecord(app, identifier);
    return { ...summaryOf(record), headline: record.headline, accountName, isTest: false };
  });
}

function summaryOfRecord(app: NoticeParts, identifier: string): RecordSummary {
  return app.refusals.shown(identifier, () => summaryOf(readRecord(app, identifier)));
}

/** Sends a notice to the rule's channel at once. */
export async function deliver(
  app: AccountParts,
  rule: NoticeRule,
  notice: Notice,
  signal: AbortSignal,
): Promise<SentAnswer> {
  const target = app.sealer.unseal(rule.sealedTarget);
  if (rule.channel === 'email') return await mail(app, target, notice);
  const body = JSON.stringify(NOTICE_BODIES[rule.channel](notice));
  const address = { rule: webhookRule(app.config), url: target, timeoutMs: TIMEOUT_MS };
  return await postPlain({ ...address, body }, signal);
}

/** A mail server's answer to accepted mail (RFC 5321). */
const MAIL_TAKEN = 250;

async function mail({ mailer }: AccountParts, address: string, notice: Notice): Promise<SentAnswer> {
  try {
    await mailer.send({ to: { name: '', address }, ...toMail(notice) });
    return { status: MAIL_TAKEN, error: '', retryAfterSeconds: null };
  } catch (error) {
    return unsent(error instanceof AppError ? error.message : String(error));
  }
}

const unsent = (error: string): SentAnswer => ({ status: null, error, retryAfterSeconds: null });
