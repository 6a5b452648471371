/** What speaks against an answer beside the daemon's reasons: figures that no reason says. */
import { SMALL_SIDE_PIXELS } from '../../src/domain/records/finding-words.ts';
import type { Assessment, FullRecord } from '../gen/documents.ts';
import { formatPercent } from '../parts/format.ts';
import { artificialScore } from '../parts/records.ts';
import { t } from '../texts/language.ts';

/** What no reason of the daemon says: models on the other side, and how little there was to look at. */
export function contraryFigures(record: FullRecord, { state, quality }: Assessment): readonly string[] {
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
