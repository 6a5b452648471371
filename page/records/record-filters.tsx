import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { showText } from '../../src/domain/shown-text.ts';
import { type MediaKind as Kind, READ_DESKS } from '../gen/documents.ts';
import { session } from '../parts/api.ts';
import { includesRole } from '../parts/desk-roles.ts';
import { Check, Search, Select } from '../parts/parts.tsx';
import { useQuery } from '../parts/use-query.ts';
import { t } from '../texts/language.ts';
import type { RecordFilter } from './record-filter.ts';

const OUTCOMES = ['waiting', 'human', 'artificial', 'inconclusive', 'not_applicable', 'failed'] as const;
const DAYS = ['since', 'until'] as const;
const FOLDED = ['said', 'waitsForMe', 'deskId', ...DAYS] as const;

export function RecordFilters({
  filter,
  onFilter,
}: {
  filter: RecordFilter;
  onFilter: (filter: RecordFilter) => void;
}): JSX.Element {
  const put = (part: Partial<RecordFilter>): void => onFilter({ ...filter, ...part });
  return (
    <Search>
      <input
        type="search"
        aria-label={t('searchRecords')}
        placeholder={t('searchRecords')}
        value={filter.text}
        onInput={(event) => put({ text: event.currentTarget.value })}
      />
      <Select
        isInline
        label={t('kind')}
        value={filter.kind}
        options={[
          ['', t('all')],
          ['IMAGE', t('kindImage')],
          ['VIDEO', t('kindVideo')],
          ['AUDIO', t('kindAudio')],
        ]}
        onValue={(kind) => put({ kind: kind as Kind | '' })}
      />
      <Select
        isInline
        label={t('outcome')}
        value={filter.outcome}
        options={[['', t('all')], ...OUTCOMES.map((name) => [name, t(`outcome_${name}`)] as const)]}
        onValue={(outcome) => put({ outcome })}
      />
      <MoreFilters {...{ filter }} onPart={put} />
    </Search>
  );
}

/** The fields are open if there is room, or if one of them narrows the list. */
function MoreFilters({
  filter,
  onPart,
}: {
  filter: RecordFilter;
  onPart: (part: Partial<RecordFilter>) => void;
}): JSX.Element {
  const [isOpen, setOpen] = useState(
    () => matchMedia('(min-width: 46rem)').matches || FOLDED.some((name) => filter[name] !== ''),
  );
  const { data } = useQuery(READ_DESKS, {});
  const desks = (data?.desks ?? []).filter(({ ownRole }) => ownRole !== null);
  return (
    <details class="more-filters" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t('moreFilters')}</summary>
      <div class="filters">
        <input
          type="search"
          class="said"
          aria-label={t('searchSaid')}
          placeholder={t('searchSaid')}
          value={filter.said}
          onInput={(event) => onPart({ said: event.currentTarget.value })}
        />
        {DAYS.map((name) => (
          <label key={name} class="field inline">
            <span>{t(name)}</span>
            <input
              type="date"
              value={filter[name]}
              onInput={(event) => onPart({ [name]: event.currentTarget.value })}
            />
          </label>
        ))}
        {desks.length > 0 && (
          <Select
            isInline
            label={t('optionDesk')}
            value={filter.deskId}
            options={[
              ['', t('all')],
              ...desks.map(({ id, name }) => [id, showText(name)] as const),
              ['0', t('filterDeskNone')],
            ]}
            onValue={(deskId) => onPart({ deskId })}
          />
        )}
        {(session.get()?.account?.role !== 'user' ||
          desks.some(({ ownRole }) => includesRole(ownRole, 'signs_off'))) && (
          <Check
            label={t('waitsForMe')}
            isOn={filter.waitsForMe !== ''}
            onValue={(isOn) => onPart({ waitsForMe: isOn ? 'yes' : '' })}
          />
        )}
      </div>
    </details>
  );
}
