/** What a record said in the packages that went out, and where it says something else now. */
import type { JSX } from 'preact';
import type { ExportedReading, FullRecord } from '../gen/documents.ts';
import { formatPercent, formatTime } from '../parts/format.ts';
import { Notice, Time } from '../parts/parts.tsx';
import { findText, t } from '../texts/language.ts';

function describe({ state, probability }: ExportedReading): string {
  const shown = findText(`outcome_${state}`) ?? state;
  return probability === null
    ? shown
    : t('exportReading', { state: shown, share: formatPercent(probability) });
}

export function Contradictions({ record }: { record: FullRecord }): JSX.Element {
  return (
    <>
      {record.exports
        .filter(({ readsOtherwise }) => readsOtherwise)
        .map((made) => (
          <Notice key={made.at} kind="bad">
            {t('exportReadsOtherwise', {
              time: formatTime(made.at),
              reading: describe(made),
              rules: made.rulesVersion,
            })}
          </Notice>
        ))}
    </>
  );
}

export function ExportLines({ record }: { record: FullRecord }): JSX.Element {
  return (
    <>
      {record.exports.map((made) => (
        <li key={made.at}>
          <Time iso={made.at} />
          <span>{t('exportedAt', { reading: describe(made) })}</span>
          <Stamps {...{ made }} />
        </li>
      ))}
    </>
  );
}

function Stamps({ made }: { made: ExportedReading }): JSX.Element {
  return (
    <>
      {made.timestamps.map(({ authority, state, time, error }) => (
        <small key={authority} class="quiet">
          {time === null
            ? t(state === 'failed' ? 'stampFailed' : 'stampWaiting', { authority, reason: error })
            : t('stampedAt', { authority, time: formatTime(time) })}
        </small>
      ))}
    </>
  );
}
