/** What each model said and how often it errs, and what each way of weighing makes of it. */
import type { JSX } from 'preact';
import type { KindRate } from '../../src/domain/packs/measured-figures.ts';
import {
  type FullRecord,
  type ModelResult,
  READ_MODEL_FIGURES,
  type ReadModelFiguresAnswer,
  type Verdict,
} from '../gen/documents.ts';
import { Fold } from '../parts/fold.tsx';
import { formatNumber, formatPercent } from '../parts/format.ts';
import { artificialScore } from '../parts/records.ts';
import { figuresOf, statedErrors } from '../parts/stated-errors.ts';
import { useQuery } from '../parts/use-query.ts';
import type { TextKey } from '../texts/en.ts';
import { findText, t } from '../texts/language.ts';
import { kindOfPictureName } from '../texts/names.ts';
import { ScoreLine } from './verdict-card.tsx';

/** A video's models are those of its frames and tracks: each once, with its mean. */
function resultsOf(record: FullRecord): ModelResult[] {
  if (record.__typename !== 'VideoClassification') return record.results;
  const all = [...record.images, ...record.audios].flatMap(({ results }) => results);
  return [...Map.groupBy(all, ({ model }) => model).values()].flatMap((runs) => {
    const scores = runs.flatMap((run) => artificialScore(run) ?? []);
    const [first] = runs;
    if (first === undefined) return [];
    if (scores.length === 0) return [first];
    const score = scores.reduce((sum, one) => sum + one, 0) / scores.length;
    return [{ ...first, unknown: false, classification: [{ label: 'ARTIFICIAL' as const, score }] }];
  });
}

export function ScoresPanel({ record }: { record: FullRecord }): JSX.Element {
  const { data } = useQuery(READ_MODEL_FIGURES, {});
  const isPicture = record.__typename === 'ImageClassification';
  return (
    <Fold anchor="models" title={t('models')}>
      {resultsOf(record).map((result) => (
        <ModelScore
          key={result.model}
          {...{ result, isPicture }}
          card={data?.appliance.models.find(({ id }) => id === result.model)}
        />
      ))}
      {resultsOf(record).length === 0 && <p class="quiet">{t('noAnswer')}</p>}
      <h3>{t('heuristics')}</h3>
      <Heuristics verdicts={record.verdicts} chosen={record.verdict?.heuristic ?? ''} />
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
      <p class="quiet">
        {result.unknown ? result.reason : (findText(`axis_${result.axis}`) ?? result.axis)} · {result.model}{' '}
        {result.version} · {result.device}
      </p>
      {/* Of a video's frames, each has its own. */}
      {isPicture && result.places !== null && (
        <p class="quiet">
          {t('placesApart', {
            count: String(result.places.count),
            spread: formatNumber(result.places.spread, 1),
          })}
        </p>
      )}
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

/** What the mean over everything hides: a drawing is not a photograph. Which kind this picture is, its reader sees best. */
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

function Heuristics({ verdicts, chosen }: { verdicts: readonly Verdict[]; chosen: string }): JSX.Element {
  return (
    <table class="plain">
      <caption class="unseen">{t('heuristics')}</caption>
      <tbody>
        {verdicts.map(({ heuristic, classification, confidence }) => (
          <tr key={heuristic} aria-current={heuristic === chosen ? 'true' : undefined}>
            <th scope="row">
              {t(`heuristic_${heuristic}` as TextKey)}
              <small class="quiet">{t(`heuristicLead_${heuristic}` as TextKey)}</small>
            </th>
            <td class="nowrap">
              {t(classification === 'HUMAN' ? 'human' : 'artificial')}{' '}
              <span class="figure quiet">{formatNumber(confidence, 2)}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
