/** Results that cannot be, as a worker that was broken into would bring them. */
import type { ImageResult, ModelRun } from '../../src/domain/verdicts/result.ts';
import type { Random } from '../heavy/random.ts';

type Lie = (result: ImageResult) => ImageResult;

const onFirst =
  (change: Partial<ModelRun>): Lie =>
  (result) => ({ ...result, runs: result.runs.map((run, at) => (at === 0 ? { ...run, ...change } : run)) });

const LIES: readonly Lie[] = [
  (result) => ({ ...result, runs: result.runs.map((run) => ({ ...run, weight: 0 })) }),
  onFirst({ weight: 1000 }),
  onFirst({ probability: 0.999, logOdds: -5 }),
  onFirst({ unknown: false, probability: null }),
  (result) => ({ ...result, runs: [...result.runs, ...result.runs] }),
  (result) => ({ ...result, runs: result.runs.slice(1) }),
  (result) => ({ ...result, runs: [] }),
  (result) => ({ ...result, detections: Array.from({ length: 1000 }, () => DETECTION) }),
  (result) => ({ ...result, nsfw: 0.5 }),
];

const DETECTION = { box: { x1: 0, y1: 0, x2: 9, y2: 9 }, runs: [] };

export function lie(result: ImageResult, random: Random): ImageResult {
  return random.pick(LIES)(result);
}
