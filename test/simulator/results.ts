/** What the simulated models say of a picture: figures that belong together, drawn from the seed. */
import { isImagePack, packKey } from '../../src/domain/packs/model-pack.ts';
import { NO_PROVENANCE } from '../../src/domain/provenance/provenance.ts';
import type { ImageResult, ModelRun } from '../../src/domain/verdicts/result.ts';
import { toAnsweredRun } from '../../src/engine/analyses/calibration.ts';
import type { Random } from '../heavy/random.ts';
import { PACKS } from './packs.ts';

/** Pixels of each side of every simulated picture. */
export const SIDE = 256;

export function imageResult(models: readonly string[], random: Random): ImageResult {
  return {
    ...{ kind: 'image', mime: 'image/png', width: SIDE, height: SIDE, pages: 1, nsfw: null, detections: [] },
    ...{ runs: runsOf(models, random), provenance: NO_PROVENANCE, stability: [] },
    ...{ quality: { shortSide: SIDE, jpegQuality: null, truncated: false }, hasHeatmap: false },
    marks: { hasReadMetadata: true, watermarks: [] },
  };
}

function runsOf(models: readonly string[], random: Random): ModelRun[] {
  return PACKS.flatMap(({ pack }) => {
    if (!isImagePack(pack) || !models.includes(packKey(pack))) return [];
    const logits = Float32Array.of(random.next() * 4 - 2);
    return toAnsweredRun(pack, { logits, elapsedMs: 100, device: 'cpu' });
  });
}
