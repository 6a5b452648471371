/** Names of people, where the daemon gives their numbers. */
import { showText } from '../../src/domain/shown-text.ts';
import { READ_DESKS } from '../gen/documents.ts';
import { t } from '../texts/language.ts';
import type { AccountInfo } from './api.ts';
import { useQuery } from './use-query.ts';

/** The reader and those of the same desks by name, others by number. */
export function useNames(account: AccountInfo | null): (id: string) => string {
  const { data } = useQuery(READ_DESKS, {});
  const members = (data?.desks ?? []).flatMap((desk) => desk.members);
  const names = new Map(members.map(({ accountId, name }) => [accountId, name]));
  if (account !== null) names.set(String(account.id), account.name);
  return (id) => {
    const name = names.get(id);
    return name === undefined ? t('accountNumber', { id }) : showText(name);
  };
}
