/** Credits: what is left, live, and every line that led there. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { type AllOfCredits, FOLLOW_CREDITS, READ_LEDGER } from '../gen/documents.ts';
import { formatNumber } from '../parts/format.ts';
import { useLive } from '../parts/live.ts';
import { More, usePaged } from '../parts/paged.tsx';
import { Empty, Fault, Table, Time, Title } from '../parts/parts.tsx';
import { resultPath } from '../parts/paths.ts';
import type { TextKey } from '../texts/en.ts';
import { t } from '../texts/language.ts';

export function LedgerPage(): JSX.Element {
  const [credits, setCredits] = useState<AllOfCredits>();
  const entries = usePaged(READ_LEDGER, {}, ({ viewer }) => viewer.ledger);
  useLive(FOLLOW_CREDITS, {}, (data) => setCredits(data.credits));
  return (
    <>
      <Title>{t('menuCredits')}</Title>
      {credits !== undefined && (
        <div class="tile-row">
          <Tile label={t('creditsLeft')} value={formatNumber(credits.availableCredits)} />
          <Tile label={t('creditsSpent')} value={formatNumber(credits.totalSpent)} />
        </div>
      )}
      <Fault error={entries.error} />
      {entries.nodes.length === 0 && !entries.isLoading && <Empty title={t('noEntries')} />}
      {entries.nodes.length > 0 && (
        <Table caption={t('menuCredits')} head={[t('when'), t('what'), t('amount'), t('record')]}>
          {entries.nodes.map(({ sequence, at, reason, amount, identifier }) => (
            <tr key={sequence}>
              <td>
                <Time iso={at} />
              </td>
              <td>{t(`ledger_${reason}` as TextKey)}</td>
              <td class="figure">{formatNumber(amount)}</td>
              <td>
                {identifier !== '' && (
                  <Link href={resultPath(identifier)}>
                    <code>{identifier.slice(0, 12)}</code>
                  </Link>
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
      <More {...entries} />
    </>
  );
}

export function Tile({
  label,
  value,
  note,
}: {
  label: string;
  value: string;
  note?: string | undefined;
}): JSX.Element {
  return (
    <div class="tile">
      <span class="quiet">{label}</span>
      <strong class="figure">{value}</strong>
      {note !== undefined && <small class="quiet">{note}</small>}
    </div>
  );
}
