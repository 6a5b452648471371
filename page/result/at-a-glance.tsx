/** What is read before a decision: the strongest reasons, and what speaks against them. */
import type { JSX } from 'preact';
import { SMALL_SIDE_PIXELS, STRONGEST_MAX, sortReasons } from '../../src/domain/records/finding-words.ts';
import type { Assessment, FullRecord } from '../gen/documents.ts';
import { FoldLink } from '../parts/fold.tsx';
import { formatPercent } from '../parts/format.ts';
import { artificialScore, outcomeOf } from '../parts/records.ts';
import { sayReason } from '../records/reason-sentence.ts';
import { t } from '../texts/language.ts';

export function AtAGlance({ record }: { record: FullRecord }): JSX.Element | null {
  const { assessment, seenBefore } = record;
  if (assessment === null) return null;
  const sorted = sortReasons(record.outcome, assessment.reasons);
  const strongest = sorted.for.slice(0, STRONGEST_MAX);
  const against = [...sorted.against.map(sayReason), ...contraryFigures(record, assessment)].slice(
    0,
    STRONGEST_MAX,
  );
  // A file that was not judged has no contrary figures.
  const isAnswered = outcomeOf(record) !== 'not_applicable';
  return (
    <section class="glance" aria-label={t('atAGlance')}>
      {strongest.length > 0 && <h2>{t('strongestReasons')}</h2>}
      <ul class="reasons">
        {strongest.map((reason) => (
          <li key={reason.code}>{sayReason(reason)}</li>
        ))}
      </ul>
      {(isAnswered || against.length > 0) && (
        <>
          <h2>{t('speaksAgainst')}</h2>
          <ul class="reasons">
            {against.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
            {against.length === 0 && <li class="quiet">{t('nothingAgainst')}</li>}
          </ul>
        </>
      )}
      {seenBefore.length > 0 && (
        <p>
          <FoldLink anchor="seen-before">{t('seenBeforeCount', { count: seenBefore.length })}</FoldLink>
        </p>
      )}
    </section>
  );
}

/** Contrary facts beside the daemon's reasons: models on the other side, and how little there was to judge. */
function contraryFigures(record: FullRecord, { state, quality }: Assessment): readonly string[] {
  const sentences = contraryModels(record, state).map(({ model, score }) =>
    t('modelDisagrees', { model, share: formatPercent(score) }),
  );
  const isPicture = record.__typename === 'ImageClassification';
  if (isPicture && quality !== null && quality.shortSide < SMALL_SIDE_PIXELS) {
    sentences.push(t('limit_small', { pixels: quality.shortSide }));
  }
  if (quality?.truncated === true) sentences.push(t('limit_truncated'));
  return sentences;
}

function contraryModels(
  record: FullRecord,
  state: Assessment['state'],
): readonly { model: string; score: number }[] {
  if (record.__typename === 'VideoClassification' || (state !== 'HUMAN' && state !== 'ARTIFICIAL')) return [];
  return record.results
    .filter(({ axis }) => axis === 'generated')
    .flatMap((result) => {
      const score = artificialScore(result);
      if (score === null || score >= 0.5 === (state === 'ARTIFICIAL')) return [];
      return [{ model: result.model, score }];
    });
}
