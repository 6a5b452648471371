/** The desk that media are sent for. */
import { includesRole } from '../../domain/desk.ts';
import { badField } from '../../domain/errors.ts';
import type { StoreReader } from '../../store/reader.ts';
import type { Principal } from '../callers/principal.ts';

/** The one that is asked for, else the sender's first in which it may submit; undefined if it is for no desk. */
export function findDesk(
  read: StoreReader,
  { account }: Principal,
  askedDeskId: number | null,
): number | undefined {
  if (askedDeskId === 0) return undefined;
  const members = read.desks.membershipsOf(account.id).filter(({ role }) => includesRole(role, 'submits'));
  const deskIds = members.map(({ deskId }) => deskId);
  if (askedDeskId === null) return deskIds[0];
  if (deskIds.includes(askedDeskId)) return askedDeskId;
  const desks = deskIds.length === 0 ? '' : `, or a desk in which you may submit (${deskIds.join(', ')})`;
  throw badField('desk_id', `expected 0 for no desk${desks}, found ${askedDeskId}`);
}
