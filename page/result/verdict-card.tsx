/** What the record comes to as a sentence, with how sure it is; what older programs read stands beneath it. */
import type { JSX } from 'preact';
import { shownRatio, supportOf } from '../../src/domain/records/finding-words.ts';
import { showText } from '../../src/domain/shown-text.ts';
import type { Assessment, FullRecord } from '../gen/documents.ts';
import { formatNumber, formatPercent } from '../parts/format.ts';
import { headlineClass } from '../parts/records.ts';
import { language, t } from '../texts/language.ts';
import { signOffSentence } from './sign-off.tsx';

export function VerdictCard({ record }: { record: FullRecord }): JSX.Element {
  const { headline, assessment, signOff } = record;
  const { sentence, beside, documented } = headline;
  return (
    <section class={`card verdict ${headlineClass(record)}`} aria-label={t('verdict')}>
      <p class="verdict-sentence mark">{showText(sentence[language.get()])}</p>
      {signOff !== null && <p>{signOffSentence(signOff)}</p>}
      {beside !== null && <p>{showText(beside[language.get()])}</p>}
      {assessment?.probability != null && <Gauge {...{ assessment }} probability={assessment.probability} />}
      {assessment?.probability != null && <p class="quiet">{strength(assessment)}</p>}
      {documented !== null && <p class="formal quiet">{documented[language.get()]}</p>}
    </section>
  );
}

/** A place on a line from human to artificial, not a bar that fills: it says how likely, not how much. */
function Gauge({ probability, assessment }: { probability: number; assessment: Assessment }): JSX.Element {
  const share = formatPercent(probability);
  return (
    <figure class="gauge">
      <div class="gauge-line" role="img" aria-label={t('chanceByModels', { share })}>
        {assessment.stability?.variants.map(({ name, probability: variant }) => (
          <i key={name} class="gauge-variant" style={{ left: `${variant * 100}%` }} />
        ))}
        <i class="gauge-mark" style={{ left: `${probability * 100}%` }} />
      </div>
      <figcaption>
        <span>{t('human')}</span>
        <span class="figure">{t('chanceByModels', { share })}</span>
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

/** The score as a position on a line, for lists of models. */
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
