/** Credits: what is left, live, and every line that led there. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { formatNumber } from '../parts/format.ts';
import { type Connection, More, usePaged } from '../parts/paged.tsx';
import { Empty, Fault, Table, Time, Title } from '../parts/parts.tsx';
import { resultPath } from '../paths.ts';
import { useLive } from '../records/live.ts';
import type { TextKey } from '../texts/en.ts';
import { t } from '../texts/language.ts';

interface Entry {
  sequence: number;
  reason: string;
  amount: number;
  identifier: string;
  at: string;
}

const QUERY = `query ($after: String) { viewer { ledger(first: 50, after: $after) {
  nodes { sequence reason amount identifier at } pageInfo { hasNextPage endCursor } } } }`;
const LIVE = 'subscription { credits { availableCredits totalSpent } }';

interface Answer {
  viewer: { ledger: Connection<Entry> };
}

export function LedgerPage(): JSX.Element {
  const [credits, setCredits] = useState<{ availableCredits: number; totalSpent: number }>();
  const entries = usePaged<Entry>(QUERY, {}, ({ viewer }: Answer) => viewer.ledger);
  useLive<{ credits: typeof credits }>(LIVE, {}, (data) => setCredits(data.credits));
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
