/** A newer edition of a trust list: what it would change is shown before anything holds. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { showText } from '../../src/domain/shown-text.ts';
import {
  type AllOfTrustListDiff as Diff,
  type AllOfTrustList as List,
  READ_TRUST_LIST_DIFF,
  UPDATE_TRUST_LIST,
} from '../gen/documents.ts';
import { ask, change } from '../parts/api.ts';
import { formatNumber } from '../parts/format.ts';
import { Button, Fault, Field, Notice, Panel } from '../parts/parts.tsx';
import { useWork } from '../parts/use-query.ts';
import { t } from '../texts/language.ts';
import { ListFile } from './list-file.tsx';

interface Edition {
  /** Empty: the one that came with Assay. */
  content: string;
  diff: Diff;
}

export function UpdatePanel({ list, onDone }: { list: List; onDone: () => void }): JSX.Element {
  const { id, name } = list;
  const [edition, setEdition] = useState<Edition | null>(null);
  const [date, setDate] = useState('');
  const { isBusy, fault, run } = useWork();
  const look = async (content: string): Promise<void> => {
    setEdition(null);
    await run(async () => {
      const { trustListDiff: diff } = await ask(READ_TRUST_LIST_DIFF, { id, content });
      setEdition({ content, diff });
    });
  };
  const apply = async ({ content, diff }: Edition): Promise<void> => {
    const dropSeen = diff.droppedSigners.length > 0;
    if (await run(() => change(UPDATE_TRUST_LIST, { id, content, date, dropSeen }))) onDone();
  };
  const isReset = edition?.content === '';
  return (
    <Panel title={t('trustUpdateOf', { name: showText(name) })}>
      <ListFile onContent={(content) => void (content !== '' && look(content))} />
      {list.isUpdated && list.origin !== 'ADDED' && (
        <Button {...{ isBusy }} onPress={() => void look('')}>
          {t('trustReset')}
        </Button>
      )}
      {edition !== null && <Difference diff={edition.diff} isSame={edition.diff.sha256 === list.sha256} />}
      {edition !== null && !isReset && (
        <Field label={t('trustDay')} name="date" type="date" isRequired value={date} onValue={setDate} />
      )}
      {edition !== null && (
        <p class="actions">
          <Button
            kind={edition.diff.droppedSigners.length > 0 ? 'danger' : 'main'}
            {...{ isBusy }}
            isDisabled={!isReset && date === ''}
            onPress={() => void apply(edition)}
          >
            {t(edition.diff.droppedSigners.length > 0 ? 'trustApplyDrop' : 'trustApply')}
          </Button>
        </p>
      )}
      <Fault error={fault} />
    </Panel>
  );
}

function Difference({ diff, isSame }: { diff: Diff; isSame: boolean }): JSX.Element {
  const { added, addedCount, removed, removedCount, droppedSigners } = diff;
  if (isSame) return <p role="status">{t('trustDiffSame')}</p>;
  return (
    <div role="status">
      {droppedSigners.length > 0 && (
        <Notice kind="bad">{t('trustDrops', { names: droppedSigners.map(showText).join(', ') })}</Notice>
      )}
      <Names title={t('trustAdded', { count: formatNumber(addedCount) })} names={added} />
      <Names title={t('trustRemoved', { count: formatNumber(removedCount) })} names={removed} />
    </div>
  );
}

function Names({ title, names }: { title: string; names: readonly string[] }): JSX.Element {
  if (names.length === 0) return <p>{title}</p>;
  return (
    <details>
      <summary>{title}</summary>
      <ul>
        {names.map((name, index) => (
          <li key={`${name}${index}`}>{showText(name)}</li>
        ))}
      </ul>
    </details>
  );
}
