/** The reader's own account: API keys, heuristic, password, browsers that are signed in. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { READ_ACCOUNT, SET_HEURISTIC } from '../gen/documents.ts';
import { type AccountInfo, change, loadSession, postSession } from '../parts/api.ts';
import { Button, Facts, Fault, Field, Form, Notice, Panel, Select, Title } from '../parts/parts.tsx';
import { useQuery, useWork } from '../parts/use-query.ts';
import { signOut } from '../result/frame.tsx';
import type { TextKey } from '../texts/en.ts';
import { t } from '../texts/language.ts';
import { KeysPanel } from './keys.tsx';
import { NewPassword } from './sign-in.tsx';

const HEURISTICS = ['BALANCED', 'CAUTIOUS', 'SENSITIVE', 'MAJORITY'] as const;

export function AccountPage({ account }: { account: AccountInfo }): JSX.Element {
  return (
    <>
      <Title>{t('menuAccount')}</Title>
      <div class="columns">
        <KeysPanel {...{ account }} />
        <Profile />
        <PasswordPanel />
        <Panel title={t('browsers')}>
          <p>{t('browsersCount', { count: account.browsers })}</p>
          <Button kind="danger" onPress={() => void signOut('sign-out-everywhere')}>
            {t('signOutEverywhere')}
          </Button>
        </Panel>
      </div>
    </>
  );
}

function Profile(): JSX.Element {
  const { data, error, reload } = useQuery(READ_ACCOUNT, {});
  const { fault, run } = useWork();
  const viewer = data?.viewer;
  return (
    <Panel title={t('profile')}>
      <Fault error={error ?? fault} />
      {viewer !== undefined && (
        <>
          <Facts
            rows={[
              [t('name'), viewer.name],
              [t('email'), viewer.email],
              [t('role'), t(`role_${viewer.role}` as TextKey)],
              [t('plan'), viewer.plan.name],
            ]}
          />
          <Select
            label={t('heuristic')}
            value={viewer.heuristic}
            options={HEURISTICS.map(
              (name) => [name, `${t(`heuristic_${name}`)}: ${t(`heuristicLead_${name}`)}`] as const,
            )}
            onValue={(heuristic) =>
              void run(() => change(SET_HEURISTIC, { input: { heuristic } })).then(reload)
            }
          />
        </>
      )}
    </Panel>
  );
}

function PasswordPanel(): JSX.Element {
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const [isDone, setDone] = useState(false);
  const { isBusy, fault, run } = useWork();
  const send = async (): Promise<void> => {
    const isRight = await run(() => postSession('change-password', { current, password }));
    setDone(isRight);
    if (!isRight) return;
    setCurrent('');
    setPassword('');
    await loadSession();
  };
  return (
    <Panel title={t('password')}>
      <Form onSend={() => void send()}>
        <Field
          label={t('currentPassword')}
          name="current"
          type="password"
          autocomplete="current-password"
          isRequired
          value={current}
          onValue={setCurrent}
        />
        <NewPassword value={password} onValue={setPassword} />
        <Fault error={fault} />
        {isDone && <Notice kind="good">{t('passwordChanged')}</Notice>}
        <Button type="submit" {...{ isBusy }}>
          {t('changePassword')}
        </Button>
      </Form>
    </Panel>
  );
}
