/** Findings so far while the work runs, marked as preliminary. Their place is kept from the start. */
import type { JSX } from 'preact';
import type { FullRecord, Tentative } from '../gen/documents.ts';
import { formatPercent, formatSeconds } from '../parts/format.ts';
import { t } from '../texts/language.ts';
import { ChannelMark } from '../transcript/transcript.tsx';

export function TentativePanel({ record }: { record: FullRecord }): JSX.Element | null {
  if (record.__typename === 'ImageClassification') return null;
  const { tentative } = record;
  return (
    <section class="card tentative" aria-label={t('soFar')}>
      <h2>{t('soFar')}</h2>
      <p class="quiet">{t('soFarLead')}</p>
      <Places {...{ tentative }} />
      <p role="status">{sentenceOf(tentative)}</p>
      {tentative !== null && tentative.transcript.length > 0 && (
        <>
          <h3>{t('transcriptSoFar')}</h3>
          <ol class="transcript-lines">
            {tentative.transcript.map(({ startSeconds, text, language, channel }, index) => (
              <li key={index}>
                <span class="figure quiet">{formatSeconds(startSeconds)}</span>{' '}
                <ChannelMark channel={channel} />{' '}
                <span lang={language} dir="auto">
                  {text}
                </span>
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

function sentenceOf(tentative: Tentative | null): string {
  if (tentative === null) return t('soFarNothing');
  const { state, probability, frames, clips } = tentative;
  const counts = { frames: frames.length, clips: clips.length };
  if (probability === null) return t('soFarUnclear', counts);
  return t('soFarSays', {
    ...counts,
    state: t(`outcome_${state.toLowerCase() as Lowercase<typeof state>}`),
    share: formatPercent(probability),
  });
}

/** One bar for each frame and clip, as high as it looks artificial; all in one line of fixed height. */
function Places({ tentative }: { tentative: Tentative | null }): JSX.Element {
  const places = [
    ...(tentative?.frames ?? []).map(({ timeSeconds, probability }) => ({ at: timeSeconds, probability })),
    ...(tentative?.clips ?? []).map(({ start, probability }) => ({ at: start, probability })),
  ];
  return (
    <ol class="so-far" aria-label={t('soFarPlaces')}>
      {places.map(({ at, probability }, index) => {
        const name =
          probability === null
            ? t('soFarNone', { at: formatSeconds(at) })
            : t('soFarPlace', { at: formatSeconds(at), share: formatPercent(probability) });
        return (
          <li key={index} title={name}>
            <span class="unseen">{name}</span>
            <i style={{ height: `${Math.round((probability ?? 0) * 100)}%` }} />
          </li>
        );
      })}
    </ol>
  );
}
