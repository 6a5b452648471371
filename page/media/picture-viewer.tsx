/** A picture that can be looked at closely: zoom and move by mouse, touch pad, keys or buttons; maps lie over it exactly. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Detection } from '../gen/documents.ts';
import { formatPercent } from '../parts/format.ts';
import { Button } from '../parts/parts.tsx';
import { verdictScore } from '../parts/records.ts';
import { t } from '../texts/language.ts';
import { colourOf } from './colours.ts';

interface ViewerProps {
  /** Null while there is nothing to show yet; the viewer keeps its place. */
  source: string | null;
  /** Called if the browser cannot show the source. */
  onBroken: () => void;
  /** Draws the tiles over the part of the picture that is seen. */
  tiles: ((view: View, stageWidth: number) => JSX.Element) | null;
  name: string;
  width: number;
  height: number;
  heatmap: { source: string; opacity: number } | null;
  faces: readonly Detection[];
  /** Fills the window with the picture, or puts it back. */
  onWhole: () => void;
}

export interface View {
  scale: number;
  /** Position of the picture's corner, in parts of the stage. */
  x: number;
  y: number;
}

const WHOLE: View = { scale: 1, x: 0, y: 0 };
const SCALE_MAX = 16;
const STEP = 1.4;
/** A hand moves a little while it clicks. */
const CLICK_PIXELS = 5;
/** Height of the legend that the daemon draws under its map; the page has a legend of its own. */
const LEGEND_PIXELS = 32;

/** Keeps the point under the pointer where it is, and the picture within the stage. */
function zoomed({ scale, x, y }: View, factor: number, at = { x: 0.5, y: 0.5 }): View {
  const next = Math.max(1, Math.min(SCALE_MAX, scale * factor));
  const ratio = next / scale;
  return bounded({ scale: next, x: at.x - (at.x - x) * ratio, y: at.y - (at.y - y) * ratio });
}

function bounded({ scale, x, y }: View): View {
  const keep = (value: number): number => Math.min(0, Math.max(1 - scale, value));
  return { scale, x: keep(x), y: keep(y) };
}

export function PictureViewer(props: ViewerProps): JSX.Element {
  const { source, onBroken, tiles, name, width, height, heatmap, faces, onWhole } = props;
  const [view, setView] = useState(WHOLE);
  const stage = useRef<HTMLElement>(null);
  useGestures(stage, setView, onWhole);
  const shift = { transform: `translate(${view.x * 100}%, ${view.y * 100}%) scale(${view.scale})` };
  const size = {
    aspectRatio: `${width} / ${height}`,
    width: `min(100%, calc(var(--stage) * ${width / height}))`,
  };
  return (
    <>
      <section
        class="stage"
        ref={stage}
        style={size}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys that zoom and move need a place to be pressed
        tabIndex={0}
        aria-label={t('viewerHelp')}
        onKeyDown={(event) => pressKey(event, setView, onWhole)}
      >
        <div class="layers" style={shift}>
          {source !== null && <img src={source} alt={name} draggable={false} onError={onBroken} />}
          {source !== null && tiles?.(view, stage.current?.clientWidth ?? 0)}
          {heatmap !== null && <Heatmap {...heatmap} />}
          {faces.length > 0 && <FaceBoxes {...{ faces, width, height }} />}
        </div>
      </section>
      <p class="actions unprinted viewer-buttons">
        <Button label={t('zoomIn')} onPress={() => setView((now) => zoomed(now, STEP))}>
          +
        </Button>
        <Button label={t('zoomOut')} onPress={() => setView((now) => zoomed(now, 1 / STEP))}>
          −
        </Button>
        <Button onPress={() => setView(WHOLE)}>{t('wholePicture')}</Button>
        <Button onPress={onWhole}>{t('largeView')}</Button>
        <span class="quiet figure">{formatPercent(view.scale)}</span>
      </p>
    </>
  );
}

const MOVES: ReadonlyMap<string, readonly [number, number]> = new Map([
  ['ArrowLeft', [0.1, 0]],
  ['ArrowRight', [-0.1, 0]],
  ['ArrowUp', [0, 0.1]],
  ['ArrowDown', [0, -0.1]],
]);

function pressKey(
  event: KeyboardEvent,
  setView: (change: (view: View) => View) => void,
  onWhole: () => void,
): void {
  const move = MOVES.get(event.key);
  if (event.key === '+' || event.key === '=') setView((now) => zoomed(now, STEP));
  else if (event.key === '-') setView((now) => zoomed(now, 1 / STEP));
  else if (event.key === '0') setView(() => WHOLE);
  else if (event.key === 'Enter') onWhole();
  else if (move !== undefined) setView((now) => bounded({ ...now, x: now.x + move[0], y: now.y + move[1] }));
  else return;
  event.preventDefault();
}

/** The wheel zooms only with Ctrl (which a pinch on a touch pad sends too): without it, it scrolls the page. */
function useGestures(
  stage: { current: HTMLElement | null },
  setView: (change: (view: View) => View) => void,
  onWhole: () => void,
): void {
  useEffect(() => {
    const element = stage.current;
    if (element === null) return undefined;
    let last: PointerEvent | undefined;
    let travelled = 0;
    const wheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const { left, top, width, height } = element.getBoundingClientRect();
      const at = { x: (event.clientX - left) / width, y: (event.clientY - top) / height };
      setView((now) => zoomed(now, Math.exp(-event.deltaY / 200), at));
    };
    const press = (event: PointerEvent): void => {
      last = event;
      travelled = 0;
      element.setPointerCapture(event.pointerId);
    };
    const move = (event: PointerEvent): void => {
      if (last === undefined) return;
      const { width, height } = element.getBoundingClientRect();
      const [dx, dy] = [(event.clientX - last.clientX) / width, (event.clientY - last.clientY) / height];
      travelled += Math.abs(event.clientX - last.clientX) + Math.abs(event.clientY - last.clientY);
      last = event;
      setView((now) => bounded({ ...now, x: now.x + dx, y: now.y + dy }));
    };
    const release = (): void => {
      last = undefined;
    };
    // A click in the page opens the large view; a click there must not close it.
    const click = (): void => {
      if (travelled < CLICK_PIXELS && element.closest(':popover-open') === null) onWhole();
    };
    const twice = (): void => setView((now) => (now.scale > 1 ? WHOLE : zoomed(now, 3)));
    const listeners = {
      wheel,
      pointerdown: press,
      pointermove: move,
      pointerup: release,
      pointercancel: release,
      click,
      dblclick: twice,
    };
    const added = Object.entries(listeners) as [string, EventListener][];
    for (const [type, listener] of added) element.addEventListener(type, listener, { passive: false });
    return () => {
      for (const [type, listener] of added) element.removeEventListener(type, listener);
    };
  }, []);
}

/** The stored map ends in a legend, which is cut off by making the picture that much higher than its frame. */
function Heatmap({ source, opacity }: { source: string; opacity: number }): JSX.Element {
  const [stretch, setStretch] = useState(1);
  return (
    <div class="heatmap" style={{ opacity }}>
      <img
        src={source}
        alt={t('heatmap')}
        draggable={false}
        style={{ height: `${stretch * 100}%` }}
        onLoad={({ currentTarget: { naturalHeight } }) =>
          setStretch(naturalHeight / (naturalHeight - LEGEND_PIXELS))
        }
      />
    </div>
  );
}

function FaceBoxes({ faces, width, height }: Pick<ViewerProps, 'faces' | 'width' | 'height'>): JSX.Element {
  return (
    <svg class="boxes" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {faces.map(({ box: { x1, y1, x2, y2 }, verdict }, index) => (
        <g key={`${x1}-${y1}`}>
          <rect
            x={x1}
            y={y1}
            width={x2 - x1}
            height={y2 - y1}
            style={{ stroke: colourOf(verdictScore(verdict)) }}
          />
          <text x={x1} y={y1 - height / 100} style={{ fontSize: `${height / 28}px` }}>
            {index + 1}
          </text>
        </g>
      ))}
    </svg>
  );
}
