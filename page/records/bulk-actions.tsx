/** What can be done with the chosen records at once, and with all that the filter finds. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import {
  EXPORT_COLUMNS,
  type ExportedRecord,
  toCell,
  toReadingCells,
} from '../../src/domain/sheets/sheet-columns.ts';
import { EvidenceDialog } from '../evidence/evidence-dialog.tsx';
import { DELETE_RECORD, type ListedRecord } from '../gen/documents.ts';
import { change } from '../parts/api.ts';
import { download, toCsv } from '../parts/csv.ts';
import { Button, Fault } from '../parts/parts.tsx';
import { outcomeOf } from '../parts/records.ts';
import { useWork } from '../parts/use-query.ts';
import { t } from '../texts/language.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { type RecordFilter, toVariables } from './record-filter.ts';
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
  // Chosen records that the filter hides are kept: the reader would not see them go.
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

type ExportFormat = 'csv' | 'json';

/** The address at which the daemon streams all records of a filter. */
function exportAddress(filter: RecordFilter, format: 'csv' | 'jsonl'): string {
  const { kind, filter: fields } = toVariables(filter) as { kind?: string; filter: Record<string, string> };
  const named = Object.entries({ ...(kind === undefined ? {} : { kind }), ...fields });
  // Words are in lower case there, times and texts as they are.
  const isWord = (name: string): boolean => name === 'kind' || name === 'outcome';
  const query = named.map(([name, value]) => [name, isWord(name) ? value.toLowerCase() : value]);
  return `/exports/records.${format}?${new URLSearchParams(Object.fromEntries(query))}`;
}

function toExported(record: ListedRecord): ExportedRecord {
  const { identifier, createdAt, name, refId, hash, status, resultUrl, errors } = record;
  const { forceClassification, verdict, assessment, provenance } = record;
  const outcome = outcomeOf(record);
  const formal = (forceClassification ?? verdict?.classification ?? '').toLowerCase();
  return {
    identifier,
    created_at: createdAt,
    name,
    kind: record.kind.toLowerCase(),
    ref_id: refId,
    sha256: hash,
    verdict: status === 'DONE' ? formal : outcome,
    outcome,
    assessment: assessment?.state.toLowerCase() ?? '',
    probability: assessment?.probability ?? null,
    reasons: (assessment?.reasons ?? []).flatMap(({ side, said }) => (side === 'NONE' ? [] : said.en)),
    link: resultUrl,
    error: errors,
    ...toReadingCells(provenance?.readings),
  };
}

function exportRecords(records: readonly ListedRecord[], format: ExportFormat): void {
  const lines = records.map(toExported);
  if (format === 'json') {
    download(JSON.stringify(lines, null, 2), 'assay-records.json', 'application/json');
    return;
  }
  const rows = lines.map((line) => EXPORT_COLUMNS.map((column) => toCell(line[column])));
  download(toCsv([EXPORT_COLUMNS, ...rows]), 'assay-records.csv', 'text/csv');
}
