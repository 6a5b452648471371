/** The maps that an analysis of a picture may draw, and the artifacts that hold them as PNG files. */

export const HEATMAP_LAYERS = ['origin', 'tampering', 'tampering_reliability'] as const;
export type HeatmapLayer = (typeof HEATMAP_LAYERS)[number];

export const HEATMAP_FILES: Readonly<Record<HeatmapLayer, string>> = {
  origin: 'heatmap.png',
  tampering: 'tampering.png',
  tampering_reliability: 'tampering-reliability.png',
};

/** The map of one frame of a video; only its origin is drawn. */
export const frameHeatmapFile = (index: number): string => `heatmap-${index}.png`;
