import type { ClassificationRecord } from '../../domain/answers/record.ts';
import { DESK_RIGHTS, heldFor, holderOf, includesRole } from '../../domain/desk.ts';
import { AppError, badField } from '../../domain/errors.ts';
import { OVERRIDE_REASON_CHARACTERS_MAX } from '../../domain/limits.ts';
import type { Classification, Override } from '../../domain/records/classification.ts';
import {
  SIGN_OFF_ASKS_MAX,
  type SignOffJudge,
  type StoredSignOff,
  stateOfSignOff,
} from '../../domain/records/sign-off.ts';
import type { StoreReader } from '../../store/reader.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { auditLine, keyDetail } from '../accounts/audit.ts';
import { assertMayWrite } from '../callers/authenticate.ts';
import { managersOf } from '../callers/authority.ts';
import type { Principal } from '../callers/principal.ts';
import { type FileOfRecord, findingOn, lacksRole, mayOn, membersAt } from '../callers/rights.ts';
import { parseText } from '../field-parsers.ts';
import { allowedClassification, type RecordInput, readableClassification } from './classifications.ts';
import { assertOtherPerson, obstaclesTo, sentenceOf } from './four-eyes.ts';
import { recordsThatWaitFor } from './judging.ts';
import type { RecordParts } from './parts.ts';
import { readRecord } from './record.ts';

/** For the finding's account, or its desk's members who may state findings; again after a disagreement. Throws `sign_off`. */
export async function askSignOff(app: RecordParts, input: RecordInput): Promise<ClassificationRecord> {
  const { principal } = input;
  assertMayWrite(principal);
  const own = allowedClassification(app, input, 'find');
  await app.store.transact((tx) => {
    const finding = findingOf(tx, own);
    const known = tx.signOff(finding);
    if (known !== undefined) assertMayAskAgain(known);
    putAsk(app, tx, { principal, finding, known });
  });
  publishFile(app, own);
  return readRecord(app, own.identifier);
}

/** Runs in the transaction of the finding if the plan demands it, otherwise in its own. */
export function putAsk(
  app: RecordParts,
  tx: StoreTransaction,
  {
    principal,
    finding,
    known,
  }: { principal: Principal; finding: Override; known?: StoredSignOff | undefined },
): void {
  const { accountId, deskId, kind, hash, at: findingAt } = finding;
  const by = auditLine(app, principal, 'sign_off.ask', hash, { kind, ...keyDetail(principal) });
  const before = known ?? {
    ...heldFor(accountId, deskId),
    kind,
    hash,
    findingAt,
    asks: [],
    answers: [],
    ended: null,
  };
  tx.signOffs.put({ ...before, asks: [...before.asks, by.at] }, 'sign_off_asked', by);
}

function assertMayAskAgain(known: StoredSignOff): void {
  const state = stateOfSignOff(known);
  if (state === 'open') throw new AppError('sign_off', 'a sign-off of this finding is asked for already');
  if (state === 'agreed') throw new AppError('sign_off', 'this finding is agreed already');
  if (known.asks.length < SIGN_OFF_ASKS_MAX) return;
  throw new AppError('sign_off', 'this finding was disagreed with twice: change it or take it back');
}

export interface AnswerInput extends RecordInput {
  /** Time of the finding that the caller has read; microseconds since 1970. */
  findingAt: number;
  agrees: boolean;
  reason?: string | undefined;
}

/** For accounts that may judge and did not state it. Throws `sign_off` if none is open, `role` if it may be one person. */
export async function answerSignOff(app: RecordParts, input: AnswerInput): Promise<ClassificationRecord> {
  const { principal, agrees, findingAt } = input;
  assertMayWrite(principal);
  const reason = parseText({ reason: input.reason }, 'reason', OVERRIDE_REASON_CHARACTERS_MAX)?.trim() ?? '';
  if (!agrees && reason === '') throw badField('reason', 'expected why you disagree, found nothing');
  const record = readableClassification(app, input);
  await app.store.transact((tx) => {
    const finding = findingOf(tx, record);
    if (finding.byAccountId === principal.account.id || holderOf(record) === principal.account.id) {
      throw new AppError('role', 'a finding is signed off by another person than who stated it');
    }
    if (!mayOn(tx, 'sign_off', finding, principal)) throw lacksRole('sign_off', 'record');
    const known = tx.signOff(finding);
    if (known === undefined || stateOfSignOff(known) !== 'open') {
      throw new AppError('sign_off', 'no sign-off of this finding is open');
    }
    if (finding.at !== findingAt) {
      throw new AppError('sign_off', 'the finding was changed since it was read: read it again');
    }
    const { kind, hash, classification } = finding;
    if (agrees) assertOtherPerson(tx, principal, { askerId: finding.byAccountId, now: app.clock.now() });
    const action = agrees ? 'sign_off.agree' : 'sign_off.disagree';
    const by = auditLine(app, principal, action, hash, { kind, classification, ...keyDetail(principal) });
    const answer = { agrees, reason, at: by.at, byAccountId: principal.account.id };
    const step = agrees ? 'sign_off_agreed' : 'sign_off_disagreed';
    tx.signOffs.put({ ...known, answers: [...known.answers, answer] }, step, by);
  });
  publishFile(app, record);
  return readRecord(app, record.identifier);
}

/** Accounts that may answer a finding, each with its obstacle. A caller who may answer but not ask sees only itself. */
export function listSignOffJudges(app: RecordParts, input: RecordInput): SignOffJudge[] {
  const { read } = app.store;
  const { principal } = input;
  const record = readableClassification(app, input);
  const isAskedOnly = mayOn(read, 'sign_off', record, principal) && !mayOn(read, 'find', record, principal);
  if (!isAskedOnly) allowedClassification(app, input, 'find');
  const { id: ownId } = principal.account;
  const finding = findingOn(read, record);
  const askerId = finding?.byAccountId ?? ownId;
  const judges = new Set([
    ...membersWhoAnswer(read, record),
    ...managersOf(read, finding?.accountId ?? ownId),
  ]);
  return [...judges].flatMap((judgeId) => {
    if (judgeId === askerId || (isAskedOnly && judgeId !== ownId)) return [];
    const account = read.accounts.getUnlessDamaged(judgeId);
    if (account === undefined || account.deletedAt !== null || account.readonly) return [];
    const found = obstaclesTo(read, { askerId, judgeId, now: app.clock.now() });
    return [{ accountId: judgeId, name: account.name, obstacle: sentenceOf(found), ...found }];
  });
}

function membersWhoAnswer(read: StoreReader, record: Classification): number[] {
  return membersAt(read, record).flatMap(({ accountId, role }) =>
    includesRole(role, DESK_RIGHTS.sign_off) ? [accountId] : [],
  );
}

/** Others' findings that wait for the caller's answer; at most 1,000 are counted. */
export function countSignOffs(app: RecordParts, { principal }: { principal: Principal }): number {
  return recordsThatWaitFor(app, principal, undefined).length;
}

function findingOf(read: StoreReader, record: Classification): Override {
  const finding = findingOn(read, record);
  if (finding !== undefined) return finding;
  throw new AppError('sign_off', 'nobody has stated a finding of this file');
}

/** Notifies watchers of the account and the desk, and accounts that may judge. */
export function publishFile({ store: { read }, feed }: RecordParts, file: FileOfRecord): void {
  const members = membersAt(read, file).map(({ accountId }) => accountId);
  const judges = [...managersOf(read, file.accountId), ...members];
  for (const record of read.classificationsOfHash(holderOf(file), file.kind, file.hash)) {
    feed.publishRecord(record.identifier, record, judges);
  }
}
