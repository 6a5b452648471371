/** Findings that wait for sign-off, and their answers. `rights.ts` says who may read and answer. */
import { holderOf, holderOfDesk, includesRole } from '../../domain/desk.ts';
import type { MediaKind } from '../../domain/media/media.ts';
import type { Classification, Override } from '../../domain/records/classification.ts';
import { type FindingEntry, type SignOff, stateOfSignOff } from '../../domain/records/sign-off.ts';
import type { StoreReader } from '../../store/reader.ts';
import type { DamagedRow } from '../../store/records/record-reader.ts';
import { accountNameOf } from '../accounts/audit.ts';
import { managedAccounts } from '../callers/authority.ts';
import type { Principal } from '../callers/principal.ts';
import { type Caller, type FileOfRecord, mayOn } from '../callers/rights.ts';
import type { RecordParts } from './parts.ts';

/** Files whose records one list looks at; further ones follow as these are answered. */
export const WAITING_FILES_MAX = 1000;

/** The newest record of each file whose finding waits for the caller; if none can be read, one of the question's time. */
export function recordsThatWaitFor(
  { store: { read } }: RecordParts,
  principal: Principal,
  wantedKind: MediaKind | undefined,
): (Classification | DamagedRow)[] {
  const files = holdersToJudge(read, principal)
    .flatMap((holder) => read.filesOfOpenSignOffs(holder, WAITING_FILES_MAX))
    .slice(0, WAITING_FILES_MAX);
  return files.flatMap(({ holder, kind, hash, askedAt }): (Classification | DamagedRow)[] => {
    if (wantedKind !== undefined && kind !== wantedKind) return [];
    const finding = read.overrideUnlessDamaged(holder, kind, hash);
    if (finding === undefined || !mayAnswer(read, finding, principal)) return [];
    const records = read.classificationsOfHash(holder, kind, hash);
    const [newest] = records.toSorted((left, right) => right.createdAt - left.createdAt);
    if (newest !== undefined) return [newest];
    const [identifier] = read.damagedOfHash(holder, kind, hash);
    if (identifier === undefined) return [];
    return [{ identifier, createdAt: askedAt, texts: undefined, isDamaged: true }];
  });
}

/** Whether the caller is another person than the one who stated it, and may answer. */
export function mayAnswer(read: StoreReader, finding: Override, caller: Caller): boolean {
  return finding.byAccountId !== caller.account.id && mayOn(read, 'sign_off', finding, caller);
}

/** The holders whose findings the caller may answer; null means all. */
function holdersToJudge(read: StoreReader, principal: Principal): (number | null)[] {
  const managed = managedAccounts(read, principal);
  if (managed.includes(null)) return managed;
  const { id, role } = principal.account;
  const own = read.desks.membershipsOf(id).filter((member) => includesRole(member.role, 'signs_off'));
  const led = role === 'partner' ? read.desks.all().filter(({ partnerId }) => partnerId === id) : [];
  const deskIds = [...own.map(({ deskId }) => deskId), ...led.map((desk) => desk.id)];
  return [...managed, ...[...new Set(deskIds)].map(holderOfDesk)];
}

/** Sign-off of the current finding. Null if none was asked for or demanded by the plan. */
export function signOffOf(read: StoreReader, finding: Override): SignOff | null {
  const asked = askedSignOffOf(read, finding);
  if (asked !== null || !demandsSignOff(read, finding.accountId)) return asked;
  return { ...aboutOf(read, finding), state: 'open', askedAt: null, answers: [] };
}

/** Every finding of the file by the account or the desk, oldest first, with its sign-off. */
export function findingsOf(read: StoreReader, file: FileOfRecord): FindingEntry[] {
  const findings = read.overrideHistory(holderOf(file), file.kind, file.hash);
  return findings.map((finding) => ({
    ...finding,
    byName: accountNameOf(read.accounts, finding.byAccountId),
    signOff: askedSignOffOf(read, finding),
  }));
}

/** Sign-off of any finding, even one that was changed or taken back. Null if none was asked for. */
function askedSignOffOf(read: StoreReader, finding: Override): SignOff | null {
  const stored = read.signOff(finding);
  if (stored === undefined) return null;
  const askedAt = stored.asks.at(-1) ?? null;
  const answers = stored.answers.map((answer) => ({
    ...answer,
    byName: accountNameOf(read.accounts, answer.byAccountId),
  }));
  return { ...aboutOf(read, finding), state: stateOfSignOff(stored), askedAt, answers };
}

function aboutOf({ accounts }: StoreReader, { classification, at, byAccountId, reason }: Override) {
  const byName = accountNameOf(accounts, byAccountId);
  return { classification, findingAt: at, byAccountId, byName, reason };
}

function demandsSignOff(read: StoreReader, accountId: number): boolean {
  return read.accounts.planUnlessDamaged(accountId)?.fourEyes === true;
}
