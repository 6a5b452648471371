import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type AllOfCredits, FOLLOW_CREDITS, READ_LEDGER } from '../gen/documents.ts';
import { formatNumber } from '../parts/format.ts';
import { useLive } from '../parts/live.ts';
import { usePaged } from '../parts/paged.tsx';
import { Empty, Fault, Time, Title } from '../parts/parts.tsx';
import { RecordLink } from '../parts/record-link.tsx';
import { PagedRows } from '../parts/rows.tsx';
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
      <PagedRows
        of={entries}
        none={<Empty title={t('noEntries')} />}
        caption={t('menuCredits')}
        keyOf={({ sequence }) => String(sequence)}
        columns={[
          [t('when'), ({ at }) => <Time iso={at} />],
          [t('what'), ({ reason }) => t(`ledger_${reason}` as TextKey)],
          [t('amount'), ({ amount }) => formatNumber(amount), 'figure'],
          [t('record'), ({ identifier }) => identifier !== '' && <RecordLink {...{ identifier }} />],
        ]}
      />
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
