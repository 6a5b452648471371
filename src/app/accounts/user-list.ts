/** The list of users as docs/interface.md pages it: filtered, sorted, all at once unless a page size is given. */
import type { Account } from '../../domain/accounts/account.ts';
import type { UserView } from '../../domain/contract/account.ts';
import type { StoreReader } from '../../store/reader.ts';
import { assertPartner } from '../callers/authority.ts';
import type { Principal } from '../callers/principal.ts';
import { parseEach } from '../check-each.ts';
import { parseChoice, parseText, parseWhole, type RawFields } from '../field-parsers.ts';
import { ACCOUNTS_MAX } from './account-rules.ts';
import type { AccountParts } from './parts.ts';
import { toUserView } from './user-view.ts';

type SortKey = (account: Account, read: StoreReader) => string | number | null;

/** Sort keys of docs/interface.md. */
const SORT_KEYS = {
  id: (account) => account.id,
  name: (account) => account.name,
  email: (account) => account.email,
  email_verified_at: (account) => account.emailVerifiedAt,
  address: (account) => account.address,
  zip: (account) => account.zip,
  city: (account) => account.city,
  country: (account) => account.country,
  phone: (account) => account.phone,
  contact: (account) => account.contact,
  vat: (account) => account.vat,
  created_at: (account) => account.createdAt,
  updated_at: (account) => account.updatedAt,
  balance: (account, read) => read.balance(account.id).available,
  heuristic: (account) => account.heuristic,
  readonly: (account) => Number(account.readonly),
  pricing: (account) => account.planId,
} as const satisfies Record<string, SortKey>;

export type UserSort = keyof typeof SORT_KEYS;
export const USER_SORTS = Object.keys(SORT_KEYS) as UserSort[];

const FILTER_CHARACTERS_MAX = 254;
const PAGE_MAX = 1_000_000_000;

export interface UserPage {
  currentPage: number;
  /** Positions of the page's first and last user in the whole list, from 1; 0 if the page is empty. */
  from: number;
  to: number;
  lastPage: number;
  perPage: number;
  total: number;
  nextPageUrl: string | null;
  data: UserView[];
}

interface UserQuery {
  filter: string;
  planId: number | undefined;
  sort: UserSort;
  isDescending: boolean;
  perPage: number | undefined;
  page: number;
}

/** A partner's own users, or all accounts for the administrator, by the `fields` of the query. */
export function listUsers(
  app: AccountParts,
  { principal, fields }: { principal: Principal; fields: RawFields },
): UserPage {
  assertPartner(principal);
  const query = parseQuery(fields);
  const found = app.store.read.accounts.all().filter((account) => isListed(account, principal, query));
  const sorted = sortAccounts(found, app.store.read, query);
  const total = sorted.length;
  const perPage = query.perPage ?? total;
  const start = (query.page - 1) * perPage;
  const data = sorted.slice(start, start + perPage).map((account) => toUserView(app, account, principal));
  const lastPage = Math.max(1, Math.ceil(total / Math.max(1, perPage)));
  return {
    currentPage: query.page,
    from: data.length === 0 ? 0 : start + 1,
    to: data.length === 0 ? 0 : start + data.length,
    lastPage,
    perPage,
    total,
    nextPageUrl: query.page < lastPage ? nextPageUrl(app.config.publicUrl, fields, query.page + 1) : null,
    data,
  };
}

function parseQuery(fields: RawFields): UserQuery {
  return parseEach<UserQuery>({
    filter: () => (parseText(fields, 'filter', FILTER_CHARACTERS_MAX) ?? '').toLowerCase(),
    planId: () => parseWhole(fields, 'pricing_id', 1, Number.MAX_SAFE_INTEGER),
    sort: () => parseChoice(fields, 'sort', USER_SORTS) ?? 'id',
    isDescending: () => parseChoice(fields, 'direction', ['asc', 'desc']) === 'desc',
    perPage: () => parseWhole(fields, 'per_page', 1, ACCOUNTS_MAX),
    page: () => parseWhole(fields, 'page', 1, PAGE_MAX) ?? 1,
  });
}

function isListed(account: Account, { account: caller }: Principal, { filter, planId }: UserQuery): boolean {
  if (account.deletedAt !== null) return false;
  if (caller.role !== 'admin' && account.partnerId !== caller.id) return false;
  if (planId !== undefined && account.planId !== planId) return false;
  return account.name.toLowerCase().includes(filter) || account.email.toLowerCase().includes(filter);
}

/** Equal ones stay in order, so that pages neither repeat nor miss anybody; missing values come last. */
function sortAccounts(accounts: Account[], read: StoreReader, { sort, isDescending }: UserQuery): Account[] {
  const keyOf: SortKey = SORT_KEYS[sort];
  const sign = isDescending ? -1 : 1;
  const keyed = accounts.map((account) => ({ account, key: foldCase(keyOf(account, read)) }));
  keyed.sort((left, right) => {
    if (left.key === right.key) return sign * (left.account.id - right.account.id);
    if (left.key === null || right.key === null) return left.key === null ? 1 : -1;
    return sign * (left.key < right.key ? -1 : 1);
  });
  return keyed.map(({ account }) => account);
}

function foldCase(key: string | number | null): string | number | null {
  return typeof key === 'string' ? key.toLowerCase() : key;
}

/** The same query, for the next page. */
function nextPageUrl(publicUrl: string, fields: RawFields, page: number): string {
  const query = new URLSearchParams();
  for (const name of ['filter', 'pricing_id', 'sort', 'direction', 'per_page']) {
    const value = fields[name];
    if (value !== undefined && value !== null && value !== '') query.set(name, String(value));
  }
  query.set('page', String(page));
  return `${publicUrl}/api/partner/users?${query}`;
}
