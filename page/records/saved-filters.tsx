/** Filters under names of the reader's own, kept by the daemon for the account. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { FILTER_NAME_CHARACTERS_MAX, SAVED_FILTERS_MAX } from '../../src/domain/records/saved-filter.ts';
import { READ_SAVED_FILTERS, REMOVE_SAVED_FILTER, SAVE_FILTER } from '../gen/documents.ts';
import { change } from '../parts/api.ts';
import { Button, Dialog, Fault, Field, Form } from '../parts/parts.tsx';
import { useQuery, useWork, type Work } from '../parts/use-query.ts';
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
  const { isBusy, fault, run } = useWork(reload);
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
        <NameDialog
          onName={async (name) => {
            const input = { name, ...toSaved(filter) };
            if (await run(() => change(SAVE_FILTER, { input }))) setNaming(false);
          }}
          {...{ isBusy, fault }}
          onClose={() => setNaming(false)}
        />
      )}
    </>
  );
}

function NameDialog({
  onName,
  onClose,
  isBusy,
  fault,
}: {
  onName: (name: string) => Promise<void>;
  onClose: () => void;
} & Pick<Work, 'isBusy' | 'fault'>): JSX.Element {
  const [name, setName] = useState('');
  return (
    <Dialog title={t('saveFilter')} {...{ onClose }}>
      <Form onSend={() => void onName(name.trim().slice(0, FILTER_NAME_CHARACTERS_MAX))}>
        <Field label={t('filterName')} name="filter-name" isRequired value={name} onValue={setName} />
        <Fault error={fault} />
        <p class="actions">
          <Button kind="main" type="submit" isDisabled={name.trim() === ''} {...{ isBusy }}>
            {t('save')}
          </Button>
          <Button onPress={onClose}>{t('cancel')}</Button>
        </p>
      </Form>
    </Dialog>
  );
}

function isSame(one: RecordFilter, other: RecordFilter): boolean {
  const names = Object.keys(NO_FILTER) as (keyof RecordFilter)[];
  return names.every((name) => one[name].trim() === other[name].trim());
}
