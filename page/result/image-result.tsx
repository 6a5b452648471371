/** The picture itself, with where it looks artificial and the faces found in it. */
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { showText } from '../../src/domain/shown-text.ts';
import type { Detection } from '../gen/documents.ts';
import { Compare, CompareChoice, type Compared } from '../media/compare.tsx';
import { type Layer, LayerChoice, Legend, layerPath } from '../media/heatmap-layers.tsx';
import { PictureTiles } from '../media/picture-tiles.tsx';
import { PictureViewer } from '../media/picture-viewer.tsx';
import { RenditionNote } from '../media/rendition-note.tsx';
import { renditionOf, renditionPath, useRendition } from '../media/use-rendition.ts';
import { formatPercent } from '../parts/format.ts';
import { Check, Notice } from '../parts/parts.tsx';
import { type ImageRecord, verdictScore } from '../parts/records.ts';
import { t } from '../texts/language.ts';

export function ImageResult({ record }: { record: ImageRecord }): JSX.Element {
  const [isCovered, setCovered] = useState(record.isNsfw === true);
  if (record.width === null || record.height === null) return <Notice>{t('notShowable')}</Notice>;
  if (!isCovered) return <Layers {...{ record }} width={record.width} height={record.height} />;
  return (
    <section class="covered">
      <p>{t('coveredNsfw')}</p>
      <button type="button" class="button plain" onClick={() => setCovered(false)}>
        {t('showAnyway')}
      </button>
    </section>
  );
}

interface LayersProps {
  record: ImageRecord;
  width: number;
  height: number;
}

/** The picture, one map over it, the faces in it, or another picture beside it. */
function Layers({ record, width, height }: LayersProps): JSX.Element {
  const { identifier, heatmapLayers } = record;
  const faces = record.details.flatMap(({ detections }) => detections);
  const [chosen, setChosen] = useState<Layer>('ORIGINAL');
  const [opacity, setOpacity] = useState(0.7);
  const [areFacesShown, setFacesShown] = useState(faces.length > 0);
  const [compared, setCompared] = useState<Compared | null>(null);
  const shown = useShown(record);
  const map = chosen === 'ORIGINAL' || chosen === 'COMPARE' ? null : chosen;
  const name = showText(record.name);
  // One element in the page and over it, so that zoom and layer stay. Tab leads out of the large view, and ends it.
  const place = useRef<HTMLElement>(null);
  const leave = ({ currentTarget, relatedTarget }: JSX.TargetedFocusEvent<HTMLElement>): void => {
    if (relatedTarget instanceof Node && !currentTarget.contains(relatedTarget)) currentTarget.hidePopover();
  };
  return (
    <section class="picture" popover="auto" aria-label={t('picture')} ref={place} onFocusOut={leave}>
      <div class="picture-controls unprinted">
        <LayerChoice layers={heatmapLayers} {...{ chosen }} onChoose={setChosen} />
        {faces.length > 0 && chosen !== 'COMPARE' && (
          <Check
            label={t('showFaces', { count: faces.length })}
            isOn={areFacesShown}
            onValue={setFacesShown}
          />
        )}
        {map !== null && <Opacity {...{ opacity }} onOpacity={setOpacity} />}
      </div>
      {chosen === 'COMPARE' && <CompareChoice {...{ record, compared }} onCompared={setCompared} />}
      {chosen === 'COMPARE' && compared !== null && shown.source !== null ? (
        <Compare source={shown.source} {...{ name, width, height, compared }} />
      ) : (
        <PictureViewer
          source={shown.source}
          onBroken={shown.onBroken}
          tiles={shown.tiles}
          onWhole={() => place.current?.togglePopover()}
          {...{ name, width, height }}
          heatmap={map === null ? null : { source: layerPath(identifier, map), opacity }}
          faces={areFacesShown ? faces : []}
        />
      )}
      {shown.note}
      {map !== null && <Legend layer={map} />}
      {faces.length > 0 && <Faces {...{ faces }} />}
    </section>
  );
}

function Opacity({
  opacity,
  onOpacity,
}: {
  opacity: number;
  onOpacity: (opacity: number) => void;
}): JSX.Element {
  return (
    <label class="slider">
      <span>{t('opacity')}</span>
      <input
        type="range"
        min="0"
        max="1"
        step="0.05"
        value={opacity}
        onInput={(event) => onOpacity(Number(event.currentTarget.value))}
      />
    </label>
  );
}

interface Shown {
  source: string | null;
  onBroken: () => void;
  tiles: Parameters<typeof PictureViewer>[0]['tiles'];
  note: JSX.Element | null;
}

/** The file itself if the browser shows it, else its rendition, and what must be said of that. */
function useShown(record: ImageRecord): Shown {
  const { identifier, name, width, height } = record;
  const [isBroken, setBroken] = useState(false);
  const picture = renditionOf(record, 'PICTURE');
  const isRendition = picture !== undefined && (picture.isNeeded || isBroken);
  const view = useRendition(isRendition ? renditionPath(identifier, 'picture.webp') : null);
  const original = `/media/${identifier}/original`;
  const onBroken = (): void => setBroken(true);
  if (!isRendition) {
    const note = isBroken ? <Notice>{t('notShowable')}</Notice> : null;
    return { source: isBroken ? null : original, onBroken, tiles: null, note };
  }
  const hasTiles = renditionOf(record, 'TILES') !== undefined;
  const wholeWidth = wholeWidthOf(width ?? 1, height ?? 1);
  return {
    source: view.state === 'ready' ? view.source : null,
    onBroken,
    tiles: hasTiles
      ? (place, stageWidth) => <PictureTiles {...{ identifier, stageWidth, wholeWidth }} view={place} />
      : null,
    note: <RenditionNote {...{ view, name }} source={original} />,
  };
}

/** The daemon scales a tiled picture to this many pixels for a first look. */
const WHOLE_PIXELS = 4_000_000;

function wholeWidthOf(width: number, height: number): number {
  return width * Math.min(1, Math.sqrt(WHOLE_PIXELS / (width * height)));
}

function Faces({ faces }: { faces: readonly Detection[] }): JSX.Element {
  return (
    <ol class="faces">
      {faces.map(({ box, verdict }, index) => (
        <li key={`${box.x1}-${box.y1}`}>
          {t('face', { number: index + 1 })}: {showFace(verdict)}
        </li>
      ))}
    </ol>
  );
}

/** A face without an answer is not called human. */
function showFace(verdict: Detection['verdict']): string {
  if (verdict.models.length === 0) return t('faceNotJudged');
  const label = t(verdict.classification === 'HUMAN' ? 'human' : 'artificial');
  return `${label}, ${t('artificialAt', { share: formatPercent(verdictScore(verdict) ?? 0) })}`;
}
