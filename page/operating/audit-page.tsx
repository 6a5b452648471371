/** The audit log: who did what, when and from where. */
import type { JSX } from 'preact';
import { showText } from '../../src/domain/shown-text.ts';
import { READ_AUDIT } from '../gen/documents.ts';
import { AccountName } from '../parts/account-name.tsx';
import { usePaged } from '../parts/paged.tsx';
import { Fault, Time, Title } from '../parts/parts.tsx';
import { PagedRows } from '../parts/rows.tsx';
import { findText, t } from '../texts/language.ts';

const HASH_CHARACTERS = 12;

export function AuditPage(): JSX.Element {
  const entries = usePaged(READ_AUDIT, {}, ({ auditEntries }) => auditEntries);
  return (
    <>
      <Title>{t('navAudit')}</Title>
      <Fault error={entries.error} />
      <PagedRows
        of={entries}
        caption={t('navAudit')}
        keyOf={({ sequence }) => String(sequence)}
        columns={[
          [t('when'), ({ at }) => <Time iso={at} />],
          [
            t('who'),
            (entry) => (entry.accountId === null ? '–' : <AccountName {...entry} id={entry.accountId} />),
          ],
          [t('what'), ({ action, details }) => <Done {...{ action, details }} />],
          [t('target'), ({ target }) => <code title={target}>{shownTarget(target)}</code>],
          [
            t('whereFrom'),
            ({ facade, remoteAddress }) =>
              [findText(`via_${facade}`) ?? facade, remoteAddress].filter(Boolean).join(' · '),
          ],
        ]}
      />
    </>
  );
}

function Done({ action, details }: { action: string; details: unknown }): JSX.Element {
  const said = Object.entries(details as Record<string, string>);
  return (
    <>
      {findText(`audit_${action}`) ?? <code>{action}</code>}
      <small class="quiet block">
        {said.map(([name, value]) => `${labelOf(name)}: ${shownValue(String(value))}`).join(', ')}
      </small>
    </>
  );
}

function labelOf(name: string): string {
  return findText(`audit_detail_${name}`) ?? name.replaceAll('_', ' ');
}

function shownValue(value: string): string {
  return findText(`audit_value_${value}`) ?? findText(`deskRole_${value.toUpperCase()}`) ?? showText(value);
}

/** Shortens a hash, which its beginning identifies; a path or a name stays whole. */
function shownTarget(target: string): string {
  return /^[0-9a-f]{64}$/.test(target) ? target.slice(0, HASH_CHARACTERS) : showText(target);
}
