/** API keys: made, shown for the account's password, given a new secret, revoked. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { showText } from '../../src/domain/shown-text.ts';
import {
  CREATE_KEY,
  type AllOfApiKey as Key,
  READ_KEYS,
  REPLACE_KEY,
  REVEAL_KEY,
  REVOKE_KEY,
} from '../gen/documents.ts';
import { type AccountInfo, change } from '../parts/api.ts';
import { Button, CopyButton, Dialog, Fault, Field, Form, Panel, Time } from '../parts/parts.tsx';
import { useQuery, useWork } from '../parts/use-query.ts';
import { t } from '../texts/language.ts';

type Asking = { what: 'reveal' | 'replace' | 'revoke'; record: Key };

export function KeysPanel({ account }: { account: AccountInfo }): JSX.Element {
  const { data, error, reload } = useQuery(READ_KEYS, {});
  const [name, setName] = useState('');
  const [secret, setSecret] = useState<string | null>(null);
  const [asking, setAsking] = useState<Asking | null>(null);
  const { isBusy, fault, run } = useWork();
  const create = (): Promise<boolean> =>
    run(async () => {
      setSecret((await change(CREATE_KEY, { name })).secret);
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
  const titles = { reveal: t('show'), replace: t('replaceKey'), revoke: t('revoke') };
  const leads = { reveal: t('revealLead'), replace: t('replaceLead'), revoke: t('revokeLead') };
  const send = (): Promise<boolean> =>
    run(async () => {
      const { id } = record;
      if (what === 'reveal') onEnd((await change(REVEAL_KEY, { id, password })).secret);
      else if (what === 'replace') onEnd((await change(REPLACE_KEY, { id })).secret);
      else await change(REVOKE_KEY, { id }).then(() => onEnd(null));
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
