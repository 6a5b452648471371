/** The picture itself, with where it looks artificial and the faces found in it. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { formatPercent } from './format.ts';
import { t } from './language.ts';
import { Check, Notice } from './parts.tsx';
import { Legend, PictureViewer } from './picture-viewer.tsx';
import { type Detection, type ImageRecord, verdictScore } from './records.ts';

export function ImageResult({ record }: { record: ImageRecord }): JSX.Element {
  const { identifier, hasHeatmap, width, height, isNsfw } = record;
  const faces = record.details.flatMap(({ detections }) => detections);
  const [isCovered, setCovered] = useState(isNsfw === true);
  const [isMapShown, setMapShown] = useState(hasHeatmap);
  const [opacity, setOpacity] = useState(0.7);
  const [areFacesShown, setFacesShown] = useState(faces.length > 0);
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
        source={`/media/${identifier}/original`}
        name={record.name}
        {...{ width, height }}
        heatmap={hasHeatmap && isMapShown ? { source: `/media/${identifier}/heatmap`, opacity } : null}
        faces={areFacesShown ? faces : []}
      />
      <div class="picture-controls unprinted">
        {hasHeatmap && <Check label={t('showHeatmap')} isOn={isMapShown} onValue={setMapShown} />}
        {hasHeatmap && isMapShown && (
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
      {hasHeatmap && isMapShown && <Legend />}
      {!hasHeatmap && (
        <p class="quiet">{t(record.timeSeconds === null ? 'noHeatmap' : 'noHeatmapOfFrame')}</p>
      )}
      {faces.length > 0 && <Faces {...{ faces }} />}
    </section>
  );
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
