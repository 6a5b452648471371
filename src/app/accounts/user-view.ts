/** An account as others may see it: the documented User (docs/interface.md) and what the newer facades add. */
import type { Account } from '../../domain/accounts/account.ts';
import type { UserView } from '../../domain/contract/account.ts';
import type { StoreReader } from '../../store/reader.ts';
import type { Principal } from '../callers/principal.ts';
import { NOTHING_STATED } from './account-rules.ts';

/** The partner is complete only for itself and the administrator; its users see its name, not its balance or telephone. */
export function toUserView(
  { store }: { store: { read: StoreReader } },
  account: Account,
  viewer?: Principal,
): UserView {
  const { read } = store;
  const partner = account.partnerId === null ? undefined : read.accounts.getUnlessDamaged(account.partnerId);
  if (partner === undefined || partner.deletedAt !== null) return viewOf(read, account, null);
  const isWhole = viewer?.account.role === 'admin' || viewer?.account.id === partner.id;
  return viewOf(read, account, isWhole ? viewOf(read, partner, null) : contactCard(partner));
}

function viewOf(read: StoreReader, account: Account, partner: UserView | null): UserView {
  const { id, name, email, role, heuristic, readonly, c2paPolicy, planId, passwordHash } = account;
  const { address, zip, city, country, phone, contact, vat } = account;
  const { emailVerifiedAt, termsAcceptedAt, createdAt, updatedAt } = account;
  const plan = read.accounts.plans.getUnlessDamaged(planId);
  return {
    id,
    name,
    email,
    role,
    heuristic,
    readonly,
    c2paPolicy,
    address,
    zip,
    city,
    country,
    phone,
    contact,
    vat,
    emailVerifiedAt,
    termsAcceptedAt,
    createdAt,
    updatedAt,
    balance: read.balance(id).available,
    hasPassword: passwordHash !== null,
    pricing: { id: planId, name: plan?.name ?? '', sku: plan?.sku ?? '' },
    partner,
  };
}

function contactCard({ id, name, email, role, heuristic, createdAt }: Account): UserView {
  return {
    id,
    name,
    email,
    role,
    heuristic,
    ...NOTHING_STATED,
    createdAt,
    updatedAt: createdAt,
    balance: 0,
    hasPassword: false,
    pricing: { id: 0, name: '', sku: '' },
    partner: null,
  };
}
