/** What decided, and what speaks against it: sorted out of the daemon's reasons and of the figures beside them. */
import { SMALL_SIDE_PIXELS } from '../../src/domain/records/finding-words.ts';
import type { Assessment, FullRecord } from '../gen/documents.ts';
import { formatPercent } from '../parts/format.ts';
import { artificialScore, isAgainstOutcome } from '../parts/records.ts';
import { t } from '../texts/language.ts';

type Reason = Assessment['reasons'][number];

/** As many as are read before a decision. */
const STRONGEST_MAX = 3;

/** Reasons that weaken what was found, whichever way it goes. */
const WEAKENING: readonly string[] = [
  'WEAK_EVIDENCE',
  'UNSTABLE_UNDER_REENCODING',
  'PROVENANCE_CONTRADICTS_MODELS',
  'CAPTURE_WITH_GENERATED_PARTS',
  'METADATA_CONTRADICT_MODELS',
  'WATERMARK_CONTRADICTS_MODELS',
  'HEAVILY_COMPRESSED',
  'C2PA_INVALID',
];

/** The daemon lists what decided first. */
export function strongestReasons(record: FullRecord, { reasons }: Assessment): readonly Reason[] {
  return reasons.filter(({ code }) => !isWeakening(record, code)).slice(0, STRONGEST_MAX);
}

export function weakeningReasons(record: FullRecord, { reasons }: Assessment): readonly Reason[] {
  return reasons.filter(({ code }) => isWeakening(record, code));
}

function isWeakening(record: FullRecord, code: string): boolean {
  return WEAKENING.includes(code) || isAgainstOutcome(record, code);
}

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
