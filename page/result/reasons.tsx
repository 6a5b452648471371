/** Why, in plain words, whether the answer stands when the picture is saved again, and what could be wrong with it. */
import type { JSX } from 'preact';
import type { MediaKind } from '../../src/domain/media/media.ts';
import { LIMITS, SMALL_SIDE_PIXELS, sortReasons } from '../../src/domain/records/finding-words.ts';
import type { Assessment, FullRecord } from '../gen/documents.ts';
import { Fold } from '../parts/fold.tsx';
import { sayReason } from '../records/reason-sentence.ts';
import { findText, t } from '../texts/language.ts';
import { ScoreLine } from './verdict-card.tsx';

export function ReasonsPanel({ record }: { record: FullRecord }): JSX.Element | null {
  const { assessment } = record;
  if (assessment === null) return null;
  const { weighed, notes } = sortReasons(record.outcome, assessment.reasons);
  return (
    <Fold anchor="why" title={t('reasons')}>
      <ul class="reasons">
        {weighed.map((reason) => (
          <li key={reason.code}>
            <p>{sayReason(reason)}</p>
            {findText(`meaning_${reason.code}`) !== undefined && (
              <p class="quiet">{findText(`meaning_${reason.code}`)}</p>
            )}
          </li>
        ))}
      </ul>
      {notes.length > 0 && <h3>{t('howItWasLookedAt')}</h3>}
      <ul class="reasons">
        {notes.map((note) => (
          <li key={note.code}>{sayReason(note)}</li>
        ))}
      </ul>
      {assessment.stability !== null && <Stability stability={assessment.stability} />}
    </Fold>
  );
}

function Stability({ stability }: { stability: NonNullable<Assessment['stability']> }): JSX.Element {
  const { flips, variants, notNeeded } = stability;
  return (
    <>
      <h3>{t('stability')}</h3>
      {variants.length > 0 && (
        <p>{flips === 0 ? t('stable') : t('unstable', { flips, total: variants.length })}</p>
      )}
      <table class="plain">
        <caption class="unseen">{t('stability')}</caption>
        <tbody>
          {variants.map(({ name, probability }) => (
            <tr key={name}>
              <th scope="row">{variantName(name)}</th>
              <td>
                <ScoreLine score={probability} label={variantName(name)} />
              </td>
            </tr>
          ))}
          {notNeeded.map((name) => (
            <tr key={name}>
              <th scope="row">{variantName(name)}</th>
              <td class="quiet">{t('copiesNotNeeded')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function variantName(name: string): string {
  const [what = '', figure = ''] = name.split('-');
  const text = findText(`variant_${what}`);
  return text === undefined ? name : text.replace('{figure}', figure);
}

export function LimitsPanel({ record }: { record: FullRecord }): JSX.Element {
  const quality = record.assessment?.quality;
  return (
    <Fold anchor="limits" title={t('couldBeWrong')}>
      <ul class="limits">
        {quality != null && quality.shortSide < SMALL_SIDE_PIXELS && (
          <li>{t('limit_small', { pixels: quality.shortSide })}</li>
        )}
        {quality?.truncated === true && <li>{t('limit_truncated')}</li>}
        {LIMITS[record.kind.toLowerCase() as MediaKind].map((key) => (
          <li key={key}>{t(key)}</li>
        ))}
      </ul>
    </Fold>
  );
}
