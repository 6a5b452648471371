/** Four eyes are those of two people: an account counts as a person only if no other had its key, link or mailbox. */
import { AppError } from '../../domain/errors.ts';
import type { SignOffObstacle } from '../../domain/records/sign-off.ts';
import { counted, personLabel } from '../../domain/shown-text.ts';
import { formatTime } from '../../domain/time.ts';
import type { StoreReader } from '../../store/reader.ts';
import { accessSubject } from '../../store/tables/stored-custody.ts';
import type { Principal } from '../callers/principal.ts';

/** Looked-at entries, newest first: with more, an older one could be pushed out of sight, so the sign-off is refused. */
export const ACCESS_ENTRIES_MAX = 1000;
const DAY_US = 24 * 3600 * 1_000_000;

/** Another account had access to this one. */
interface Access extends SignOffObstacle {
  actorId: number;
  at: number;
}

const CODES: ReadonlyMap<string, SignOffObstacle['code']> = new Map([
  ['key.create', 'key_made'],
  ['key.replace', 'key_replaced'],
  ['key.reveal', 'key_shown'],
  ['password.link', 'password_link'],
]);

/** Throws `role` if one person could be behind both accounts. */
export function assertOtherPerson(
  read: StoreReader,
  principal: Principal,
  { askerId, now }: { askerId: number; now: number },
): void {
  const obstacle = sentenceOf(obstaclesTo(read, { askerId, judgeId: principal.account.id, now }));
  if (obstacle !== null) throw new AppError('role', `${obstacle}. Somebody else has to agree`);
}

export interface Obstacles {
  /** Empty if nothing shows that one person could be behind both accounts. */
  obstacles: SignOffObstacle[];
  obstacleDays: number;
}

/** Behind an account are itself and everyone who had it in hand within the plan's term, since a link opens a session. */
export function obstaclesTo(
  read: StoreReader,
  { askerId, judgeId, now }: { askerId: number; judgeId: number; now: number },
): Obstacles {
  const obstacleDays = termOf(read, askerId);
  const asker = accessOf(read, askerId, now - obstacleDays * DAY_US);
  const own = accessOf(read, judgeId, now - obstacleDays * DAY_US);
  if (asker === null || own === null) {
    return { obstacles: [unknownAccess(read, own === null ? judgeId : askerId)], obstacleDays };
  }
  const behindOwn = new Set([judgeId, ...own.map(({ actorId }) => actorId)]);
  const shared =
    asker.find(({ actorId }) => behindOwn.has(actorId)) ?? own.find(({ actorId }) => actorId === askerId);
  if (shared === undefined) return { obstacles: [], obstacleDays };
  const also = own.find(({ actorId }) => actorId === shared.actorId);
  const obstacles = also === undefined || also === shared ? [shared] : [shared, also];
  return { obstacles, obstacleDays };
}

/** Null without an obstacle. */
export function sentenceOf({ obstacles, obstacleDays: days }: Obstacles): string | null {
  const [first] = obstacles;
  if (first === undefined) return null;
  const parts = obstacles.map(describe).join(', and ');
  if (first.code === 'unknown') return `who had it in hand is not known: ${parts}`;
  const term = days === 0 ? '' : `; this counts for ${counted(days, 'day')}, and as long as the key is valid`;
  return `one person could be both: ${parts}${term}`;
}

/** Days in the plan of the finding's account. */
function termOf(read: StoreReader, accountId: number): number {
  return read.accounts.planUnlessDamaged(accountId)?.fourEyesDays ?? 0;
}

/** Accesses since that time, and by keys that are still valid, however old. Null if there are too many entries. */
function accessOf(read: StoreReader, accountId: number, since: number): Access[] | null {
  const valid = new Set(read.accounts.apiKeys(accountId).map(({ id }) => id));
  const rows = read.custody.rowsOf([accessSubject(accountId)], { limit: ACCESS_ENTRIES_MAX });
  if (rows.length === ACCESS_ENTRIES_MAX) return null;
  return rows.flatMap(({ actor, at, kind, details }) => {
    const keyId = kind.startsWith('key.') ? Number(details?.target?.split('/')[1]) : null;
    const isValid = keyId !== null && valid.has(keyId);
    // The rows go back in time: knowledge of a key from before it was replaced gives no access.
    if (keyId !== null && kind !== 'key.reveal') valid.delete(keyId);
    if (actor === null || actor === accountId || (at < since && !isValid)) return [];
    const code = CODES.get(kind) ?? 'mailbox';
    const names = { accountName: nameOf(read, accountId), actorName: nameOf(read, actor) };
    return [{ code, accountId, actorId: actor, ...names, keyId, at }];
  });
}

function unknownAccess(read: StoreReader, accountId: number): SignOffObstacle {
  const names = { accountName: nameOf(read, accountId), actorName: '' };
  return { code: 'unknown', accountId, ...names, actorId: null, keyId: null, at: null };
}

function describe(obstacle: SignOffObstacle): string {
  const { code, accountId, accountName, actorId, actorName, keyId, at } = obstacle;
  const whose = personLabel(accountId, accountName);
  if (actorId === null || at === null) return `${whose} has had ${ACCESS_ENTRIES_MAX} keys and links or more`;
  const what = {
    key_made: `made key ${keyId} of`,
    key_replaced: `replaced key ${keyId} of`,
    key_shown: `was shown key ${keyId} of`,
    password_link: 'made a password link for',
    mailbox: 'changed the e-mail address of',
    unknown: 'had in hand',
  }[code];
  return `${personLabel(actorId, actorName)} ${what} ${whose} on ${formatTime(at).slice(0, 10)}`;
}

const nameOf = (read: StoreReader, id: number): string => read.accounts.getUnlessDamaged(id)?.name ?? '';
