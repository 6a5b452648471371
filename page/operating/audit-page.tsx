/** The audit log: who did what, when and from where. */

import type { JSX } from 'preact';
import { showText } from '../../src/domain/shown-text.ts';
import { READ_AUDIT } from '../gen/documents.ts';
import { AccountName } from '../parts/account-name.tsx';
import { More, usePaged } from '../parts/paged.tsx';
import { Fault, Table, Time, Title } from '../parts/parts.tsx';
import { t } from '../texts/language.ts';

const HASH_CHARACTERS = 12;

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
            <td>{entry.accountId === null ? '–' : <AccountName {...entry} id={entry.accountId} />}</td>
            <td>
              <code>{entry.action}</code>
              <small class="quiet block">
                {Object.entries(entry.details as Record<string, string>)
                  .map(([name, value]) => `${name} ${showText(String(value))}`)
                  .join(', ')}
              </small>
            </td>
            <td>
              <code title={entry.target}>{shownTarget(entry.target)}</code>
            </td>
            <td>{[entry.facade, entry.remoteAddress].filter(Boolean).join(' · ')}</td>
          </tr>
        ))}
      </Table>
      <More {...entries} />
    </>
  );
}

/** A hash is recognised by its beginning; a path or a name is not. */
function shownTarget(target: string): string {
  return /^[0-9a-f]{64}$/.test(target) ? target.slice(0, HASH_CHARACTERS) : showText(target);
}
