/** Which of a picture's maps is laid over it, and what its colours say. */
import type { JSX } from 'preact';
import type { HeatmapLayer } from '../gen/documents.ts';
import { Check } from '../parts/parts.tsx';
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
    ...{ show: 'showReliability', low: 'unreliable', high: 'reliable', lead: 'reliabilityLead' },
    ramp: 'ramp ramp-reliability',
  },
};

/** Path of a map; the one of the origin is the documented one. */
export function layerPath(identifier: string, layer: HeatmapLayer): string {
  const path = `/media/${identifier}/heatmap`;
  return layer === 'ORIGIN' ? path : `${path}?layer=${layer.toLowerCase()}`;
}

interface LayerChoiceProps {
  layers: readonly HeatmapLayer[];
  chosen: HeatmapLayer | null;
  onChoose: (layer: HeatmapLayer | null) => void;
}

/** One map at a time: two over each other could not be read. */
export function LayerChoice({ layers, chosen, onChoose }: LayerChoiceProps): JSX.Element {
  return (
    <>
      {layers.map((layer) => (
        <Check
          key={layer}
          label={t(TEXTS[layer].show)}
          isOn={layer === chosen}
          onValue={(isOn) => onChoose(isOn ? layer : null)}
        />
      ))}
    </>
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
