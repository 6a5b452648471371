/** What each model said and how often it errs, and what each way of weighing makes of it. */
import type { JSX } from 'preact';
import type { KindRate } from '../../src/domain/packs/measured-figures.ts';
import { readSilence } from '../../src/domain/verdicts/silence.ts';
import {
  type FullRecord,
  type ModelResult,
  READ_MODEL_FIGURES,
  type ReadModelFiguresAnswer,
} from '../gen/documents.ts';
import { Fold } from '../parts/fold.tsx';
import { formatPercent } from '../parts/format.ts';
import { artificialScore, modelResultsOf } from '../parts/records.ts';
import { figuresOf, statedErrors } from '../parts/stated-errors.ts';
import { useQuery } from '../parts/use-query.ts';
import { language, t } from '../texts/language.ts';
import { kindOfPictureName } from '../texts/names.ts';
import { ScoreLine } from './verdict-card.tsx';

export function ScoresPanel({ record }: { record: FullRecord }): JSX.Element {
  const { data } = useQuery(READ_MODEL_FIGURES, {});
  const isPicture = record.__typename === 'ImageClassification';
  return (
    <Fold anchor="models" title={t('models')}>
      {modelResultsOf(record).map((result) => (
        <ModelScore
          key={result.model}
          {...{ result, isPicture }}
          card={data?.appliance.models.find(({ id }) => id === result.model)}
        />
      ))}
      {modelResultsOf(record).length === 0 && <p class="quiet">{t('noAnswer')}</p>}
    </Fold>
  );
}

interface ModelScoreProps {
  result: ModelResult;
  isPicture: boolean;
  card: ReadModelFiguresAnswer['appliance']['models'][number] | undefined;
}

function ModelScore({ result, isPicture, card }: ModelScoreProps): JSX.Element {
  const known = figuresOf(card);
  // A film's track is judged by what judges sound.
  const stated = statedErrors(known, isPicture ? ['image'] : ['video', 'audio']);
  return (
    <div class="model">
      <div class="model-head">
        <strong>{card?.name ?? result.model}</strong>
        <ScoreLine score={artificialScore(result)} label={result.model} />
      </div>
      {result.unknown && <p class="quiet">{readSilence(result.reason)[language.get()]}</p>}
      {stated !== null && <p class="quiet">{stated}</p>}
      {/* Measured on whole pictures, so not said of frames. */}
      {isPicture && (
        <KindRates
          kinds={known.find(({ tier, kinds }) => tier === 'clean' && kinds !== undefined)?.kinds ?? []}
        />
      )}
    </div>
  );
}

/** Error rates by kind of picture: a mean over all hides that drawings differ from photographs, and the reader knows the kind. */
function KindRates({ kinds }: { kinds: readonly KindRate[] }): JSX.Element | null {
  if (kinds.length === 0) return null;
  return (
    <details>
      <summary>{t('ratesByKind')}</summary>
      {(['human', 'artificial'] as const).map((label) => (
        <ul class="quiet" key={label}>
          {kinds
            .filter((rate) => rate.label === label)
            .map(({ kind, images, called, calledLow, calledHigh }) => (
              <li key={kind}>
                {t(label === 'human' ? 'falseAlarmsOfKind' : 'foundOfKind', {
                  kind: kindOfPictureName(kind),
                  called: formatPercent(called),
                  low: formatPercent(calledLow),
                  high: formatPercent(calledHigh),
                  images: String(images),
                })}
              </li>
            ))}
        </ul>
      ))}
    </details>
  );
}
