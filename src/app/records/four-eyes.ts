/**
 * Four eyes are those of two people. An account stands for a person only as long as no other person had it in hand: a key that somebody
 * made for it, a link that sets its password, another mailbox.
 */
import { AppError } from '../../domain/errors.ts';
import { formatTime } from '../../domain/time.ts';
import type { StoreReader } from '../../store/reader.ts';
import { accessSubject } from '../../store/tables/stored-custody.ts';
import type { Principal } from '../callers/principal.ts';

/** Entries that are looked at, the newest first: with more, an older one could be pushed out of sight, so the sign-off is refused. */
export const ACCESS_ENTRIES_MAX = 1000;
const DAY_US = 24 * 3600 * 1_000_000;

/** Somebody other than the account had it in hand. */
interface Access {
  actor: number;
  at: number;
  kind: string;
  accountId: number;
  /** Null for what is no key. */
  keyId: number | null;
}

const WHAT: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    'key.create': 'made',
    'key.replace': 'replaced',
    'key.reveal': 'was shown',
  }),
);

/** Throws `role` if one person could be behind both accounts. */
export function assertOtherPerson(
  read: StoreReader,
  principal: Principal,
  { askerId, now }: { askerId: number; now: number },
): void {
  const obstacle = obstacleOf(read, { askerId, judgeId: principal.account.id, now });
  if (obstacle !== null) throw new AppError('role', `${obstacle}. Somebody else has to agree`);
}

/**
 * Why one person could be behind both accounts; null if nothing shows it. Behind an account stand itself and who had it in hand
 * within the plan's term, whatever the caller showed, since a link opens a session and a session makes keys.
 */
export function obstacleOf(
  read: StoreReader,
  { askerId, judgeId, now }: { askerId: number; judgeId: number; now: number },
): string | null {
  const days = termOf(read, askerId);
  const asker = accessOf(read, askerId, now - days * DAY_US);
  const own = accessOf(read, judgeId, now - days * DAY_US);
  if (asker === null || own === null) {
    const many = `${nameOf(read, own === null ? judgeId : askerId)} has had ${ACCESS_ENTRIES_MAX} keys and links or more`;
    return `who had it in hand is not known: ${many}`;
  }
  const behindOwn = new Set([judgeId, ...own.map(({ actor }) => actor)]);
  const shared =
    asker.find(({ actor }) => behindOwn.has(actor)) ?? own.find(({ actor }) => actor === askerId);
  if (shared === undefined) return null;
  const term = days === 0 ? '' : `; this counts for ${days} days, and as long as the key is valid`;
  const also = own.find(({ actor }) => actor === shared.actor);
  const both = also === undefined || also === shared ? '' : `, and ${describe(read, also)}`;
  return `one person could be both: ${describe(read, shared)}${both}${term}`;
}

/** Days of the plan of the account whose finding it is. */
function termOf(read: StoreReader, accountId: number): number {
  const planId = read.accounts.getUnlessDamaged(accountId)?.planId;
  return (planId === undefined ? undefined : read.accounts.planUnlessDamaged(planId)?.fourEyesDays) ?? 0;
}

/** Since then, and by keys that are still valid, however old they are. Null if there is more than is looked at. */
function accessOf(read: StoreReader, accountId: number, since: number): Access[] | null {
  const valid = new Set(read.accounts.apiKeys(accountId).map(({ id }) => id));
  const rows = read.custody.rowsOf([accessSubject(accountId)], { limit: ACCESS_ENTRIES_MAX });
  if (rows.length === ACCESS_ENTRIES_MAX) return null;
  return rows.flatMap(({ actor, at, kind, details }) => {
    const keyId = kind.startsWith('key.') ? Number(details?.target?.split('/')[1]) : null;
    const isValid = keyId !== null && valid.has(keyId);
    // The rows go back in time: what was known of a key before it was made anew opens nothing.
    if (keyId !== null && kind !== 'key.reveal') valid.delete(keyId);
    if (actor === null || actor === accountId || (at < since && !isValid)) return [];
    return [{ actor, at, kind, accountId, keyId }];
  });
}

function describe(read: StoreReader, { actor, at, kind, accountId, keyId }: Access): string {
  const day = formatTime(at).slice(0, 10);
  const [who, whose] = [nameOf(read, actor), nameOf(read, accountId)];
  if (keyId !== null) return `${who} ${WHAT.get(kind)} key ${keyId} of ${whose} on ${day}`;
  const what = kind === 'password.link' ? 'made a password link for' : 'changed the e-mail address of';
  return `${who} ${what} ${whose} on ${day}`;
}

/** With the number, since two may have one name. */
function nameOf(read: StoreReader, id: number): string {
  const name = read.accounts.getUnlessDamaged(id)?.name ?? '';
  return name === '' ? `account ${id}` : `${name} (account ${id})`;
}
