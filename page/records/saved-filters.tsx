/** Filters under names of the reader's own, kept by the daemon for the account. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { FILTER_NAME_CHARACTERS_MAX, SAVED_FILTERS_MAX } from '../../src/domain/records/saved-filter.ts';
import { READ_SAVED_FILTERS, REMOVE_SAVED_FILTER, SAVE_FILTER } from '../gen/documents.ts';
import { change } from '../parts/api.ts';
import { AskedForm } from '../parts/form.tsx';
import { Button, Dialog, Fault } from '../parts/parts.tsx';
import { useQuery, useWork } from '../parts/use-query.ts';
import { t } from '../texts/language.ts';
import { fromSaved, NO_FILTER, type RecordFilter, toSaved } from './record-filter.ts';

export function SavedFilters({
  filter,
  isFiltered,
  onFilter,
}: {
  filter: RecordFilter;
  isFiltered: boolean;
  onFilter: (filter: RecordFilter) => void;
}): JSX.Element | null {
  const { data, error, reload } = useQuery(READ_SAVED_FILTERS, {});
  const [isNaming, setNaming] = useState(false);
  const work = useWork(reload);
  const { isBusy, fault, run } = work;
  const saved = (data?.savedFilters ?? []).map((one) => ({ name: one.name, filter: fromSaved(one) }));
  const isSaved = saved.some((one) => isSame(one.filter, filter));
  if (saved.length === 0 && !isFiltered) return null;
  return (
    <>
      <ul class="saved" aria-label={t('savedFilters')}>
        {saved.map((one) => (
          <li key={one.name}>
            <button
              type="button"
              class="button plain"
              aria-pressed={isSame(one.filter, filter)}
              onClick={() => onFilter(one.filter)}
            >
              {one.name}
            </button>
            <Button
              kind="link"
              label={t('forgetFilter', { name: one.name })}
              {...{ isBusy }}
              onPress={() => void run(() => change(REMOVE_SAVED_FILTER, { name: one.name }))}
            >
              ×
            </Button>
          </li>
        ))}
        {data !== undefined && isFiltered && !isSaved && saved.length < SAVED_FILTERS_MAX && (
          <li>
            <Button kind="link" onPress={() => setNaming(true)}>
              {t('saveFilter')}
            </Button>
          </li>
        )}
      </ul>
      <Fault error={error ?? fault} />
      {isNaming && (
        <Dialog title={t('saveFilter')} onClose={() => setNaming(false)}>
          <AskedForm
            start={{ name: '' }}
            asked={[{ of: 'name', label: t('filterName'), isRequired: true }]}
            kind="main"
            text={t('save')}
            onClose={() => setNaming(false)}
            {...{ work }}
            send={async ({ name }) => {
              const kept = name.trim().slice(0, FILTER_NAME_CHARACTERS_MAX);
              await change(SAVE_FILTER, { input: { name: kept, ...toSaved(filter) } });
              setNaming(false);
            }}
          />
        </Dialog>
      )}
    </>
  );
}

function isSame(one: RecordFilter, other: RecordFilter): boolean {
  const names = Object.keys(NO_FILTER) as (keyof RecordFilter)[];
  return names.every((name) => one[name].trim() === other[name].trim());
}
