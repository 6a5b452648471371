/** Looks for edits in a picture and draws what was found: a map of edits, and one of how far it can be trusted. */

import type { HeatmapLayer } from '../../domain/media/heatmap.ts';
import { HEATMAP_FILES } from '../../domain/media/heatmap.ts';
import { logistic } from '../../domain/verdicts/heuristics.ts';
import { DECODE_LIMITS } from '../decode/decode-limits.ts';
import type { AnalysisSlot } from '../decode/decode-slot.ts';
import type { AnalysisParts, Attempt } from './analysis-parts.ts';
import {
  type JudgedTampering,
  judgeTampering,
  type TamperingMap,
  type TamperingWork,
} from './tampering-runs.ts';

const SHADES = 1000;

export interface PictureWithTiles extends Omit<TamperingWork, 'media' | 'signal'> {
  /** Name in the slot's `in/`. */
  input: string;
}

export async function lookForEdits(
  parts: AnalysisParts,
  attempt: Attempt,
  slot: AnalysisSlot,
  { input, ...work }: PictureWithTiles,
): Promise<Omit<JudgedTampering, 'map'>> {
  const { signal } = attempt;
  const { map, summary, runs } = await judgeTampering(parts, slot, { ...work, media: 'picture', signal });
  if (map === null || summary === undefined) return { runs };
  const { cells, trust } = map.answers;
  await drawLayer(parts, attempt, slot, { input, map, layer: 'tampering', logits: cells });
  await drawLayer(parts, attempt, slot, { input, map, layer: 'tampering_reliability', logits: trust });
  return { runs, summary: { ...summary, hasMap: true } };
}

interface Layer {
  input: string;
  map: TamperingMap;
  layer: HeatmapLayer;
  logits: Float32Array;
}

/** In steps finer than the colours of a map: tens of thousands of these travel as text. */
function toShade(logit: number): number {
  return Math.round(logistic(logit) * SHADES) / SHADES;
}

async function drawLayer(
  { store }: AnalysisParts,
  { analysis, signal }: Attempt,
  slot: AnalysisSlot,
  { input, map: { set, pack }, layer, logits }: Layer,
): Promise<void> {
  const output = HEATMAP_FILES[layer];
  await slot.request(
    {
      type: 'render-heatmap',
      input,
      folder: 'in',
      limits: DECODE_LIMITS,
      output,
      layer,
      size: set.size,
      positions: set.positions,
      cellPx: pack.view.cell,
      probabilities: Array.from(logits, toShade),
    },
    { signal },
  );
  using drawn = slot.openOut(output);
  await store.artifacts.put(analysis.id, output, drawn);
}
