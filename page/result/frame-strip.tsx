/** A film's judged frames as small pictures, all of them or the most suspicious of each shot; a press goes to the moment. */
import type { ComponentChildren, JSX } from 'preact';
import { Link } from 'wouter-preact';
import type { Frame } from '../gen/documents.ts';
import { colourOf } from '../media/colours.ts';
import { formatPercent, formatSeconds } from '../parts/format.ts';
import { resultPath } from '../parts/paths.ts';
import { type VideoRecord, verdictScore } from '../parts/records.ts';
import { t } from '../texts/language.ts';

export function frameName(frame: Frame | undefined): string {
  if (frame === undefined) return t('frame');
  const score = scoreOf(frame);
  const at = t('frameAt', { time: formatSeconds(frame.timeSeconds ?? 0) });
  return score === null ? at : `${at}, ${t('artificialAt', { share: formatPercent(score) })}`;
}

export function scoreOf({ assessment, verdict }: Pick<Frame, 'assessment' | 'verdict'>): number | null {
  return (
    assessment?.probability ??
    (verdict === null || verdict.models.length === 0 ? null : verdictScore(verdict))
  );
}

interface StripProps {
  record: VideoRecord;
  chosen: number;
  onPick: (index: number) => void;
}

export function FrameStrip({ record, chosen, onPick }: StripProps): JSX.Element {
  return (
    <ol class="strip" aria-label={t('frames')}>
      {record.images.map((frame, index) => (
        <li key={frame.identifier}>
          <FrameButton {...{ record, index, chosen, onPick }}>
            {formatSeconds(frame.timeSeconds ?? 0)}
          </FrameButton>
          <Link href={resultPath(frame.identifier)} aria-label={`${t('details')}: ${frameName(frame)}`}>
            {t('details')}
          </Link>
        </li>
      ))}
    </ol>
  );
}

/** Nothing if the film is one shot, whose most suspicious moment is named already. */
export function Shots({ record, chosen, onPick }: StripProps): JSX.Element | null {
  const { images, shots } = record;
  if (shots.length < 2) return null;
  const timeOf = (index: number): string => formatSeconds(images[index]?.timeSeconds ?? 0);
  const spanOf = (first: number, last: number): string =>
    [...new Set([timeOf(first), timeOf(last)])].join('–');
  return (
    <>
      <h3>{t('shots')}</h3>
      <p class="quiet">{t('shotsLead')}</p>
      <ol class="strip" aria-label={t('shots')}>
        {shots.map(({ firstFrame, lastFrame, suspiciousFrame: index }) => (
          <li key={firstFrame}>
            <FrameButton {...{ record, index, chosen, onPick }}>
              {t('shotSpan', { span: spanOf(firstFrame, lastFrame), worst: timeOf(index) })}
            </FrameButton>
          </li>
        ))}
      </ol>
    </>
  );
}

function FrameButton({
  record: { identifier, images },
  index,
  chosen,
  onPick,
  children,
}: StripProps & { index: number; children: ComponentChildren }): JSX.Element | null {
  const frame = images[index];
  if (frame === undefined) return null;
  return (
    <button
      type="button"
      class={index === chosen ? 'chosen' : ''}
      aria-pressed={index === chosen}
      onClick={() => onPick(index)}
    >
      <img src={`/media/${identifier}/frame/${index}`} alt="" loading="lazy" />
      <span class="strip-score" style={{ background: colourOf(scoreOf(frame)) }} aria-hidden="true" />
      <span class="unseen">{frameName(frame)}</span>
      <span class="figure" aria-hidden="true">
        {children}
      </span>
    </button>
  );
}
