/** A sound as it lies in time: its waveform and its spectrum, both drawn by the daemon, so that length costs nothing here. */
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../texts/language.ts';
import { renditionPath, useFigures } from './use-rendition.ts';

interface Peaks {
  durationSeconds: number;
  /** Loudest sample of each even part, 0 to 255. */
  peaks: number[];
}

const LOUDEST = 255;
const WIDTH = 1200;
const HEIGHT = 120;

interface PictureProps {
  identifier: string;
  now: number;
  duration: number;
  /** True for the lane under a film. */
  isSmall?: boolean;
  onSeek: (seconds: number) => void;
}

export function SoundPicture({
  identifier,
  now,
  duration,
  isSmall = false,
  onSeek,
}: PictureProps): JSX.Element {
  const figures = useFigures<Peaks>(renditionPath(identifier, 'peaks.json'));
  // The sound of a film may end before its picture.
  const width = `${Math.min(1, (figures?.durationSeconds ?? duration) / duration) * 100}%`;
  return (
    <div class={isSmall ? 'wave small' : 'wave'}>
      <div style={{ width }}>
        <Wave peaks={figures?.peaks} />
        {!isSmall && <Spectrum {...{ identifier }} isMade={figures !== undefined} />}
      </div>
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

/** Loudest samples over time, 0 to 255; undefined draws the place alone. */
export function Wave({ peaks }: { peaks: readonly number[] | undefined }): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  // The canvas is drawn before `aria-busy` ends.
  useLayoutEffect(() => {
    if (peaks !== undefined && canvas.current !== null) drawWave(canvas.current, peaks);
  }, [peaks]);
  return (
    <canvas
      ref={canvas}
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={t('waveform')}
      aria-busy={peaks === undefined}
    />
  );
}

function drawWave(canvas: HTMLCanvasElement, peaks: readonly number[]): void {
  const context = canvas.getContext('2d');
  if (context === null) return;
  const { width, height } = canvas;
  context.clearRect(0, 0, width, height);
  context.fillStyle = getComputedStyle(canvas).color;
  const step = peaks.length / width;
  for (let x = 0; x < width; x += 2) {
    const part = peaks.slice(
      Math.floor(x * step),
      Math.max(Math.floor(x * step) + 1, Math.ceil((x + 2) * step)),
    );
    const bar = Math.max(1, (Math.max(0, ...part) / LOUDEST) * height);
    context.fillRect(x, (height - bar) / 2, 1.2, bar);
  }
}

/** The picture only says where to draw; the colour is the page's, dark or light. */
function Spectrum({ identifier, isMade }: { identifier: string; isMade: boolean }): JSX.Element {
  const mask = `url(${renditionPath(identifier, 'spectrum.webp')})`;
  return (
    <div
      class="spectrum"
      role="img"
      aria-label={t('spectrogram')}
      style={isMade ? { maskImage: mask, backgroundColor: 'currentColor' } : {}}
    />
  );
}
