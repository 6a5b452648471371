import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { showText } from '../../src/domain/shown-text.ts';
import {
  CREATE_USER,
  DELETE_USER,
  GRANT_CREDITS,
  READ_PLAN_NAMES,
  READ_USERS,
  RESET_PASSWORD,
  type ReadPlanNamesAnswer,
  SEND_CREATION_EMAIL,
  UPDATE_USER,
  type UserRow,
} from '../gen/documents.ts';
import { type AccountInfo, change } from '../parts/api.ts';
import { AskedForm } from '../parts/form.tsx';
import { formatNumber } from '../parts/format.ts';
import { type Connection, type Paged, usePaged } from '../parts/paged.tsx';
import { Button, Dialog, Empty, Fault, Notice, Search, Title } from '../parts/parts.tsx';
import { PagedRows } from '../parts/rows.tsx';
import { MailOff } from '../parts/setting-note.tsx';
import { useQuery, useWork } from '../parts/use-query.ts';
import type { TextKey } from '../texts/en.ts';
import { t } from '../texts/language.ts';

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
      <MailOff />
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
      const { sent, file } = await change(SEND_CREATION_EMAIL, { id });
      setDone(sent ? t('mailSent', { email }) : t('mailUnsent', { email, file: file ?? '' }));
    });
  const link = ({ email }: UserRow) =>
    run(async () => setDone((await change(RESET_PASSWORD, { email })).link));
  return (
    <>
      <Fault error={users.error ?? fault} />
      {done !== '' && (
        <Notice>
          <span class="long">{done}</span>
        </Notice>
      )}
      <PagedRows
        of={users}
        none={<Empty title={t('noUsers')} />}
        caption={t('navUsers')}
        keyOf={({ id }) => id}
        nameOf={({ name }) => showText(name)}
        columns={[
          [t('name'), (user) => <Name {...{ user }} />],
          [t('role'), (user) => <RoleName {...{ user }} />],
          [t('plan'), ({ pricing }) => showText(pricing.name)],
          [t('creditsLeft'), ({ balance }) => formatNumber(balance), 'figure'],
        ]}
        actions={[
          { text: t('edit'), press: onEdit },
          { text: t('mailLink'), press: mail },
          { text: t('passwordLink'), when: () => isAdmin, press: link },
        ]}
      />
    </>
  );
}

function Name({ user: { name, email, hasPassword } }: { user: UserRow }): JSX.Element {
  return (
    <div class="row-name">
      <strong>{showText(name)}</strong>
      <small class="quiet">
        {email}
        {!hasPassword && ` · ${t('noPasswordYet')}`}
      </small>
    </div>
  );
}

function RoleName({ user: { role, readonly } }: { user: UserRow }): JSX.Element {
  return (
    <>
      {t(`role_${role}` as TextKey)}
      {readonly && <small class="quiet"> {t('readonly')}</small>}
    </>
  );
}

interface DialogProps {
  /** Null for a new one. */
  user: UserRow | null;
  plans: ReadPlanNamesAnswer['plans'];
  isAdmin: boolean;
  onClose: () => void;
  onDone: () => void;
}

const ROLES = ['USER', 'PARTNER', 'ADMIN'] as const;

function startOf(user: UserRow | null) {
  return {
    name: user?.name ?? '',
    email: user?.email ?? '',
    role: user?.role ?? 'USER',
    pricingId: user?.pricing.id ?? '',
    readonly: user?.readonly ?? false,
    amount: '',
  };
}

type Fields = ReturnType<typeof startOf>;

async function store({ user, plans, isAdmin }: DialogProps, fields: Fields): Promise<void> {
  const { role, pricingId, amount, ...rest } = fields;
  const plan = pricingId === '' ? plans[0]?.id : pricingId;
  const input = { ...rest, pricingId: plan, ...(isAdmin ? { role } : {}) };
  await (user === null ? change(CREATE_USER, { input }) : change(UPDATE_USER, { id: user.id, input }));
  if (user !== null && amount !== '') await change(GRANT_CREDITS, { id: user.id, amount: Number(amount) });
}

function UserDialog(props: DialogProps): JSX.Element {
  const { user, plans, isAdmin, onClose, onDone } = props;
  const [isDeleting, setDeleting] = useState(false);
  const work = useWork();
  const remove = (id: string) => work.run(() => change(DELETE_USER, { id }).then(onDone));
  return (
    <Dialog title={user === null ? t('createUser') : showText(user.name)} {...{ onClose }}>
      <AskedForm
        start={startOf(user)}
        asked={[
          { of: 'name', label: t('name'), isRequired: true },
          { of: 'email', label: t('email'), type: 'email', isRequired: true },
          {
            of: 'pricingId',
            label: t('plan'),
            options: plans.map((plan) => [plan.id, showText(plan.name)] as const),
          },
          {
            of: 'role',
            label: t('role'),
            options: ROLES.map((one) => [one, t(`role_${one}`)] as const),
            when: isAdmin,
          },
          { of: 'amount', label: t('grantCredits'), type: 'number', when: isAdmin && user !== null },
          { of: 'readonly', label: t('readonly'), hint: t('readonlyLead') },
        ]}
        kind="main"
        text={user === null ? t('createUser') : t('save')}
        {...{ onClose, work }}
        send={(fields) => store(props, fields).then(onDone)}
        beside={
          user !== null && (
            <Button
              kind="danger"
              isBusy={work.isBusy}
              onPress={() => (isDeleting ? void remove(user.id) : setDeleting(true))}
            >
              {isDeleting ? t('deleteForGood') : t('delete')}
            </Button>
          )
        }
      />
    </Dialog>
  );
}
