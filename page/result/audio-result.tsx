/** A recording with its waveform, its clips coloured by what was heard in them, and its spectrum over time. */
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Clip } from '../gen/documents.ts';
import { RenditionNote } from '../media/rendition-note.tsx';
import { SoundPicture } from '../media/sound-picture.tsx';
import { renditionOf, renditionPath, useRendition } from '../media/use-rendition.ts';
import { formatNumber, formatPercent, formatSeconds } from '../parts/format.ts';
import { Table } from '../parts/parts.tsx';
import { type AudioRecord, verdictScore } from '../parts/records.ts';
import { t } from '../texts/language.ts';
import { TranscriptPanel } from '../transcript/transcript.tsx';
import { SuspiciousMoment } from './suspicious-moment.tsx';
import { ClipLane } from './video-result.tsx';

export function AudioResult({ record }: { record: AudioRecord }): JSX.Element {
  const { identifier, clips, speechSeconds } = record;
  const player = useRef<HTMLAudioElement>(null);
  const [now, setNow] = useState(0);
  const original = `/media/${identifier}/original`;
  const sound = renditionOf(record, 'SOUND');
  const [isBroken, setBroken] = useState(sound?.isNeeded === true);
  const view = useRendition(isBroken && sound !== undefined ? renditionPath(identifier, 'sound.webm') : null);
  const source = isBroken && view.state === 'ready' ? view.source : original;
  const duration = Math.max(record.durationSeconds ?? 0, 0.1);
  const seek = (seconds: number): void => {
    if (player.current === null) return;
    player.current.currentTime = seconds;
    setNow(seconds);
  };
  const playFrom = (seconds: number): void => {
    seek(seconds);
    void player.current?.play();
  };
  return (
    <section class="sound" aria-label={t('sound')}>
      <audio
        ref={player}
        controls
        preload="metadata"
        src={source}
        onError={() => setBroken(true)}
        onTimeUpdate={(event) => setNow(event.currentTarget.currentTime)}
      >
        <track kind="captions" />
      </audio>
      <RenditionNote {...{ view }} source={original} name={record.name} />
      <SuspiciousMoment
        moments={clips.map(({ start, verdict }) => ({
          seconds: start,
          probability: verdict.models.length === 0 ? null : verdictScore(verdict),
        }))}
        onPick={(index) => playFrom(clips[index]?.start ?? 0)}
      />
      <SoundPicture {...{ identifier, now, duration }} onSeek={seek} />
      <ClipLane {...{ clips, duration, now }} onSeek={playFrom} />
      <p class="axis quiet figure">
        <span>0:00</span>
        <span>{formatSeconds(duration)}</span>
      </p>
      {speechSeconds !== null && (
        <p class="quiet">
          {t('speechFound', { speech: formatNumber(speechSeconds, 1), duration: formatNumber(duration, 1) })}
        </p>
      )}
      <TranscriptPanel {...{ identifier, now }} transcript={record.transcript} onPlay={playFrom} />
      {clips.length > 0 && <Clips {...{ clips }} onPlay={playFrom} />}
    </section>
  );
}

function Clips({
  clips,
  onPlay,
}: {
  clips: readonly Clip[];
  onPlay: (seconds: number) => void;
}): JSX.Element {
  return (
    <Table caption={t('clips')} head={[t('clip'), t('from'), t('to'), t('outcome'), '']}>
      {clips.map(({ index, start, end, verdict }) => (
        <tr key={index}>
          <td class="figure">{index + 1}</td>
          <td class="figure">{formatSeconds(start)}</td>
          <td class="figure">{formatSeconds(end)}</td>
          <td>
            {verdict.models.length === 0
              ? t('noAnswer')
              : t('artificialAt', { share: formatPercent(verdictScore(verdict) ?? 0) })}
          </td>
          <td>
            <button type="button" class="button link" onClick={() => onPlay(start)}>
              {t('playFrom')}
            </button>
          </td>
        </tr>
      ))}
    </Table>
  );
}
