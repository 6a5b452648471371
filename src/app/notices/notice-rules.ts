/** An account's rules of notices. Each change and its audit line are one transaction. */
import type { Notice } from '../../domain/answers/notice-texts.ts';
import {
  NOTICE_CHANNELS,
  NOTICE_OUTCOMES,
  type NoticeChannel,
  type NoticeRule,
  shownTarget,
} from '../../domain/automation/notice-rule.ts';
import type { NoticeRuleView } from '../../domain/contract/notice-rule.ts';
import { AppError, badField } from '../../domain/errors.ts';
import { ADDRESS_CHARACTERS_MAX } from '../../domain/limits.ts';
import { MEDIA_KINDS } from '../../domain/media/media.ts';
import { assertDeliverable, webhookRule } from '../../machinery/address.ts';
import type { StoreReader } from '../../store/reader.ts';
import { auditLine } from '../accounts/audit.ts';
import type { AccountParts } from '../accounts/parts.ts';
import { assertMayWrite } from '../callers/authenticate.ts';
import { assertAdmin, currentAccount } from '../callers/authority.ts';
import type { Principal } from '../callers/principal.ts';
import { checkEach } from '../check-each.ts';
import { parseBoolean, parseChoice, parseChoices, parseLine, type RawFields } from '../field-parsers.ts';
import { deliver } from './notice-delivery.ts';

/** One per room and desk, with space; each is compared with every record that ends. */
export const NOTICE_RULES_MAX = 20;
const NAME_CHARACTERS_MAX = 100;

type Parsed = Pick<NoticeRule, 'name' | 'channel' | 'outcomes' | 'kinds' | 'ofEveryAccount'>;

/** Fields: `name`, `channel`, `target`, `outcomes`, `kinds`, `of_every_account`. Reports all faults at once. */
export async function createNoticeRule(
  app: AccountParts,
  { principal, fields }: { principal: Principal; fields: RawFields },
  signal: AbortSignal,
): Promise<NoticeRuleView> {
  assertMayWrite(principal);
  const { target, ...parsed } = await parseRule(app, principal, fields, signal);
  const rule = await app.store.transact((tx) => {
    const { id: accountId } = currentAccount(tx, principal);
    const own = tx.automation.noticeRules().filter((one) => one.accountId === accountId);
    if (own.length >= NOTICE_RULES_MAX) {
      throw new AppError(
        'too_many',
        `an account has at most ${NOTICE_RULES_MAX} rules of notices: remove one first`,
      );
    }
    const made: NoticeRule = {
      id: tx.automation.newestNoticeRuleId() + 1,
      accountId,
      ...parsed,
      sealedTarget: app.sealer.seal(target),
      target: shownTarget(parsed.channel, target),
      isPaused: false,
      reason: '',
      createdAt: app.clock.now(),
    };
    tx.automation.putNoticeRule(made);
    const details = {
      channel: made.channel,
      target: made.target,
      every_account: String(made.ofEveryAccount),
    };
    tx.log.appendAudit(auditLine(app, principal, 'notice.create', made.id, details));
    return made;
  });
  return toView(rule);
}

async function parseRule(
  app: AccountParts,
  principal: Principal,
  fields: RawFields,
  signal: AbortSignal,
): Promise<Parsed & { target: string }> {
  const channel = parseChoice(fields, 'channel', NOTICE_CHANNELS);
  if (channel === undefined)
    throw badField('channel', `expected one of ${NOTICE_CHANNELS.join(', ')}, found nothing`);
  const parsed = await checkEach<Parsed & { target: string }>({
    name: () => parseLine(fields, 'name', NAME_CHARACTERS_MAX) ?? channel,
    channel: () => channel,
    target: () => parseTarget(app, principal, { fields, channel }, signal),
    outcomes: () => parseChoices(fields, 'outcomes', NOTICE_OUTCOMES) ?? [],
    kinds: () => parseChoices(fields, 'kinds', MEDIA_KINDS) ?? [],
    ofEveryAccount: () => parseBoolean(fields, 'of_every_account'),
  });
  if (parsed.ofEveryAccount) assertAdmin(principal);
  return parsed;
}

async function parseTarget(
  { config }: AccountParts,
  principal: Principal,
  { fields, channel }: { fields: RawFields; channel: NoticeChannel },
  signal: AbortSignal,
): Promise<string> {
  const target = parseLine(fields, 'target', ADDRESS_CHARACTERS_MAX);
  if (target === undefined) throw badField('target', 'expected an address, found nothing');
  if (channel === 'email') return parseMailAddress(principal, target);
  if (!principal.plan.options.includes('webhook')) {
    throw new AppError(
      'not_enabled',
      'the pricing plan does not enable webhooks, which notices to a chat are',
    );
  }
  await assertDeliverable({ ...webhookRule(config), field: 'target' }, target, signal);
  return target;
}

/** Only administrators may name others' addresses, so that no one fills a foreign mailbox. */
function parseMailAddress({ account }: Principal, target: string): string {
  if (!/^[^\s@<>,;"]{1,64}@[^\s@<>,;"]{1,190}$/.test(target)) {
    throw badField('target', `expected an e-mail address, found ${JSON.stringify(target)}`);
  }
  const isOwn = target.toLowerCase() === account.email.toLowerCase();
  if (isOwn || account.role === 'admin') return target;
  throw badField('target', 'expected the e-mail address of this account; an administrator may name any');
}

export function listNoticeRules(
  app: AccountParts,
  { principal }: { principal: Principal },
): NoticeRuleView[] {
  const own = app.store.read.automation
    .noticeRules()
    .filter(({ accountId }) => accountId === principal.account.id);
  return own.map(toView);
}

export interface NoticeInput {
  principal: Principal;
  id: number;
}

export async function setNoticeRulePaused(
  app: AccountParts,
  { principal, id, isPaused }: NoticeInput & { isPaused: boolean },
): Promise<NoticeRuleView> {
  assertMayWrite(principal);
  return await app.store.transact((tx) => {
    const rule = { ...findOwn(tx, principal, id), isPaused, reason: '' };
    tx.automation.putNoticeRule(rule);
    tx.log.appendAudit(auditLine(app, principal, isPaused ? 'notice.pause' : 'notice.resume', id));
    return toView(rule);
  });
}

export async function removeNoticeRule(
  app: AccountParts,
  { principal, id }: NoticeInput,
): Promise<NoticeRuleView> {
  assertMayWrite(principal);
  return await app.store.transact((tx) => {
    const rule = findOwn(tx, principal, id);
    tx.automation.removeNoticeRule(id);
    tx.log.appendAudit(auditLine(app, principal, 'notice.remove', id, { target: rule.target }));
    return toView(rule);
  });
}

export interface NoticeTest {
  delivered: boolean;
  /** The receiver's status; null without an answer. */
  status: number | null;
  /** Why the receiver did not take it; empty if it did. */
  error: string;
}

/** Sends a test notice once; it is not logged. */
export async function testNoticeRule(
  app: AccountParts,
  { principal, id }: NoticeInput,
  signal: AbortSignal,
): Promise<NoticeTest> {
  assertMayWrite(principal);
  const rule = findOwn(app.store.read, principal, id);
  const { status, error } = await deliver(app, rule, sampleOf(app), signal);
  return { delivered: error === '', status, error };
}

function sampleOf({ config, clock }: AccountParts): Notice {
  return {
    identifier: '0'.repeat(64),
    name: 'example.jpg',
    kind: 'image',
    sha256: '0'.repeat(64),
    refId: '',
    verdict: 'artificial',
    outcome: 'artificial',
    assessment: 'artificial',
    probability: 0.97,
    reasons: ['This is what a reason reads like.'],
    link: `${config.publicUrl}/`,
    error: '',
    createdAt: clock.now(),
    headline: {
      title: { en: 'Artificial', it: 'Artificiale' },
      sentence: {
        en: 'This is how a record’s headline reads.',
        it: 'Così si legge il titolo di una scheda.',
      },
      documented: null,
    },
    accountName: '',
    isTest: true,
  };
}

function findOwn(read: StoreReader, principal: Principal, id: number): NoticeRule {
  const rule = read.automation.noticeRule(id);
  if (rule?.accountId !== principal.account.id) throw new AppError('notice', 'no such rule of notices');
  return rule;
}

function toView({
  sealedTarget: _sealed,
  accountId: _owner,
  outcomes,
  kinds,
  ...rule
}: NoticeRule): NoticeRuleView {
  return { ...rule, outcomes: [...outcomes], kinds: [...kinds] };
}
