/** Trust lists: whose signatures count here, changed by administrators, and stored manifests read anew under them. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { showText } from '../../src/domain/shown-text.ts';
import {
  ADD_TRUST_LIST,
  type AllOfTrustedCertificate as Certificate,
  FIND_TRUSTED_CERTIFICATES,
  type AllOfTrustList as List,
  READ_TRUST_LISTS,
  REMOVE_TRUST_LIST,
  SET_TRUST_LIST_ON,
} from '../gen/documents.ts';
import { ask, change } from '../parts/api.ts';
import { AskedForm } from '../parts/form.tsx';
import { formatNumber } from '../parts/format.ts';
import { Button, Fault, Loading, Panel, Table, Time, Title } from '../parts/parts.tsx';
import { useQuery, useWork } from '../parts/use-query.ts';
import { t } from '../texts/language.ts';
import { ListFile } from './list-file.tsx';
import { RecheckPanel } from './recheck-panel.tsx';
import { UpdatePanel } from './update-panel.tsx';

export function TrustPage(): JSX.Element {
  const { data, error, isLoading, reload } = useQuery(READ_TRUST_LISTS, {});
  const [updated, setUpdated] = useState<string | null>(null);
  const lists = data?.trustLists ?? [];
  const open = lists.find(({ id }) => id === updated);
  const settle = (): void => {
    setUpdated(null);
    void reload();
  };
  return (
    <>
      <Title>{t('navTrust')}</Title>
      <p class="quiet">{t('trustLead')}</p>
      <Fault {...{ error }} />
      {isLoading && <Loading />}
      {lists.length > 0 && <Lists {...{ lists }} onUpdate={setUpdated} onChanged={() => void reload()} />}
      {open !== undefined && <UpdatePanel key={open.id} list={open} onDone={settle} />}
      <RecheckPanel />
      <CertificatesPanel />
      <AddPanel onAdded={() => void reload()} />
    </>
  );
}

interface ListsProps {
  lists: readonly List[];
  onUpdate: (id: string) => void;
  onChanged: () => void;
}

function Lists({ lists, onUpdate, onChanged }: ListsProps): JSX.Element {
  const { isBusy, fault, run } = useWork(onChanged);
  return (
    <>
      <Fault error={fault} />
      <Table
        caption={t('navTrust')}
        head={[t('trustList'), t('trustKind'), t('trustHolds'), t('trustDate'), t('state'), '']}
      >
        {lists.map((list) => (
          <ListRow key={list.id} {...{ list, isBusy, onUpdate }} onAct={(work) => void run(work)} />
        ))}
      </Table>
    </>
  );
}

interface RowProps {
  list: List;
  isBusy: boolean;
  onUpdate: (id: string) => void;
  onAct: (work: () => Promise<unknown>) => void;
}

function ListRow({ list, isBusy, onUpdate, onAct }: RowProps): JSX.Element {
  const { id, name, kind, date, frozen, isOn, isUpdated, origin, source, terms, sha256 } = list;
  return (
    <tr>
      <td class="long">
        {showText(name)} <small class="quiet">{id}</small>
        <small class="quiet block">
          {[source, terms]
            .filter((text) => text !== '')
            .map(showText)
            .join(' · ')}
        </small>
        <small class="quiet block">SHA-256 {sha256.slice(0, 16)}</small>
      </td>
      <td>{t(`trustKind_${kind}`)}</td>
      <td>{holds(list)}</td>
      <td class="nowrap">
        {date}
        {frozen !== '' && <small class="quiet block">{t('trustFrozen', { day: frozen })}</small>}
      </td>
      <td>
        {t(isOn ? 'trustOn' : 'trustOff')}
        <small class="quiet block">
          {t(`trustOrigin_${origin}`)}
          {isUpdated && `, ${t('trustUpdated')}`}
        </small>
      </td>
      <td>
        <Button
          {...{ isBusy }}
          label={`${t(isOn ? 'trustSwitchOff' : 'trustSwitchOn')}: ${id}`}
          onPress={() => onAct(() => change(SET_TRUST_LIST_ON, { id, isOn: !isOn }))}
        >
          {t(isOn ? 'trustSwitchOff' : 'trustSwitchOn')}
        </Button>
        <Button label={`${t('trustUpdate')}: ${id}`} onPress={() => onUpdate(id)}>
          {t('trustUpdate')}
        </Button>
        {origin === 'ADDED' && (
          <Button
            {...{ isBusy }}
            label={`${t('trustRemove')}: ${id}`}
            onPress={() => onAct(() => change(REMOVE_TRUST_LIST, { id }))}
          >
            {t('trustRemove')}
          </Button>
        )}
      </td>
    </tr>
  );
}

function holds({ authorities, singleCertificates, products }: List): string {
  const parts = [
    ['trustAuthorities', authorities],
    ['trustSingles', singleCertificates],
    ['trustProducts', products],
  ] as const;
  return parts
    .filter(([, count]) => count > 0)
    .map(([key, count]) => t(key, { count: formatNumber(count) }))
    .join(', ');
}

/** Certificates of the trust lists, found by a part of a name or a fingerprint. */
function CertificatesPanel(): JSX.Element {
  const [found, setFound] = useState<readonly Certificate[] | null>(null);
  return (
    <Panel title={t('trustShow')}>
      <AskedForm
        start={{ text: '' }}
        asked={[{ of: 'text', label: t('trustShow'), hint: t('trustShowLead'), isRequired: true }]}
        text={t('trustFind')}
        send={async (fields) => setFound((await ask(FIND_TRUSTED_CERTIFICATES, fields)).trustedCertificates)}
      />
      {found?.length === 0 && <p role="status">{t('trustNoneFound')}</p>}
      {found !== null && found.length > 0 && <Certificates {...{ found }} />}
    </Panel>
  );
}

function Certificates({ found }: { found: readonly Certificate[] }): JSX.Element {
  return (
    <Table
      caption={t('trustShow')}
      head={[t('trustList'), t('trustSubject'), t('trustIssuer'), t('trustValid'), 'SHA-256']}
    >
      {found.map(({ list, subject, issuer, validFrom, validUntil, fingerprint, isSingle }) => (
        <tr key={`${list}${fingerprint}`}>
          <td>
            {list} <small class="quiet">{t(isSingle ? 'trustIsSingle' : 'trustIsAuthority')}</small>
          </td>
          <td class="long">{showText(subject)}</td>
          <td class="long">{showText(issuer)}</td>
          <td>
            <Time iso={validFrom} /> – <Time iso={validUntil} />
          </td>
          <td class="long">
            <code>{fingerprint}</code>
          </td>
        </tr>
      ))}
    </Table>
  );
}

const KINDS = ['SIGNERS', 'TIME', 'SIGNERS_AND_TIME', 'PRODUCTS'] as const;
const EMPTY = {
  id: '',
  kind: 'SIGNERS' as (typeof KINDS)[number],
  single: false,
  date: '',
  name: '',
  source: '',
  terms: '',
};

function AddPanel({ onAdded }: { onAdded: () => void }): JSX.Element {
  const [content, setContent] = useState('');
  const kinds = KINDS.map((one) => [one, t(`trustKind_${one}`)] as const);
  return (
    <Panel title={t('trustAdd')}>
      <AskedForm
        start={EMPTY}
        asked={[
          { of: 'id', label: t('trustId'), hint: t('trustIdLead'), isRequired: true },
          { of: 'kind', label: t('trustKind'), options: kinds },
          { of: 'single', label: t('trustSingle') },
          { of: 'date', label: t('trustDay'), type: 'date', isRequired: true },
          { of: 'name', label: t('trustName') },
          { of: 'source', label: t('trustSource') },
          { of: 'terms', label: t('trustTerms') },
        ]}
        kind="main"
        text={t('trustAdd')}
        isDisabled={content === ''}
        send={async (fields, put) => {
          await change(ADD_TRUST_LIST, { ...fields, content });
          put(EMPTY);
          setContent('');
          onAdded();
        }}
      >
        <ListFile onContent={setContent} />
      </AskedForm>
    </Panel>
  );
}
