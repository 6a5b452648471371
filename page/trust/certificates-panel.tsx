/** Certificates of the trust lists, found by a part of a name or a fingerprint. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { showText } from '../../src/domain/shown-text.ts';
import { type AllOfTrustedCertificate as Certificate, FIND_TRUSTED_CERTIFICATES } from '../gen/documents.ts';
import { ask } from '../parts/api.ts';
import { Button, Fault, Field, Form, Panel, Table, Time } from '../parts/parts.tsx';
import { useWork } from '../parts/use-query.ts';
import { t } from '../texts/language.ts';

export function CertificatesPanel(): JSX.Element {
  const [text, setText] = useState('');
  const [found, setFound] = useState<readonly Certificate[] | null>(null);
  const { isBusy, fault, run } = useWork();
  const find = (): Promise<boolean> =>
    run(async () => setFound((await ask(FIND_TRUSTED_CERTIFICATES, { text })).trustedCertificates));
  return (
    <Panel title={t('trustShow')}>
      <Form onSend={() => void find()}>
        <Field
          label={t('trustShow')}
          hint={t('trustShowLead')}
          name="certificate"
          isRequired
          value={text}
          onValue={setText}
        />
        <p class="actions">
          <Button type="submit" {...{ isBusy }}>
            {t('trustFind')}
          </Button>
        </p>
      </Form>
      <Fault error={fault} />
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
