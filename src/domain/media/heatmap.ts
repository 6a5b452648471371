/** The maps that an analysis of a picture may draw: a row each. */
import { rowsOf } from '../field.ts';

interface Heatmap {
  /** The artifact that holds it as PNG, and the last part of its name where a client saves it. */
  readonly file: string;
  /** Its name in a refusal. */
  readonly called: string;
  /** What 0 and 1 mean, drawn under it. */
  readonly ends: readonly [string, string];
}

export const HEATMAPS = {
  origin: { file: 'heatmap.png', called: 'heatmap', ends: ['human', 'artificial'] },
  tampering: { file: 'tampering.png', called: 'map of edits', ends: ['untouched', 'edited'] },
  tampering_reliability: {
    file: 'tampering-reliability.png',
    called: 'map of edits',
    ends: ['unreliable', 'reliable'],
  },
} as const satisfies Readonly<Record<string, Heatmap>>;

export type HeatmapLayer = keyof typeof HEATMAPS;
export const HEATMAP_LAYERS = rowsOf(HEATMAPS).map(([layer]) => layer);

/** The map of one frame of a video; only its origin is drawn. */
export const frameHeatmapFile = (index: number): string => `heatmap-${index}.png`;
