import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { sortReasons } from '../../src/domain/records/finding-words.ts';
import { showText } from '../../src/domain/shown-text.ts';
import type { ListedRecord } from '../gen/documents.ts';
import type { RefusedRow } from '../parts/api.ts';
import { formatPercent } from '../parts/format.ts';
import { Time } from '../parts/parts.tsx';
import { resultPath } from '../parts/paths.ts';
import { headlineClass, outcomeOf } from '../parts/records.ts';
import { saySentence } from '../texts/daemon/sentences-it.ts';
import { findText, language, t } from '../texts/language.ts';
import { sayReason } from './reason-sentence.ts';
import { Thumbnail } from './thumbnail.tsx';

interface RowProps {
  record: ListedRecord;
  /** Name of the colleague who sent it; empty if the reader did. */
  sender: string;
  index: number;
  /** True if the keyboard is on this row. */
  isActive: boolean;
  /** Whether it came since the reader was last here. */
  isNew: boolean;
  isChosen: boolean;
  onChoose: (isChosen: boolean) => void;
  onFocus: () => void;
}

export function RecordRow(props: RowProps): JSX.Element {
  const { record, sender, index, isActive, isNew, isChosen, onChoose, onFocus } = props;
  const { identifier, name, refId, createdAt, signOff } = record;
  const shownName = name === '' ? identifier.slice(0, 12) : showText(name);
  return (
    <li class={isChosen ? 'row chosen' : 'row'} data-index={index} aria-current={isActive || undefined}>
      <input
        type="checkbox"
        checked={isChosen}
        aria-label={t('choose', { name: shownName })}
        onChange={(event) => onChoose(event.currentTarget.checked)}
      />
      <Thumbnail {...{ record }} />
      <div class="row-name">
        <Link href={resultPath(identifier)} {...{ onFocus }}>
          {shownName}
        </Link>
        <small class="quiet">
          {isNew && <span class="new">{t('isNew')} </span>}
          {sender !== '' && <span>{sender} · </span>}
          {refId !== '' && <span class="ref">{showText(refId)} · </span>}
          <Time iso={createdAt} isAge />
          {signOff !== null && <span> · {t(`signOff_${signOff.state}`)}</span>}
        </small>
        <small class="quiet row-reason">{whyOf(record)}</small>
      </div>
      <OutcomeMark {...{ record }} />
    </li>
  );
}

/** The strongest reason, or why the analysis failed. */
export function whyOf({ outcome, assessment, errors, cancelled }: ListedRecord): string {
  if (outcome === 'FAILED') return cancelled ? '' : saySentence(errors);
  const [first] = sortReasons(outcome, assessment?.reasons ?? []).for;
  return first === undefined ? '' : sayReason(first);
}

/** A refused record keeps its place among the others and says why it is not shown. */
export function RefusedRecordRow({ row }: { row: RefusedRow }): JSX.Element {
  const { identifier, createdAt, refusal } = row;
  return (
    <li class="row refused">
      <div class="row-name">
        <span>{t('refusedRecord', { identifier: identifier.slice(0, 12) })}</span>
        <small class="quiet">
          {createdAt !== '' && <Time iso={createdAt} isAge />}
          {createdAt !== '' && ' · '}
          <span title={refusal}>{refusal}</span>
        </small>
      </div>
    </li>
  );
}

/** Shows the outcome by word and shape, not by colour alone; `why` is its reason, unless that stands beside it. */
export function OutcomeMark({ record, why = '' }: { record: ListedRecord; why?: string }): JSX.Element {
  const outcome = outcomeOf(record);
  const { progress, headline, assessment } = record;
  if (outcome === 'waiting') {
    const { step, done, total } = progress ?? { step: 'queued', done: 0, total: 1 };
    return (
      <div class="outcome waiting">
        <span>{stepName(step)}</span>
        <progress max={Math.max(1, total)} value={done} aria-label={t('progress')} />
      </div>
    );
  }
  return (
    <div class={`outcome ${headlineClass(record)}`}>
      <span class="mark">{headline.title[language.get()]}</span>
      <small class="quiet">
        {record.cancelled ? t('cancelled') : why}
        {assessment?.probability != null &&
          t(headline.word.startsWith('SIGNED') ? 'chanceByModels' : 'artificialAt', {
            share: formatPercent(assessment.probability),
          })}
      </small>
    </div>
  );
}

export const stepName = (step: string): string => findText(`step_${step}`) ?? step;
