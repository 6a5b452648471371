/** The verdict as a sentence, with how sure it is; what forced it is said before anything else. */
import type { JSX } from 'preact';
import { certaintyOf, shownRatio, supportOf } from '../../src/domain/records/finding-words.ts';
import type { Assessment, FullRecord, Verdict } from '../gen/documents.ts';
import { formatNumber, formatPercent } from '../parts/format.ts';
import { outcomeOf } from '../parts/records.ts';
import type { TextKey } from '../texts/en.ts';
import { t } from '../texts/language.ts';
import { signOffSentence } from './sign-off.tsx';

export function VerdictCard({ record }: { record: FullRecord }): JSX.Element {
  const { forceClassification, verdict, assessment, signOff } = record;
  const outcome = outcomeOf(record);
  const isSigned = verdict?.models.includes('c2pa') === true;
  return (
    <section class={`card verdict ${outcome}`} aria-label={t('verdict')}>
      <p class="verdict-sentence">{headline(record)}</p>
      {signOff !== null && <p>{signOffSentence(signOff)}</p>}
      {(forceClassification !== null || isSigned) && assessment !== null && (
        <p>
          {t(forceClassification === null ? 'forcedBySignature' : 'forcedByPerson')}{' '}
          {forceClassification === null && `${t('ruleNotFinding')} `}
          {t('measuredWas', { sentence: measuredSentence(record, assessment) })}
        </p>
      )}
      {assessment?.probability != null && <Gauge {...{ assessment }} probability={assessment.probability} />}
      {assessment?.probability != null && <p class="quiet">{strength(assessment)}</p>}
    </section>
  );
}

function headline(record: FullRecord): string {
  const thing = t(`thing_${record.kind}`);
  const { forceClassification, verdict, assessment } = record;
  if (forceClassification !== null) return t(`said_${forceClassification}`, { thing });
  if (verdict?.models.includes('c2pa')) return t('signedArtificial', { thing });
  return assessment === null ? t('verdict_NOT_APPLICABLE', { thing }) : measuredSentence(record, assessment);
}

function measuredSentence({ kind }: FullRecord, assessment: Assessment): string {
  const { state, probability, strength: basis, reasons } = assessment;
  const thing = t(`thing_${kind}`);
  if (basis === 'SIGNED') return t('measured_SIGNED', { thing });
  const isCaptureShown = reasons.some(({ code }) => code === 'SIGNED_CAPTURED');
  if (state === 'HUMAN' && isCaptureShown) return t('measured_CAPTURED', { thing });
  if (state === 'INCONCLUSIVE') return t('verdict_INCONCLUSIVE', { thing });
  if (state === 'NOT_APPLICABLE' || probability === null) return t('verdict_NOT_APPLICABLE', { thing });
  const stated = state === 'ARTIFICIAL' ? probability : 1 - probability;
  return t(`verdict_${state}_${certaintyOf(stated)}` as TextKey, { thing });
}

/** A place on a line from human to artificial, not a bar that fills: it says how likely, not how much. */
function Gauge({ probability, assessment }: { probability: number; assessment: Assessment }): JSX.Element {
  const share = formatPercent(probability);
  return (
    <figure class="gauge">
      <div class="gauge-line" role="img" aria-label={t('artificialAt', { share })}>
        {assessment.stability?.variants.map(({ name, probability: variant }) => (
          <i key={name} class="gauge-variant" style={{ left: `${variant * 100}%` }} />
        ))}
        <i class="gauge-mark" style={{ left: `${probability * 100}%` }} />
      </div>
      <figcaption>
        <span>{t('human')}</span>
        <span class="figure">{t('artificialAt', { share })}</span>
        <span>{t('artificial')}</span>
      </figcaption>
    </figure>
  );
}

function strength({ log10LikelihoodRatio, probability }: Assessment): string {
  const lead = t('likelyNotHowMuch');
  if (log10LikelihoodRatio === null || probability === null) return lead;
  const band = t(`support_${supportOf(log10LikelihoodRatio)}`);
  const ratio = shownRatio(log10LikelihoodRatio);
  const sentence = log10LikelihoodRatio >= 0 ? 'ratioArtificial' : 'ratioHuman';
  return `${lead} ${t(sentence, { ratio: formatNumber(ratio, ratio < 10 ? 1 : 0), band })}`;
}

export function Formal({ verdict }: { verdict: Verdict }): JSX.Element {
  const { classification, confidence, heuristic } = verdict;
  return (
    <p class="formal quiet">
      {t('formalVerdict', {
        heuristic: t(`heuristic_${heuristic}` as TextKey),
        classification: t(classification === 'HUMAN' ? 'human' : 'artificial'),
        confidence: formatNumber(confidence, 3),
      })}
    </p>
  );
}

/** For lists of models: their score as a place on the same line. */
export function ScoreLine({ score, label }: { score: number | null; label: string }): JSX.Element {
  if (score === null) return <span class="quiet">{t('noAnswer')}</span>;
  return (
    <span class="score-line">
      <span class="gauge-line small" role="img" aria-label={`${label}: ${formatPercent(score, 1)}`}>
        <i class="gauge-mark" style={{ left: `${score * 100}%` }} />
      </span>
      <span class="figure">{formatPercent(score, 1)}</span>
    </span>
  );
}
