/** API keys: made, shown for the account's password, given a new secret, revoked. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { showText } from '../../src/domain/shown-text.ts';
import { type AccountInfo, change, USER_ERRORS } from '../parts/api.ts';
import { Button, CopyButton, Dialog, Fault, Field, Form, Panel, Time } from '../parts/parts.tsx';
import { useQuery, useWork } from '../parts/use-query.ts';
import { t } from '../texts/language.ts';

interface Key {
  id: string;
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
}

const QUERY = '{ viewer { keys { id name createdAt lastUsedAt } } }';
const CREATE = `mutation ($name: String!) { createKey(name: $name) { secret ${USER_ERRORS} } }`;
const REVEAL = `mutation ($id: ID!, $password: String!) { revealKey(id: $id, password: $password) { secret ${USER_ERRORS} } }`;
const REPLACE = `mutation ($id: ID!) { replaceKey(id: $id) { secret ${USER_ERRORS} } }`;
const REVOKE = `mutation ($id: ID!) { revokeKey(id: $id) { ${USER_ERRORS} } }`;

type Asking = { what: 'reveal' | 'replace' | 'revoke'; record: Key };

export function KeysPanel({ account }: { account: AccountInfo }): JSX.Element {
  const { data, error, reload } = useQuery<{ viewer: { keys: Key[] } }>(QUERY);
  const [name, setName] = useState('');
  const [secret, setSecret] = useState<string | null>(null);
  const [asking, setAsking] = useState<Asking | null>(null);
  const { isBusy, fault, run } = useWork();
  const create = (): Promise<boolean> =>
    run(async () => {
      setSecret((await change<{ secret: string }>(CREATE, { name })).secret);
      setName('');
      await reload();
    });
  const end = (shown: string | null): void => {
    setAsking(null);
    setSecret(shown);
    void reload();
  };
  return (
    <div id="keys">
      <Panel title={t('menuApiKey')}>
        <p class="quiet">{t('keysLead')}</p>
        <Fault error={error ?? fault} />
        {secret !== null && <Secret {...{ secret }} />}
        <ul class="keys">
          {data?.viewer.keys.map((key) => (
            <KeyRow key={key.id} record={key} onAsk={(what) => setAsking({ what, record: key })} />
          ))}
        </ul>
        {!account.readonly && (
          <Form onSend={() => void create()}>
            <div class="inline-form">
              <Field label={t('keyName')} name="key-name" isRequired value={name} onValue={setName} />
              <Button type="submit" {...{ isBusy }}>
                {t('createKey')}
              </Button>
            </div>
          </Form>
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
  const [password, setPassword] = useState('');
  const { isBusy, fault, run } = useWork();
  const queries = { reveal: REVEAL, replace: REPLACE, revoke: REVOKE };
  const titles = { reveal: t('show'), replace: t('replaceKey'), revoke: t('revoke') };
  const leads = { reveal: t('revealLead'), replace: t('replaceLead'), revoke: t('revokeLead') };
  const send = (): Promise<boolean> =>
    run(async () => {
      const variables = what === 'reveal' ? { id: record.id, password } : { id: record.id };
      onEnd((await change<{ secret?: string }>(queries[what], variables)).secret ?? null);
    });
  return (
    <Dialog title={`${titles[what]}: ${showText(record.name)}`} {...{ onClose }}>
      <Form onSend={() => void send()}>
        <p>{leads[what]}</p>
        {what === 'reveal' && (
          <Field
            label={t('password')}
            name="password"
            type="password"
            autocomplete="current-password"
            isRequired
            value={password}
            onValue={setPassword}
          />
        )}
        <Fault error={fault} />
        <p class="actions">
          <Button type="submit" kind={what === 'reveal' ? 'main' : 'danger'} {...{ isBusy }}>
            {titles[what]}
          </Button>
          <Button onPress={onClose}>{t('cancel')}</Button>
        </p>
      </Form>
    </Dialog>
  );
}
