/** The film with a line of its frames' scores, the frames themselves, and its sound in a lane of its own. */
import type { JSX, RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { Clip, Frame, Track } from '../gen/documents.ts';
import { colourOf } from '../media/colours.ts';
import { FilmStrip } from '../media/film-strip.tsx';
import { RenditionNote, sentenceOf } from '../media/rendition-note.tsx';
import { SoundPicture } from '../media/sound-picture.tsx';
import { renditionOf, renditionPath, useRendition } from '../media/use-rendition.ts';
import { formatPercent, formatSeconds } from '../parts/format.ts';
import { momentOf, resultPath } from '../parts/paths.ts';
import { type VideoRecord, verdictScore } from '../parts/records.ts';
import { t } from '../texts/language.ts';
import { TranscriptPanel } from '../transcript/transcript.tsx';
import { FrameStrip, frameName, Shots, scoreOf } from './frame-strip.tsx';
import { SuspiciousMoment } from './suspicious-moment.tsx';

export function VideoResult({ record }: { record: VideoRecord }): JSX.Element {
  const { identifier, images, audios } = record;
  const player = useRef<HTMLVideoElement>(null);
  const [isBroken, setBroken] = useState(renditionOf(record, 'FILM')?.isNeeded === true);
  const film = useRendition(isBroken ? renditionPath(identifier, 'film.webm') : null);
  const original = `/media/${identifier}/original`;
  const source = isBroken ? (film.state === 'ready' ? film.source : null) : original;
  const [now, setNow] = useState(() => momentOf(location.hash));
  const [chosen, setChosen] = useState(() => nearestFrame(images, now));
  const duration = Math.max(
    record.durationSeconds ?? 0,
    ...images.map(({ timeSeconds }) => timeSeconds ?? 0),
    // Sound may go on after the picture.
    ...audios.map(({ durationSeconds }) => durationSeconds ?? 0),
    0.1,
  );
  const seek = (seconds: number): void => {
    if (player.current !== null) player.current.currentTime = seconds;
    setNow(seconds);
  };
  const pick = (index: number): void => {
    setChosen(index);
    seek(images[index]?.timeSeconds ?? 0);
  };
  const show = (index: number): void => {
    pick(index);
    player.current?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <section class="film" aria-label={t('film')}>
      <div class="player" style={placeOf(record)}>
        {source === null ? (
          <img class="still" src={`/media/${identifier}/frame/${chosen}`} alt={frameName(images[chosen])} />
        ) : (
          <video
            key={source}
            ref={player}
            controls
            preload="metadata"
            src={source}
            onError={() => setBroken(true)}
            onLoadedMetadata={({ currentTarget }) => {
              // If a browser knows the sound but not the picture, it plays the sound to a black picture.
              if (currentTarget.videoWidth === 0) setBroken(true);
              else if (now > 0) currentTarget.currentTime = now;
            }}
            onTimeUpdate={(event) => setNow(event.currentTarget.currentTime)}
          >
            <track kind="captions" />
          </video>
        )}
      </div>
      <RenditionNote view={film} source={original} name={record.name} />
      <SuspiciousMoment
        moments={images.map((frame) => ({ seconds: frame.timeSeconds ?? 0, probability: scoreOf(frame) }))}
        onPick={show}
      />
      <Shots {...{ record, chosen }} onPick={show} />
      <FilmStrip {...{ identifier, now, duration }} onSeek={seek} />
      <Timeline {...{ images, duration, now, chosen }} onPick={pick} />
      <Tracks {...{ audios, duration, now, player }} onSeek={seek} />
      <FrameStrip {...{ record, chosen }} onPick={pick} />
      {renditionOf(record, 'SHEET') !== undefined && (
        <ContactSheet {...{ identifier }} count={images.length} />
      )}
    </section>
  );
}

function nearestFrame(images: readonly Frame[], seconds: number): number {
  const distances = images.map(({ timeSeconds }) => Math.abs((timeSeconds ?? 0) - seconds));
  return Math.max(0, distances.indexOf(Math.min(...distances)));
}

interface TracksProps {
  audios: readonly Track[];
  duration: number;
  now: number;
  player: RefObject<HTMLVideoElement>;
  onSeek: (seconds: number) => void;
}

/** The sound with its clips, and what is said in it. */
function Tracks({ audios, duration, now, player, onSeek }: TracksProps): JSX.Element {
  const playFrom = (seconds: number): void => {
    onSeek(seconds);
    void player.current?.play();
  };
  return (
    <>
      {audios.map((track) => (
        <TrackLane key={track.identifier} {...{ track, duration, now, onSeek }} />
      ))}
      {audios.map((track) => (
        <TranscriptPanel key={track.identifier} {...track} now={now} onPlay={playFrom} />
      ))}
    </>
  );
}

/** The film's own shape, so that a still, the film and its rendition take the same place. */
function placeOf({ width, height }: Pick<VideoRecord, 'width' | 'height'>): {
  aspectRatio: string;
  width: string;
} {
  const [w, h] = [width ?? 16, height ?? 9];
  return { aspectRatio: `${w} / ${h}`, width: `min(100%, calc(var(--stage) * ${w / h}))` };
}

interface TimelineProps {
  images: readonly Frame[];
  duration: number;
  now: number;
  chosen: number;
  onPick: (index: number) => void;
}

const PLOT_HEIGHT = 88;

function Timeline({ images, duration, now, chosen, onPick }: TimelineProps): JSX.Element {
  const place = ({ timeSeconds }: Frame): number => ((timeSeconds ?? 0) / duration) * 100;
  const points = images.flatMap((frame) => {
    const score = scoreOf(frame);
    return score === null ? [] : [`${place(frame)},${(1 - score) * 100}`];
  });
  return (
    <div class="lane">
      <h3>{t('timeline')}</h3>
      <div class="plot" style={{ height: `${PLOT_HEIGHT}px` }}>
        <span class="plot-label upper">{t('artificial')}</span>
        <span class="plot-label lower">{t('human')}</span>
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
          <line x1="0" y1="50" x2="100" y2="50" class="even" />
          <polyline points={points.join(' ')} />
        </svg>
        {images.map((frame, index) => (
          <button
            key={frame.identifier}
            type="button"
            class={index === chosen ? 'dot chosen' : 'dot'}
            aria-label={frameName(frame)}
            title={frameName(frame)}
            style={{
              left: `${place(frame)}%`,
              top: `${(1 - (scoreOf(frame) ?? 0.5)) * 100}%`,
              backgroundColor: colourOf(scoreOf(frame)),
            }}
            onClick={() => onPick(index)}
          />
        ))}
        <i class="now" style={{ left: `${Math.min(100, (now / duration) * 100)}%` }} />
      </div>
      <p class="axis quiet figure">
        <span>0:00</span>
        <span>{formatSeconds(duration)}</span>
      </p>
    </div>
  );
}

interface LaneProps {
  track: Track;
  duration: number;
  now: number;
  onSeek: (seconds: number) => void;
}

function TrackLane({ track, duration, now, onSeek }: LaneProps): JSX.Element {
  return (
    <div class="lane">
      <h3>
        {t('soundTrack')} <Link href={resultPath(track.identifier)}>{t('details')}</Link>
      </h3>
      {track.clips.length === 0 && <p class="quiet">{t('noSpeech')}</p>}
      <SoundPicture isSmall identifier={track.identifier} {...{ now, duration, onSeek }} />
      <ClipLane clips={track.clips} {...{ duration, now, onSeek }} />
    </div>
  );
}

export function ClipLane(props: {
  clips: readonly Clip[];
  duration: number;
  now: number;
  onSeek: (seconds: number) => void;
}): JSX.Element {
  const { clips, duration, now, onSeek } = props;
  return (
    <div class="clips">
      {clips.map((clip) => {
        const { index, start, end, verdict } = clip;
        const isSilent = verdict.models.length === 0;
        const score = isSilent ? null : verdictScore(verdict);
        const shown = score === null ? t('noAnswer') : t('artificialAt', { share: formatPercent(score) });
        const name = `${formatSeconds(start)}–${formatSeconds(end)}: ${shown}`;
        const style = {
          left: `${(start / duration) * 100}%`,
          width: `${((end - start) / duration) * 100}%`,
          background: colourOf(score),
        };
        return (
          <button
            key={index}
            type="button"
            class="clip"
            aria-label={name}
            title={name}
            {...{ style }}
            onClick={() => onSeek(start)}
          />
        );
      })}
      <i class="now" style={{ left: `${Math.min(100, (now / duration) * 100)}%` }} />
    </div>
  );
}

/** Drawn by the daemon when it is opened here for the first time. */
function ContactSheet({ identifier, count }: { identifier: string; count: number }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const view = useRendition(isOpen ? renditionPath(identifier, 'sheet.png') : null);
  return (
    <details class="contact-sheet unprinted" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t('contactSheet')}</summary>
      {view.state === 'ready' ? (
        <>
          <img src={view.source} alt={t('contactSheetShown', { count })} />
          <p>
            <a href={view.source} download={`assay-${identifier.slice(0, 12)}-sheet.png`}>
              {t('contactSheetDownload')}
            </a>
          </p>
        </>
      ) : (
        <p class="quiet" role="status">
          {sentenceOf(view)}
        </p>
      )}
    </details>
  );
}
