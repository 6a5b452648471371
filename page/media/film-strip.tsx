/** Thumbnails of a film along its timeline: a press on one goes there. */
import type { JSX } from 'preact';
import { formatSeconds } from '../parts/format.ts';
import { t } from '../texts/language.ts';
import { renditionPath, useFigures } from './use-rendition.ts';

interface StripFigures {
  width: number;
  height: number;
  /** The length of the picture; the sound may be longer. */
  durationSeconds: number;
  times: number[];
}

interface StripProps {
  identifier: string;
  now: number;
  duration: number;
  onSeek: (seconds: number) => void;
}

/** The strip keeps its place while the thumbnails are made. */
export function FilmStrip({ identifier, now, duration, onSeek }: StripProps): JSX.Element {
  const figures = useFigures<StripFigures>(renditionPath(identifier, 'strip.json'));
  const share = Math.min(1, (figures?.durationSeconds ?? duration) / duration) * 100;
  return (
    <div class="film-strip">
      {figures !== undefined && (
        <>
          <img
            src={renditionPath(identifier, 'strip.webp')}
            alt={t('filmStrip', { count: figures.times.length })}
            style={{ width: `${share}%` }}
          />
          {figures.times.map((seconds, index) => (
            <button
              key={seconds}
              type="button"
              tabIndex={-1}
              style={{
                left: `${(index / figures.times.length) * share}%`,
                width: `${share / figures.times.length}%`,
              }}
              aria-label={t('goTo', { time: formatSeconds(seconds) })}
              onClick={() => onSeek(seconds)}
            />
          ))}
        </>
      )}
      <i class="now" style={{ left: `${Math.min(100, (now / duration) * 100)}%` }} />
    </div>
  );
}
