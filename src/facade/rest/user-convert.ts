/** A user as interface.md writes it: its documented fields, no more. */
import type { UserPage } from '../../app/accounts/user-list.ts';
import type { UserView } from '../../app/accounts/user-view.ts';
import { formatTime } from '../../domain/time.ts';

export function toUser(view: UserView): object {
  return {
    id: view.id,
    name: view.name,
    email: view.email,
    email_verified_at: view.emailVerifiedAt === null ? null : formatTime(view.emailVerifiedAt),
    address: view.address,
    zip: view.zip,
    city: view.city,
    country: view.country,
    phone: view.phone,
    contact: view.contact,
    vat: view.vat,
    created_at: formatTime(view.createdAt),
    updated_at: formatTime(view.updatedAt),
    balance: view.balance,
    heuristic: view.heuristic,
    readonly: view.readonly,
    pricing: { id: view.pricing.id, name: view.pricing.name, sku: view.pricing.sku },
    partner: view.partner === null ? null : toUser(view.partner),
  };
}

export function toUserPage(page: UserPage): object {
  return {
    current_page: page.currentPage,
    from: page.from,
    last_page: page.lastPage,
    per_page: page.perPage,
    to: page.to,
    total: page.total,
    next_page_url: page.nextPageUrl,
    data: page.data.map(toUser),
  };
}
