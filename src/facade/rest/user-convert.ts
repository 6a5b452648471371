/** A user as docs/interface.md writes it: its documented fields, no more. */
import type { UserPage } from '../../app/accounts/user-list.ts';
import { DOCUMENTED_USER, type UserView } from '../../domain/contract/account.ts';
import { rowsOf, toSnakeCase } from '../../domain/field.ts';
import { formatTime } from '../../domain/time.ts';

export function toUser(view: UserView): object {
  const documented = rowsOf(DOCUMENTED_USER).map(([name, { type }]) => {
    const value = view[name];
    return [toSnakeCase(name), type === 'moment' && value !== null ? formatTime(Number(value)) : value];
  });
  return { ...Object.fromEntries(documented), partner: view.partner === null ? null : toUser(view.partner) };
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
