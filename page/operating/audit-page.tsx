/** The audit log: who did what, when and from where. */

import type { JSX } from 'preact';
import { showText } from '../../src/domain/shown-text.ts';
import { READ_AUDIT } from '../gen/documents.ts';
import { More, usePaged } from '../parts/paged.tsx';
import { Fault, Table, Time, Title } from '../parts/parts.tsx';
import { t } from '../texts/language.ts';

export function AuditPage(): JSX.Element {
  const entries = usePaged(READ_AUDIT, {}, ({ auditEntries }) => auditEntries);
  return (
    <>
      <Title>{t('navAudit')}</Title>
      <Fault error={entries.error} />
      <Table caption={t('navAudit')} head={[t('when'), t('who'), t('what'), t('target'), t('whereFrom')]}>
        {entries.nodes.map((entry) => (
          <tr key={entry.sequence}>
            <td>
              <Time iso={entry.at} />
            </td>
            <td>{entry.accountId === null ? '–' : t('accountNumber', { id: entry.accountId })}</td>
            <td>
              <code>{entry.action}</code>
              <small class="quiet block">
                {Object.entries(entry.details as Record<string, string>)
                  .map(([name, value]) => `${name} ${showText(String(value))}`)
                  .join(', ')}
              </small>
            </td>
            <td>
              <code title={entry.target}>{entry.target.slice(0, 16)}</code>
            </td>
            <td>{[entry.facade, entry.remoteAddress].filter(Boolean).join(' · ')}</td>
          </tr>
        ))}
      </Table>
      <More {...entries} />
    </>
  );
}
