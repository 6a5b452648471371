/** Users: found, made, changed, given credits, sent their link, deleted. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { showText } from '../../src/domain/shown-text.ts';
import {
  READ_PLAN_NAMES,
  READ_USERS,
  RESET_PASSWORD,
  SEND_CREATION_EMAIL,
  type UserRow,
} from '../gen/documents.ts';
import { type AccountInfo, change } from '../parts/api.ts';
import { formatNumber } from '../parts/format.ts';
import { type Connection, More, type Paged, usePaged } from '../parts/paged.tsx';
import { Button, Empty, Fault, Notice, Search, Table, Title } from '../parts/parts.tsx';
import { useQuery, useWork } from '../parts/use-query.ts';
import type { TextKey } from '../texts/en.ts';
import { t } from '../texts/language.ts';
import { UserDialog } from './user-dialog.tsx';

export function UsersPage({ account }: { account: AccountInfo }): JSX.Element {
  const [filter, setFilter] = useState('');
  const [edited, setEdited] = useState<UserRow | 'new' | null>(null);
  const users = usePaged(READ_USERS, { filter }, ({ users: found }: { users: Connection<UserRow> }) => found);
  const { data } = useQuery(READ_PLAN_NAMES, {});
  const isAdmin = account.role === 'admin';
  return (
    <>
      <div class="page-head">
        <Title>{t('navUsers')}</Title>
        <Button kind="main" onPress={() => setEdited('new')}>
          {t('createUser')}
        </Button>
      </div>
      <Search>
        <input
          type="search"
          aria-label={t('searchUsers')}
          placeholder={t('searchUsers')}
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
      </Search>
      <Users {...{ users, isAdmin }} onEdit={setEdited} />
      {edited !== null && (
        <UserDialog
          user={edited === 'new' ? null : edited}
          plans={data?.plans ?? []}
          {...{ isAdmin }}
          onClose={() => setEdited(null)}
          onDone={() => {
            setEdited(null);
            users.reload();
          }}
        />
      )}
    </>
  );
}

interface UsersProps {
  users: Paged<UserRow>;
  isAdmin: boolean;
  onEdit: (user: UserRow) => void;
}

function Users({ users, isAdmin, onEdit }: UsersProps): JSX.Element {
  const [done, setDone] = useState('');
  const { fault, run } = useWork();
  const mail = ({ id, email }: UserRow) =>
    run(async () => {
      await change(SEND_CREATION_EMAIL, { id });
      setDone(t('mailSent', { email }));
    });
  const link = ({ email }: UserRow) =>
    run(async () => setDone((await change(RESET_PASSWORD, { email })).link));
  return (
    <>
      <Fault error={users.error ?? fault} />
      {done !== '' && (
        <Notice kind="good">
          <span class="long">{done}</span>
        </Notice>
      )}
      {users.nodes.length === 0 && !users.isLoading && <Empty title={t('noUsers')} />}
      {users.nodes.length > 0 && (
        <Table caption={t('navUsers')} head={[t('name'), t('role'), t('plan'), t('creditsLeft'), '']}>
          {users.nodes.map((user) => (
            <Row
              key={user.id}
              {...{ user, isAdmin }}
              onEdit={() => onEdit(user)}
              onMail={() => void mail(user)}
              onLink={() => void link(user)}
            />
          ))}
        </Table>
      )}
      <More {...users} />
    </>
  );
}

interface RowProps {
  user: UserRow;
  isAdmin: boolean;
  onEdit: () => void;
  onMail: () => void;
  onLink: () => void;
}

function Row({ user, isAdmin, onEdit, onMail, onLink }: RowProps): JSX.Element {
  const { email, role, readonly, pricing, balance, hasPassword } = user;
  const name = showText(user.name);
  return (
    <tr>
      <td>
        <div class="row-name">
          <strong>{name}</strong>
          <small class="quiet">
            {email}
            {!hasPassword && ` · ${t('noPasswordYet')}`}
          </small>
        </div>
      </td>
      <td>
        {t(`role_${role}` as TextKey)}
        {readonly && <small class="quiet"> {t('readonly')}</small>}
      </td>
      <td>{showText(pricing.name)}</td>
      <td class="figure">{formatNumber(balance)}</td>
      <td class="actions">
        <Button label={`${t('edit')}: ${name}`} onPress={onEdit}>
          {t('edit')}
        </Button>
        <Button label={`${t('mailLink')}: ${name}`} onPress={onMail}>
          {t('mailLink')}
        </Button>
        {isAdmin && (
          <Button label={`${t('passwordLink')}: ${name}`} onPress={onLink}>
            {t('passwordLink')}
          </Button>
        )}
      </td>
    </tr>
  );
}
