/** The picture itself, with where it looks artificial and the faces found in it. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { showText } from '../../src/domain/shown-text.ts';
import type { Detection } from '../gen/documents.ts';
import { formatPercent } from '../parts/format.ts';
import { Check, Notice } from '../parts/parts.tsx';
import { type ImageRecord, verdictScore } from '../records/records.ts';
import { t } from '../texts/language.ts';
import { LayerChoice, Legend, layerPath } from './heatmap-layers.tsx';
import { PictureTiles } from './picture-tiles.tsx';
import { PictureViewer } from './picture-viewer.tsx';
import { RenditionNote } from './rendition-note.tsx';
import { renditionOf, renditionPath, useRendition } from './use-rendition.ts';

export function ImageResult({ record }: { record: ImageRecord }): JSX.Element {
  const { identifier, hasHeatmap, heatmapLayers, width, height, isNsfw } = record;
  const faces = record.details.flatMap(({ detections }) => detections);
  const [isCovered, setCovered] = useState(isNsfw === true);
  const [layer, setLayer] = useState(heatmapLayers[0] ?? null);
  const [opacity, setOpacity] = useState(0.7);
  const [areFacesShown, setFacesShown] = useState(faces.length > 0);
  const shown = useShown(record);
  if (width === null || height === null) return <Notice>{t('notShowable')}</Notice>;
  if (isCovered) {
    return (
      <section class="covered">
        <p>{t('coveredNsfw')}</p>
        <button type="button" class="button plain" onClick={() => setCovered(false)}>
          {t('showAnyway')}
        </button>
      </section>
    );
  }
  return (
    <section class="picture" aria-label={t('picture')}>
      <PictureViewer
        source={shown.source}
        onBroken={shown.onBroken}
        tiles={shown.tiles}
        name={showText(record.name)}
        {...{ width, height }}
        heatmap={layer === null ? null : { source: layerPath(identifier, layer), opacity }}
        faces={areFacesShown ? faces : []}
      />
      {shown.note}
      <div class="picture-controls unprinted">
        <LayerChoice layers={heatmapLayers} chosen={layer} onChoose={setLayer} />
        {layer !== null && (
          <label class="slider">
            <span>{t('opacity')}</span>
            <input
              type="range"
              min="0"
              max="1"
              step="0.05"
              value={opacity}
              onInput={(event) => setOpacity(Number(event.currentTarget.value))}
            />
          </label>
        )}
        {faces.length > 0 && (
          <Check
            label={t('showFaces', { count: faces.length })}
            isOn={areFacesShown}
            onValue={setFacesShown}
          />
        )}
      </div>
      {layer !== null && <Legend layer={layer} />}
      {!hasHeatmap && (
        <p class="quiet">{t(record.timeSeconds === null ? 'noHeatmap' : 'noHeatmapOfFrame')}</p>
      )}
      {faces.length > 0 && <Faces {...{ faces }} />}
    </section>
  );
}

interface Shown {
  source: string | null;
  onBroken: () => void;
  tiles: Parameters<typeof PictureViewer>[0]['tiles'];
  note: JSX.Element | null;
}

/** The file itself where the browser shows it, else its rendition, and what must be said of that. */
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
          {t('face', { number: index + 1 })}: {t(verdict.classification === 'HUMAN' ? 'human' : 'artificial')}
          , {t('artificialAt', { share: formatPercent(verdictScore(verdict) ?? 0) })}
        </li>
      ))}
    </ol>
  );
}
