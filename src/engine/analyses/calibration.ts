/** Turns a model's raw outputs into calibrated figures. Pure. */
import type { JudgingPack } from '../../domain/packs/model-pack.ts';
import { fuseLogOdds, logistic, usableRuns } from '../../domain/verdicts/heuristics.ts';
import type { Bounded } from '../../domain/verdicts/pack-bounds.ts';
import type { ModelRun, PlaceSpread, StabilityVariant } from '../../domain/verdicts/result.ts';
import { type Silence, type SilenceFigures, silenceSentence } from '../../domain/verdicts/silence.ts';

/** Log-odds at even prior odds; with a floor those of p = floor + (1 − floor) · logistic(slope · logit + intercept). */
export function calibrate({ calibration }: Pick<JudgingPack, 'calibration'>, logit: number): number {
  const { slope, intercept, floor = 0 } = calibration;
  const logOdds = slope * logit + intercept;
  return floor === 0 ? logOdds : addExponents(logOdds, Math.log(floor)) - Math.log1p(-floor);
}

/** ln(e^a + e^b), without overflow. */
function addExponents(a: number, b: number): number {
  return Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b)));
}

type AnsweringPack = Bounded<JudgingPack>;

export function toAnsweredRun(
  pack: AnsweringPack,
  { logits, elapsedMs, device }: { logits: Float32Array; elapsedMs: number; device: string },
): ModelRun {
  const logit = mean(logits);
  if (!Number.isFinite(logit)) return toUnknownRun(pack, 'no_number');
  const logOdds = calibrate(pack, logit);
  return {
    ...describe(pack),
    unknown: false,
    reason: '',
    logit,
    logOdds,
    probability: logistic(logOdds),
    elapsedSeconds: elapsedMs / 1000,
    device,
  };
}

export function toUnknownRun(pack: AnsweringPack, silence: Silence, figures?: SilenceFigures): ModelRun {
  return {
    ...describe(pack),
    unknown: true,
    reason: silenceSentence(silence, figures),
    logit: null,
    logOdds: null,
    probability: null,
    elapsedSeconds: 0,
    device: '',
  };
}

/** The run of a pack that is not usable any more. */
export function toMissingRun(key: string, task: ModelRun['task']): ModelRun {
  const [model = key, version = ''] = key.split('@');
  return {
    model,
    version,
    task,
    axis: 'generated',
    unknown: true,
    reason: silenceSentence('not_installed'),
    logit: null,
    logOdds: null,
    probability: null,
    weight: 1,
    elapsedSeconds: 0,
    device: '',
    cautiousThreshold: 1,
    inconclusiveLow: 0.5,
    inconclusiveHigh: 0.5,
  };
}

/** The models' common answer on a copy, or null if none answered. */
export function toStabilityVariant(name: string, runs: readonly ModelRun[]): StabilityVariant | null {
  const usable = usableRuns(runs);
  if (usable.length === 0) return null;
  const logOdds = fuseLogOdds(usable);
  return { name, logOdds, probability: logistic(logOdds) };
}

/** The spread of the answers over places; undefined for one place. */
export function toPlaceSpread(
  pack: Pick<JudgingPack, 'calibration'>,
  logits: Float32Array,
): PlaceSpread | null {
  const logOdds = Array.from(logits, (logit) => calibrate(pack, logit));
  const centre = mean(logOdds);
  const variance = mean(logOdds.map((value) => (value - centre) ** 2));
  return logOdds.length < 2 || !Number.isFinite(variance)
    ? null
    : { count: logOdds.length, spread: Math.sqrt(variance) };
}

export function toProbabilities(pack: Pick<JudgingPack, 'calibration'>, logits: Float32Array): number[] {
  return Array.from(logits, (logit) => logistic(calibrate(pack, logit)));
}

export function mean(values: Float32Array | readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

function describe(pack: AnsweringPack) {
  const { id, version, task, axis, family, decision, boundsFor } = pack;
  // Copied by name: other fields of a pack's decision are no part of a run.
  const { cautiousThreshold, inconclusiveLow, inconclusiveHigh, weight, together } = decision;
  return {
    model: id,
    version,
    task,
    axis,
    ...(family === undefined ? {} : { family }),
    cautiousThreshold,
    inconclusiveLow,
    inconclusiveHigh,
    weight,
    ...(together === undefined ? {} : { together }),
    ...(boundsFor === undefined ? {} : { boundsFor }),
  };
}
