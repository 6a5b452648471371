import type { JSX } from 'preact';
import { showText } from '../../src/domain/shown-text.ts';
import {
  ADD_DESK,
  type Desk,
  type DeskRole,
  READ_DESKS,
  REMOVE_DESK,
  REMOVE_DESK_MEMBER,
  RENAME_DESK,
  SET_DESK_MEMBER,
} from '../gen/documents.ts';
import { type AccountInfo, change } from '../parts/api.ts';
import { DESK_ROLES } from '../parts/desk-roles.ts';
import { AskedForm } from '../parts/form.tsx';
import { Button, Fault, Loading, Panel, Time, Title } from '../parts/parts.tsx';
import { Rows } from '../parts/rows.tsx';
import { useQuery, useWork } from '../parts/use-query.ts';
import { t } from '../texts/language.ts';

export function DesksPage({ account }: { account: AccountInfo }): JSX.Element {
  const { data, error, isLoading, reload } = useQuery(READ_DESKS, {});
  const onChanged = (): void => void reload();
  return (
    <>
      <Title>{t('navDesks')}</Title>
      <p class="quiet">{t('desksLead')}</p>
      <Fault {...{ error }} />
      {isLoading && <Loading />}
      {data?.desks.length === 0 && (
        <p class="quiet">{t(account.role === 'user' ? 'noDesks' : 'noDesksYet')}</p>
      )}
      {(data?.desks ?? []).map((desk) => (
        <DeskPanel key={desk.id} {...{ desk, account, onChanged }} />
      ))}
      {account.role !== 'user' && !account.readonly && <AddDesk onAdded={onChanged} />}
    </>
  );
}

interface DeskProps {
  desk: Desk;
  account: AccountInfo;
  onChanged: () => void;
}

function DeskPanel({ desk, account, onChanged }: DeskProps): JSX.Element {
  const { id, name, ownRole, members } = desk;
  const { isBusy, fault, run } = useWork(onChanged);
  const isManaged = desk.isManaged && !account.readonly;
  const remove = ({ email }: { email: string }) => run(() => change(REMOVE_DESK_MEMBER, { id, email }));
  return (
    <Panel title={showText(name)}>
      <p class="quiet">
        {ownRole === null ? t('deskNoRole') : t('deskOwnRole', { role: t(`deskRole_${ownRole}`) })}
      </p>
      <Rows
        caption={t('deskMembers', { desk: showText(name) })}
        items={members}
        keyOf={({ accountId }) => accountId}
        nameOf={(member) => showText(member.name)}
        {...{ isBusy }}
        columns={[
          [t('name'), (member) => showText(member.name)],
          [t('email'), ({ email }) => showText(email)],
          [t('deskRole'), ({ role }) => t(`deskRole_${role}`)],
          [t('deskSince'), ({ at }) => <Time iso={at} />],
        ]}
        actions={[
          {
            text: t('deskRemoveMember'),
            when: (member) => isManaged && !isSelf(member, account),
            press: remove,
          },
          { text: t('deskLeave'), when: (member) => isSelf(member, account), press: remove },
        ]}
      />
      <Fault error={fault} />
      {isManaged && <SetMember {...{ id, onChanged }} />}
      {isManaged && account.role !== 'user' && <ChangeDesk {...{ desk, onChanged }} />}
    </Panel>
  );
}

function isSelf({ accountId }: { accountId: string }, account: AccountInfo): boolean {
  return accountId === String(account.id);
}

function SetMember({ id, onChanged }: { id: string; onChanged: () => void }): JSX.Element {
  return (
    <AskedForm
      start={{ email: '', role: 'SUBMITS' as DeskRole }}
      asked={[
        { of: 'email', label: t('email'), hint: t('deskMemberLead'), type: 'email', isRequired: true },
        {
          of: 'role',
          label: t('deskRole'),
          options: DESK_ROLES.map((role) => [role, t(`deskRole_${role}`)] as const),
        },
      ]}
      text={t('deskSetMember')}
      work={useWork(onChanged)}
      send={async (member, put) => {
        await change(SET_DESK_MEMBER, { id, ...member });
        put({ email: '' });
      }}
    />
  );
}

function ChangeDesk({ desk: { id, name }, onChanged }: Omit<DeskProps, 'account'>): JSX.Element {
  const work = useWork(onChanged);
  return (
    <details>
      <summary>{t('deskChange')}</summary>
      <AskedForm
        start={{ name }}
        asked={[{ of: 'name', label: t('deskName'), isRequired: true }]}
        text={t('save')}
        {...{ work }}
        send={(fields) => change(RENAME_DESK, { id, ...fields })}
        beside={
          <Button
            kind="danger"
            isBusy={work.isBusy}
            onPress={() => void work.run(() => change(REMOVE_DESK, { id }))}
          >
            {t('deskRemove')}
          </Button>
        }
      />
    </details>
  );
}

function AddDesk({ onAdded }: { onAdded: () => void }): JSX.Element {
  return (
    <Panel title={t('deskAdd')}>
      <AskedForm
        start={{ name: '' }}
        asked={[{ of: 'name', label: t('deskName'), isRequired: true }]}
        kind="main"
        text={t('deskAdd')}
        work={useWork(onAdded)}
        send={async (fields, put) => {
          await change(ADD_DESK, fields);
          put({ name: '' });
        }}
      />
    </Panel>
  );
}
