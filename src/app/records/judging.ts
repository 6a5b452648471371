/**
 * Who may read and judge another's record. A partner and an administrator act on accounts, not on records; a finding that
 * asks for their sign-off opens the records of its file to them, for as long as it stands.
 */
import type { MediaKind } from '../../domain/media/media.ts';
import type { Classification, Override } from '../../domain/records/classification.ts';
import { type FindingEntry, type SignOff, stateOfSignOff } from '../../domain/records/sign-off.ts';
import type { StoreReader } from '../../store/reader.ts';
import type { DamagedRow } from '../../store/records/record-reader.ts';
import { managedAccounts, manages } from '../callers/authority.ts';
import type { Principal } from '../callers/principal.ts';
import type { RecordParts } from './parts.ts';

/** Files whose records one list looks at; if more wait the others follow as these are answered. */
export const WAITING_FILES_MAX = 1000;

/** The account's own record, or another's whose finding asks for the caller's sign-off or has it. */
export function mayRead(
  { store }: Pick<RecordParts, 'store'>,
  principal: Principal,
  record: Classification,
): boolean {
  return record.accountId === principal.account.id || mayJudge(store.read, principal, record);
}

function mayJudge(
  read: StoreReader,
  principal: Principal,
  { accountId, kind, hash }: Classification,
): boolean {
  if (hash === '' || !manages(read, principal, accountId)) return false;
  const finding = read.override(accountId, kind, hash);
  return finding !== undefined && read.signOff(finding) !== undefined;
}

/**
 * The newest record of each file whose finding waits for the caller, in no order. If none of them can be read, one of
 * them, at the time of the question: its own is known to its owner's list only.
 */
export function recordsThatWaitFor(
  { store: { read } }: RecordParts,
  principal: Principal,
  wantedKind: MediaKind | undefined,
): (Classification | DamagedRow)[] {
  const files = managedAccounts(read, principal)
    .flatMap((id) => read.filesOfOpenSignOffs(id, WAITING_FILES_MAX))
    .slice(0, WAITING_FILES_MAX);
  return files.flatMap(({ accountId, kind, hash, askedAt }): (Classification | DamagedRow)[] => {
    if (wantedKind !== undefined && kind !== wantedKind) return [];
    if (accountId === principal.account.id || !manages(read, principal, accountId)) return [];
    const records = read.classificationsOfHash(accountId, kind, hash);
    const [newest] = records.toSorted((left, right) => right.createdAt - left.createdAt);
    if (newest !== undefined) return [newest];
    const [identifier] = read.damagedOfHash(accountId, kind, hash);
    if (identifier === undefined) return [];
    return [{ identifier, createdAt: askedAt, texts: undefined, isDamaged: true }];
  });
}

/** Sign-off of the current finding. Null if none was asked for and the plan demands none. */
export function signOffOf(read: StoreReader, finding: Override): SignOff | null {
  const asked = askedSignOffOf(read, finding);
  if (asked !== null || !demandsSignOff(read, finding.accountId)) return asked;
  return { ...aboutOf(finding), state: 'open', askedAt: null, answers: [] };
}

/** Every finding of the file by the account, oldest first, with its sign-off. */
export function findingsOf(
  read: StoreReader,
  { accountId, kind, hash }: Pick<Override, 'accountId' | 'kind' | 'hash'>,
): FindingEntry[] {
  const findings = read.overrideHistory(accountId, kind, hash);
  return findings.map((finding) => ({ ...finding, signOff: askedSignOffOf(read, finding) }));
}

/** Sign-off of any finding, even one that was changed or taken back. Null if none was asked for. */
function askedSignOffOf(read: StoreReader, finding: Override): SignOff | null {
  const stored = read.signOff(finding);
  if (stored === undefined) return null;
  const { asks, answers } = stored;
  const askedAt = asks.at(-1) ?? null;
  return { ...aboutOf(finding), state: stateOfSignOff(stored), askedAt, answers };
}

function aboutOf({ classification, at, byAccountId, reason }: Override) {
  return { classification, findingAt: at, byAccountId, reason };
}

function demandsSignOff(read: StoreReader, accountId: number): boolean {
  const account = read.accounts.getUnlessDamaged(accountId);
  return account !== undefined && read.accounts.planUnlessDamaged(account.planId)?.fourEyes === true;
}
