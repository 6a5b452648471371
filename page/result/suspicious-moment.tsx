/** Where a film or a recording looks most artificial, and the way there: a button that the keyboard reaches too. */
import type { JSX } from 'preact';
import { type Moment, mostSuspiciousIndex } from '../../src/domain/verdicts/suspicious-moment.ts';
import { formatPercent, formatSeconds } from '../parts/format.ts';
import { t } from '../texts/language.ts';

interface MomentProps {
  moments: readonly Moment[];
  /** Called with the index of the moment to go to. */
  onPick: (index: number) => void;
}

/** Nothing if no model could answer. */
export function SuspiciousMoment({ moments, onPick }: MomentProps): JSX.Element | null {
  const index = mostSuspiciousIndex(moments);
  const { seconds, probability } = moments[index ?? -1] ?? {};
  if (index === null || seconds === undefined || probability == null) return null;
  const share = t('artificialAt', { share: formatPercent(probability) });
  return (
    <p class="moment">
      <button type="button" class="button link" onClick={() => onPick(index)}>
        {t('mostSuspicious', { time: formatSeconds(seconds) })}
      </button>{' '}
      <span class="quiet">{share}</span>
    </p>
  );
}
