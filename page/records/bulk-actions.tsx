/** What can be done with the chosen records at once, and with all that the filter finds. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { EvidenceDialog } from '../evidence/evidence-dialog.tsx';
import { DELETE_RECORD } from '../gen/documents.ts';
import { change } from '../parts/api.ts';
import { Button, Fault } from '../parts/parts.tsx';
import { useWork } from '../parts/use-query.ts';
import { t } from '../texts/language.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { type ExportFormat, exportAddress, exportRecords } from './export.ts';
import type { RecordFilter } from './record-filter.ts';
import { choose, type Selection } from './selection.ts';
import type { Records } from './use-records.ts';

const FORMATS: readonly ExportFormat[] = ['csv', 'json'];

interface BulkProps {
  chosen: Selection;
  records: Records;
  onDone: () => void;
}

export function Bulk({ chosen, records, onDone }: BulkProps): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  const [isPacking, setPacking] = useState(false);
  const { isBusy, fault, run } = useWork();
  const picked = [...chosen.values()];
  // What the filter hides stays: its reader would not see it go.
  const inList = new Set(records.shown.map(({ identifier }) => identifier));
  const deletable = picked.filter(({ identifier }) => inList.has(identifier));
  const remove = async (): Promise<void> => {
    const isDone = await run(async () => {
      for (const record of deletable) {
        const { identifier } = record;
        await change(DELETE_RECORD, { identifier });
        records.remove(new Set([identifier]));
        choose([record], false);
      }
    });
    setAsking(false);
    if (isDone && deletable.length === picked.length) onDone();
  };
  return (
    <section class="bulk" aria-label={t('chosenRecords')}>
      <strong>{t('chosenCount', { count: chosen.size })}</strong>
      {FORMATS.map((format) => (
        <Button key={format} onPress={() => exportRecords(picked, format)}>
          {format.toUpperCase()}
        </Button>
      ))}
      <Button onPress={() => setPacking(true)}>{t('evidence')}</Button>
      <Button kind="danger" onPress={() => setAsking(true)}>
        {t('delete')}
      </Button>
      <Button kind="link" onPress={onDone}>
        {t('clearChoice')}
      </Button>
      <Fault error={fault} />
      {isPacking && <EvidenceDialog identifiers={[...chosen.keys()]} onClose={() => setPacking(false)} />}
      {isAsking && (
        <DeleteDialog
          records={deletable}
          keptCount={picked.length - deletable.length}
          {...{ isBusy }}
          onDelete={() => void remove()}
          onClose={() => setAsking(false)}
        />
      )}
    </section>
  );
}

/** All records that the filter finds, loaded or not, as a file. */
export function ExportFound({ filter }: { filter: RecordFilter }): JSX.Element {
  return (
    <div class="export">
      <span class="quiet">{t('exportFound')}</span>
      {(['csv', 'jsonl'] as const).map((format) => (
        <a key={format} class="button plain" href={exportAddress(filter, format)} download>
          {format === 'csv' ? 'CSV' : 'JSON Lines'}
        </a>
      ))}
    </div>
  );
}
