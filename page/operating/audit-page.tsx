/** The audit log: who did what, when and from where. */

import type { JSX } from 'preact';
import { showText } from '../../src/domain/shown-text.ts';
import { type Connection, More, usePaged } from '../parts/paged.tsx';
import { Fault, Table, Time, Title } from '../parts/parts.tsx';
import { t } from '../texts/language.ts';

interface Entry {
  sequence: number;
  at: string;
  accountId: string | null;
  action: string;
  target: string;
  facade: string | null;
  remoteAddress: string | null;
  details: Record<string, string>;
}

const QUERY = `query ($after: String) { auditEntries(first: 50, after: $after) {
  nodes { sequence at accountId action target facade remoteAddress details } pageInfo { hasNextPage endCursor } } }`;

export function AuditPage(): JSX.Element {
  const entries = usePaged<Entry>(
    QUERY,
    {},
    ({ auditEntries }: { auditEntries: Connection<Entry> }) => auditEntries,
  );
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
                {Object.entries(entry.details)
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
