/** The line above the records: what runs, what is chosen, in which order they stand and how they are drawn. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ListedRecord } from '../gen/documents.ts';
import { Button, Check, Select } from '../parts/parts.tsx';
import { isRefused } from '../parts/records.ts';
import { useCell } from '../state/cell.ts';
import { t } from '../texts/language.ts';
import { LIST_ORDERS, type ListOrder } from './list-order.ts';
import { CHOSEN_MAX, choose, selection } from './selection.ts';
import type { Records } from './use-records.ts';
import type { ListView } from './use-window.ts';

interface ToolsProps {
  records: Records;
  view: ListView;
  order: ListOrder;
  onView: (view: ListView) => void;
  onOrder: (order: ListOrder) => void;
}

export function ListTools({ records, view, order, onView, onOrder }: ToolsProps): JSX.Element {
  return (
    <div class="list-tools">
      <ChooseAll {...{ records }} />
      <Running {...{ records }} />
      <Select
        isInline
        label={t('order')}
        value={order}
        options={LIST_ORDERS.map((name) => [name, t(`order_${name}`)] as const)}
        onValue={onOrder}
      />
      <fieldset class="views">
        <legend class="unseen">{t('view')}</legend>
        {(['rows', 'grid'] as const).map((name) => (
          <button
            key={name}
            type="button"
            class="button plain"
            aria-pressed={view === name}
            onClick={() => onView(name)}
          >
            {t(`view_${name}`)}
          </button>
        ))}
      </fieldset>
    </div>
  );
}

/** The records that are loaded; then, if there are more, all that the filter finds. */
function ChooseAll({ records }: { records: Records }): JSX.Element {
  const chosen = useCell(selection);
  const [isBusy, setBusy] = useState(false);
  const loaded = records.shown.flatMap((row): ListedRecord[] => (isRefused(row) ? [] : [row]));
  const areAll = loaded.length > 0 && loaded.every(({ identifier }) => chosen.has(identifier));
  const isMore = areAll && records.hasMore && chosen.size < CHOSEN_MAX;
  const chooseFound = async (): Promise<void> => {
    setBusy(true);
    try {
      choose(await records.loadUpTo(CHOSEN_MAX), true);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="choose-all">
      <Check label={t('chooseAll')} isOn={areAll} onValue={(isOn) => choose(loaded, isOn)} />
      {isMore && (
        <Button kind="link" {...{ isBusy }} onPress={() => void chooseFound()}>
          {t('chooseFound', { max: CHOSEN_MAX })}
        </Button>
      )}
    </div>
  );
}

/** Its place is there whether anything runs or not: the list below must not move when work ends. */
function Running({ records }: { records: Records }): JSX.Element {
  const running = records.shown.flatMap((row) =>
    !isRefused(row) && row.outcome === 'WAITING' ? [row.progress] : [],
  );
  const done = running.reduce(
    (sum, progress) => sum + (progress === null ? 0 : progress.done / Math.max(1, progress.total)),
    0,
  );
  return (
    <p class="running" role="status">
      {running.length > 0 && (
        <>
          <span>{t('running', { count: running.length })}</span>
          <progress max={running.length} value={done} aria-label={t('progress')} />
        </>
      )}
    </p>
  );
}
