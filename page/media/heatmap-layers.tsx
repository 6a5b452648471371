/** Which of a picture's maps is laid over it, and what its colours say. */
import type { JSX } from 'preact';
import type { HeatmapLayer } from '../gen/documents.ts';
import type { TextKey } from '../texts/en.ts';
import { t } from '../texts/language.ts';

interface LayerTexts {
  show: TextKey;
  low: TextKey;
  high: TextKey;
  lead: TextKey;
  ramp: string;
}

const TEXTS: Readonly<Record<HeatmapLayer, LayerTexts>> = {
  ORIGIN: { show: 'showHeatmap', low: 'human', high: 'artificial', lead: 'heatmapLead', ramp: 'ramp' },
  TAMPERING: { show: 'showTampering', low: 'untouched', high: 'edited', lead: 'tamperingLead', ramp: 'ramp' },
  TAMPERING_RELIABILITY: {
    show: 'showReliability',
    low: 'unreliable',
    high: 'reliable',
    lead: 'reliabilityLead',
    ramp: 'ramp ramp-reliability',
  },
};

/** Path of a map; the one of the origin is the documented one. */
export function layerPath(identifier: string, layer: HeatmapLayer): string {
  const path = `/media/${identifier}/heatmap`;
  return layer === 'ORIGIN' ? path : `${path}?layer=${layer.toLowerCase()}`;
}

/** What is shown in place of the picture. */
export type Layer = 'ORIGINAL' | HeatmapLayer | 'COMPARE';

interface LayerChoiceProps {
  layers: readonly HeatmapLayer[];
  chosen: Layer;
  onChoose: (layer: Layer) => void;
}

/** Shows one map at a time: two over each other could not be read. */
export function LayerChoice({ layers, chosen, onChoose }: LayerChoiceProps): JSX.Element {
  const offered: readonly (readonly [Layer, TextKey])[] = [
    ['ORIGINAL', 'showOriginal'],
    ...layers.map((layer) => [layer, TEXTS[layer].show] as const),
    ['COMPARE', 'showCompare'],
  ];
  return (
    <fieldset class="views">
      <legend class="unseen">{t('layers')}</legend>
      {offered.map(([layer, text]) => (
        <button
          key={layer}
          type="button"
          class="button plain"
          aria-pressed={layer === chosen}
          onClick={() => onChoose(layer)}
        >
          {t(text)}
        </button>
      ))}
    </fieldset>
  );
}

export function Legend({ layer }: { layer: HeatmapLayer }): JSX.Element {
  const { low, high, lead, ramp } = TEXTS[layer];
  return (
    <figure class="legend">
      <div class={ramp} aria-hidden="true" />
      <figcaption>
        <span>{t(low)}</span>
        {layer !== 'TAMPERING_RELIABILITY' && <span>{t('undecided')}</span>}
        <span>{t(high)}</span>
      </figcaption>
      <p class="quiet">{t(lead)}</p>
    </figure>
  );
}
