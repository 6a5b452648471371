/** Filters under names of the reader's own, kept in this browser for the account. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { session } from '../parts/api.ts';
import { Button, Dialog, Field, Form } from '../parts/parts.tsx';
import { read, write } from '../state/theme.ts';
import { t } from '../texts/language.ts';
import { NO_FILTER, type RecordFilter } from './record-filter.ts';

interface SavedFilter {
  name: string;
  filter: RecordFilter;
}

/** As many as one line of buttons holds. */
const SAVED_MAX = 12;
const NAME_CHARACTERS_MAX = 40;

export function SavedFilters({
  filter,
  isFiltered,
  onFilter,
}: {
  filter: RecordFilter;
  isFiltered: boolean;
  onFilter: (filter: RecordFilter) => void;
}): JSX.Element | null {
  const [saved, setSaved] = useState(readSaved);
  const [isNaming, setNaming] = useState(false);
  const keep = (next: readonly SavedFilter[]): void => {
    setSaved(next);
    write(storageKey(), JSON.stringify(next));
  };
  const isSaved = saved.some((one) => isSame(one.filter, filter));
  if (saved.length === 0 && !isFiltered) return null;
  return (
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
            onPress={() => keep(saved.filter(({ name }) => name !== one.name))}
          >
            ×
          </Button>
        </li>
      ))}
      {isFiltered && !isSaved && saved.length < SAVED_MAX && (
        <li>
          <Button kind="link" onPress={() => setNaming(true)}>
            {t('saveFilter')}
          </Button>
        </li>
      )}
      {isNaming && (
        <NameDialog
          onName={(name) => {
            keep([...saved.filter((one) => one.name !== name), { name, filter }]);
            setNaming(false);
          }}
          onClose={() => setNaming(false)}
        />
      )}
    </ul>
  );
}

function NameDialog({
  onName,
  onClose,
}: {
  onName: (name: string) => void;
  onClose: () => void;
}): JSX.Element {
  const [name, setName] = useState('');
  return (
    <Dialog title={t('saveFilter')} {...{ onClose }}>
      <Form onSend={() => onName(name.trim().slice(0, NAME_CHARACTERS_MAX))}>
        <Field label={t('filterName')} name="filter-name" isRequired value={name} onValue={setName} />
        <p class="actions">
          <Button kind="main" type="submit" isDisabled={name.trim() === ''}>
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
  return names.every((name) => one[name] === other[name]);
}

function storageKey(): string {
  return `assay.filters.${session.get()?.account?.id ?? 0}`;
}

/** What another version or another hand wrote there must not break the list. */
function readSaved(): readonly SavedFilter[] {
  try {
    const stored: unknown = JSON.parse(read(storageKey()) ?? '[]');
    if (!Array.isArray(stored)) return [];
    return stored.slice(0, SAVED_MAX).flatMap((one: Partial<SavedFilter> | null) => {
      if (typeof one?.name !== 'string' || typeof one.filter !== 'object') return [];
      return [{ name: one.name.slice(0, NAME_CHARACTERS_MAX), filter: { ...NO_FILTER, ...one.filter } }];
    });
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
