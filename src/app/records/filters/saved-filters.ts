/** Filters of the record list that an account keeps by name; a read-only account may, too. */
import { AppError, badField } from '../../../domain/errors.ts';
import {
  FILTER_NAME_CHARACTERS_MAX,
  isNarrowing,
  SAVED_FILTERS_MAX,
  type SavedFilter,
} from '../../../domain/records/saved-filter.ts';
import { currentAccount } from '../../callers/authority.ts';
import type { Principal } from '../../callers/principal.ts';
import type { Core } from '../../core.ts';
import { parseLine } from '../../field-parsers.ts';
import { parseRecordFilter } from './record-filter.ts';

type FilterParts = Pick<Core, 'store'>;

interface SaveInput extends Partial<Omit<SavedFilter, 'name'>> {
  principal: Principal;
  name: string;
}

/** In the order in which they were saved. */
export function listSavedFilters(
  { store }: FilterParts,
  { principal }: { principal: Principal },
): SavedFilter[] {
  return store.read.accounts.savedFilters(principal.account.id);
}

/** Replaces the one of the same name, or comes last. */
export async function saveFilter(
  { store }: FilterParts,
  { principal, ...fields }: SaveInput,
): Promise<SavedFilter> {
  const filter = parseFilter(fields);
  await store.transact((tx) => {
    const { id } = currentAccount(tx, principal);
    const known = tx.accounts.savedFilters(id);
    const isKnown = known.some(({ name }) => name === filter.name);
    if (!isKnown && known.length >= SAVED_FILTERS_MAX) {
      throw new AppError(
        'too_many',
        `an account has at most ${SAVED_FILTERS_MAX} saved filters: remove one first`,
      );
    }
    const next = isKnown ? known.map((one) => (one.name === filter.name ? filter : one)) : [...known, filter];
    tx.accounts.putSavedFilters(id, next);
  });
  return filter;
}

function parseFilter({ name: given, kind = null, ...fields }: Omit<SaveInput, 'principal'>): SavedFilter {
  const name = parseLine({ name: given }, 'name', FILTER_NAME_CHARACTERS_MAX) ?? '';
  const { waitsForMe, deskId: desk_id, ...narrowing } = fields;
  const parsed = parseRecordFilter({ ...narrowing, desk_id, waits_for_me: waitsForMe });
  const { outcome = null, search = '', text = '', since = null, until = null, deskId = null } = parsed;
  const isWaiting = waitsForMe === true;
  const filter = { name, kind, outcome, search, text, since, until, deskId, waitsForMe: isWaiting };
  if (isNarrowing(filter)) return filter;
  throw badField(
    'filter',
    'expected kind, outcome, search, text, since, until, desk_id or waits_for_me, found nothing that narrows a list',
  );
}

export async function removeSavedFilter(
  { store }: FilterParts,
  { principal, name }: { principal: Principal; name: string },
): Promise<SavedFilter> {
  return await store.transact((tx) => {
    const { id } = currentAccount(tx, principal);
    const known = tx.accounts.savedFilters(id);
    const removed = known.find((one) => one.name === name);
    if (removed === undefined) throw new AppError('saved_filter', 'no saved filter of this name');
    tx.accounts.putSavedFilters(
      id,
      known.filter((one) => one !== removed),
    );
    return removed;
  });
}
