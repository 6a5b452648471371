/** The reader's own account: API keys, heuristic, password, browsers that are signed in. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { showText } from '../../src/domain/shown-text.ts';
import {
  CREATE_KEY,
  type AllOfApiKey as Key,
  READ_ACCOUNT,
  READ_KEYS,
  REPLACE_KEY,
  REVEAL_KEY,
  REVOKE_KEY,
  SET_HEURISTIC,
} from '../gen/documents.ts';
import { type AccountInfo, change, loadSession, postSession } from '../parts/api.ts';
import { AskedForm } from '../parts/form.tsx';
import {
  Button,
  CopyButton,
  Dialog,
  Facts,
  Fault,
  Notice,
  Panel,
  Select,
  Time,
  Title,
} from '../parts/parts.tsx';
import { useQuery, useWork } from '../parts/use-query.ts';
import { signOut } from '../result/frame.tsx';
import type { TextKey } from '../texts/en.ts';
import { t } from '../texts/language.ts';
import { newPasswordField, passwordField } from './sign-in.tsx';

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
  const [isDone, setDone] = useState(false);
  return (
    <Panel title={t('password')}>
      <AskedForm
        start={{ current: '', password: '' }}
        asked={({ password }) => [
          {
            of: 'current',
            label: t('currentPassword'),
            type: 'password',
            autocomplete: 'current-password',
            isRequired: true,
          },
          newPasswordField(password),
        ]}
        text={t('changePassword')}
        send={async (passwords, put) => {
          setDone(false);
          await postSession('change-password', passwords);
          setDone(true);
          put({ current: '', password: '' });
          await loadSession();
        }}
      />
      {isDone && <Notice kind="good">{t('passwordChanged')}</Notice>}
    </Panel>
  );
}

type Asking = { what: 'reveal' | 'replace' | 'revoke'; record: Key };

/** API keys: made, shown for the account's password, given a new secret, revoked. */
function KeysPanel({ account }: { account: AccountInfo }): JSX.Element {
  const { data, error, reload } = useQuery(READ_KEYS, {});
  const [secret, setSecret] = useState<string | null>(null);
  const [asking, setAsking] = useState<Asking | null>(null);
  const end = (shown: string | null): void => {
    setAsking(null);
    setSecret(shown);
    void reload();
  };
  return (
    <div id="keys">
      <Panel title={t('menuApiKey')}>
        <p class="quiet">{t('keysLead')}</p>
        <Fault {...{ error }} />
        {secret !== null && <Secret {...{ secret }} />}
        <ul class="keys">
          {data?.viewer.keys.map((key) => (
            <KeyRow key={key.id} record={key} onAsk={(what) => setAsking({ what, record: key })} />
          ))}
        </ul>
        {!account.readonly && (
          <div class="inline-form">
            <AskedForm
              start={{ name: '' }}
              asked={[{ of: 'name', label: t('keyName'), isRequired: true }]}
              text={t('createKey')}
              send={async (fields, put) => {
                setSecret((await change(CREATE_KEY, fields)).secret);
                put({ name: '' });
                await reload();
              }}
            />
          </div>
        )}
        {asking !== null && <KeyDialog {...asking} onEnd={end} onClose={() => setAsking(null)} />}
      </Panel>
    </div>
  );
}

function Secret({ secret }: { secret: string }): JSX.Element {
  return (
    <div class="secret" role="status">
      <p>{t('keySecret')}</p>
      <code class="long" data-secret>
        {secret}
      </code>
      <CopyButton text={secret} label={t('copy')} />
    </div>
  );
}

function KeyRow({ record, onAsk }: { record: Key; onAsk: (what: Asking['what']) => void }): JSX.Element {
  const { createdAt, lastUsedAt } = record;
  const name = showText(record.name);
  return (
    <li>
      <div class="row-name">
        <strong>{name}</strong>
        <small class="quiet">
          {t('made')} <Time iso={createdAt} isAge /> · {t('lastUsed')}{' '}
          {lastUsedAt === null ? t('never') : <Time iso={lastUsedAt} isAge />}
        </small>
      </div>
      <span class="actions">
        <Button label={`${t('show')}: ${name}`} onPress={() => onAsk('reveal')}>
          {t('show')}
        </Button>
        <Button label={`${t('replaceKey')}: ${name}`} onPress={() => onAsk('replace')}>
          {t('replaceKey')}
        </Button>
        <Button label={`${t('revoke')}: ${name}`} kind="danger" onPress={() => onAsk('revoke')}>
          {t('revoke')}
        </Button>
      </span>
    </li>
  );
}

interface KeyDialogProps extends Asking {
  onEnd: (secret: string | null) => void;
  onClose: () => void;
}

function KeyDialog({ what, record, onEnd, onClose }: KeyDialogProps): JSX.Element {
  const titles = { reveal: t('show'), replace: t('replaceKey'), revoke: t('revoke') };
  const leads = { reveal: t('revealLead'), replace: t('replaceLead'), revoke: t('revokeLead') };
  const { id } = record;
  return (
    <Dialog title={`${titles[what]}: ${showText(record.name)}`} {...{ onClose }}>
      <p>{leads[what]}</p>
      <AskedForm
        start={{ password: '' }}
        asked={[{ ...passwordField(), when: what === 'reveal' }]}
        kind={what === 'reveal' ? 'main' : 'danger'}
        text={titles[what]}
        {...{ onClose }}
        send={async ({ password }) => {
          if (what === 'reveal') onEnd((await change(REVEAL_KEY, { id, password })).secret);
          else if (what === 'replace') onEnd((await change(REPLACE_KEY, { id })).secret);
          else await change(REVOKE_KEY, { id }).then(() => onEnd(null));
        }}
      />
    </Dialog>
  );
}
