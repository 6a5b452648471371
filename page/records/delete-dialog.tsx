/** Asks before records are deleted: how many, which by name and picture, and which of the chosen are kept. */
import type { JSX } from 'preact';
import { showText } from '../../src/domain/shown-text.ts';
import { Button, Dialog } from '../parts/parts.tsx';
import { t } from '../texts/language.ts';
import { type Pictured, Thumbnail } from './thumbnail.tsx';

/** Names of at most so many records are shown; the rest is counted. */
const SHOWN_MAX = 24;

type Deleted = Pictured & { name: string };

interface DeleteProps {
  records: readonly Deleted[];
  /** Chosen records that the filter hides. */
  keptCount?: number;
  isBusy: boolean;
  onDelete: () => void;
  onClose: () => void;
}

export function DeleteDialog({
  records,
  keptCount = 0,
  isBusy,
  onDelete,
  onClose,
}: DeleteProps): JSX.Element {
  const count = records.length;
  const [first] = records;
  const title =
    count === 1 && first !== undefined ? t('deleteOne', { name: nameOf(first) }) : t('deleteMany', { count });
  return (
    <Dialog {...{ title, onClose }}>
      <ul class="deleted">
        {records.slice(0, SHOWN_MAX).map((record) => (
          <li key={record.identifier}>
            <Thumbnail {...{ record }} />
            <small class="long">{nameOf(record)}</small>
          </li>
        ))}
      </ul>
      {count > SHOWN_MAX && <p class="quiet">{t('moreUploads', { count: count - SHOWN_MAX })}</p>}
      {keptCount > 0 && <p>{t('deleteKept', { count: keptCount })}</p>}
      <p>{t('deleteLead')}</p>
      <p class="actions">
        <Button kind="danger" isDisabled={count === 0} {...{ isBusy }} onPress={onDelete}>
          {count > 1 ? t('deleteCount', { count }) : t('delete')}
        </Button>
        <Button onPress={onClose}>{t('cancel')}</Button>
      </p>
    </Dialog>
  );
}

function nameOf({ name, identifier }: Deleted): string {
  return name === '' ? identifier.slice(0, 12) : showText(name);
}
