/** One record in the list. */

import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { showText } from '../../src/domain/shown-text.ts';
import type { ListedRecord } from '../gen/documents.ts';
import type { RefusedRow } from '../parts/api.ts';
import { formatPercent } from '../parts/format.ts';
import { Time } from '../parts/parts.tsx';
import { resultPath } from '../paths.ts';
import { findText, t } from '../texts/language.ts';
import { outcomeOf, verdictScore } from './records.ts';

interface RowProps {
  record: ListedRecord;
  isChosen: boolean;
  onChoose: (isChosen: boolean) => void;
}

export function RecordRow({ record, isChosen, onChoose }: RowProps): JSX.Element {
  const { identifier, name, refId, kind, createdAt, signOff } = record;
  const shownName = name === '' ? identifier.slice(0, 12) : showText(name);
  return (
    <li class="row">
      <input
        type="checkbox"
        checked={isChosen}
        aria-label={t('choose', { name: shownName })}
        onChange={(event) => onChoose(event.currentTarget.checked)}
      />
      <KindMark {...{ kind }} />
      <div class="row-name">
        <Link href={resultPath(identifier)}>{shownName}</Link>
        <small class="quiet">
          {refId !== '' && <span class="ref">{showText(refId)} · </span>}
          <Time iso={createdAt} isAge />
          {signOff !== null && <span> · {t(`signOff_${signOff.state}`)}</span>}
        </small>
      </div>
      <OutcomeMark {...{ record }} />
    </li>
  );
}

/** In its place among the others: who looks for it learns that it is there, and why it is not shown. */
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

export function KindMark({ kind }: { kind: ListedRecord['kind'] }): JSX.Element {
  const names = { IMAGE: t('kindImage'), VIDEO: t('kindVideo'), AUDIO: t('kindAudio') };
  return (
    <svg class="kind" viewBox="0 0 20 20" role="img" aria-label={names[kind]}>
      <title>{names[kind]}</title>
      <path d={KIND_PATHS[kind]} />
    </svg>
  );
}

const KIND_PATHS: Readonly<Record<ListedRecord['kind'], string>> = {
  IMAGE: 'M3 4h14v12H3zM3 13l4-4 4 4 2-2 4 4M13 7.5h.01',
  VIDEO: 'M3 5h10v10H3zM13 8.5 17 6v8l-4-2.5',
  AUDIO: 'M4 8v4M7 5v10M10 7v6M13 4v12M16 8v4',
};

/** Word and shape, not the colour alone, say what came out. */
export function OutcomeMark({ record }: { record: ListedRecord }): JSX.Element {
  const outcome = outcomeOf(record);
  const { progress, verdict, forceClassification } = record;
  if (outcome === 'waiting') {
    const { step, done, total } = progress ?? { step: 'queued', done: 0, total: 1 };
    return (
      <div class="outcome waiting">
        <span>{stepName(step)}</span>
        <progress max={Math.max(1, total)} value={done} aria-label={t('progress')} />
      </div>
    );
  }
  const score = record.assessment?.probability ?? verdictScore(verdict);
  const isForced = forceClassification !== null || verdict?.models.includes('c2pa') === true;
  return (
    <div class={`outcome ${outcome}`}>
      <span class="mark">{t(`outcome_${outcome}`)}</span>
      <small class="quiet">
        {outcome === 'failed' && (record.cancelled ? t('cancelled') : record.errors)}
        {outcome !== 'failed' && isForced && t(forceClassification === null ? 'bySignature' : 'byPerson')}
        {outcome !== 'failed' &&
          outcome !== 'not_applicable' &&
          !isForced &&
          score !== null &&
          t('artificialAt', { share: formatPercent(score) })}
      </small>
    </div>
  );
}

export function stepName(step: string): string {
  return findText(`step_${step}`) ?? step;
}
