/** A recording with its waveform, its clips coloured by what was heard in them, and its spectrum over time. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { formatNumber, formatPercent, formatSeconds } from './format.ts';
import { t } from './language.ts';
import { Notice, Table } from './parts.tsx';
import { type AudioRecord, type Clip, verdictScore } from './records.ts';
import { drawSpectrogram, drawWave } from './sound-picture.ts';
import { ClipLane } from './video-result.tsx';

/** A browser decodes the whole recording into memory, four bytes a sample. */
const DRAWN_BYTES_MAX = 64 * 1024 * 1024;

export function AudioResult({ record }: { record: AudioRecord }): JSX.Element {
  const { identifier, clips, speechSeconds } = record;
  const source = `/media/${identifier}/original`;
  const player = useRef<HTMLAudioElement>(null);
  const [now, setNow] = useState(0);
  const [isBroken, setBroken] = useState(false);
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
      {isBroken && <Notice>{t('notPlayable')}</Notice>}
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
      {record.sizeBytes <= DRAWN_BYTES_MAX && !isBroken && (
        <SoundPicture {...{ source, now, duration }} onSeek={seek} />
      )}
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
      {clips.length > 0 && <Clips {...{ clips }} onPlay={playFrom} />}
    </section>
  );
}

interface PictureProps {
  source: string;
  now: number;
  duration: number;
  onSeek: (seconds: number) => void;
}

function SoundPicture({ source, now, duration, onSeek }: PictureProps): JSX.Element {
  const wave = useRef<HTMLCanvasElement>(null);
  const spectrum = useRef<HTMLCanvasElement>(null);
  const samples = useSamples(source);
  useEffect(() => {
    if (samples === undefined || wave.current === null || spectrum.current === null) return;
    drawWave(wave.current, samples.getChannelData(0));
    drawSpectrogram(spectrum.current, samples.getChannelData(0));
  }, [samples]);
  return (
    <div class="wave">
      <canvas ref={wave} width={1200} height={120} role="img" aria-label={t('waveform')} />
      <canvas ref={spectrum} width={600} height={128} role="img" aria-label={t('spectrogram')} />
      <i class="now" style={{ left: `${Math.min(100, (now / duration) * 100)}%` }} />
      <input
        type="range"
        class="seek"
        aria-label={t('seek')}
        min="0"
        max={duration}
        step="0.1"
        value={now}
        onInput={(event) => onSeek(Number(event.currentTarget.value))}
      />
    </div>
  );
}

function useSamples(source: string): AudioBuffer | undefined {
  const [samples, setSamples] = useState<AudioBuffer>();
  useEffect(() => {
    const controller = new AbortController();
    const load = async (): Promise<void> => {
      const context = new OfflineAudioContext(1, 1, 16_000);
      const response = await fetch(source, { signal: controller.signal });
      setSamples(await context.decodeAudioData(await response.arrayBuffer()));
    };
    // What this browser cannot decode has no picture; the clips below say all that was measured.
    load().catch(() => undefined);
    return () => controller.abort();
  }, [source]);
  return samples;
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
      {clips.map(({ index, startSeconds, endSeconds, verdict }) => (
        <tr key={index}>
          <td class="figure">{index + 1}</td>
          <td class="figure">{formatSeconds(startSeconds)}</td>
          <td class="figure">{formatSeconds(endSeconds)}</td>
          <td>
            {verdict.models.length === 0
              ? t('noAnswer')
              : t('artificialAt', { share: formatPercent(verdictScore(verdict) ?? 0) })}
          </td>
          <td>
            <button type="button" class="button link" onClick={() => onPlay(startSeconds)}>
              {t('playFrom')}
            </button>
          </td>
        </tr>
      ))}
    </Table>
  );
}
