/** How the frames of a video make one answer per model, and how a video's verdict counts its parts. Pure. */
import { judge, logistic, type UsableRun, usableRuns, type Verdict } from './heuristics.ts';
import type { ModelRun } from './result.ts';

/**
 * The share of frames that decides. A generated scene in a real report fills a part of it only, so the mean of all
 * frames would hide it: of a scene that fills a quarter, larger shares miss more. Smaller ones accuse more easily for
 * one odd frame, and no better for it (docs/models.md, measured by `npm run evaluate:video`).
 */
export const DECIDING_SHARE = 1 / 5;
/** The single most suspicious frame would accuse every video that has one odd frame. */
export const DECIDING_MIN = 2;

/** How many of `count` frames decide; one at least. */
export function decidingCount(count: number, share = DECIDING_SHARE, countMin = DECIDING_MIN): number {
  return Math.max(1, Math.min(count, Math.max(countMin, Math.round(count * share))));
}

/** One run per model: mean log-odds of the most suspicious fifth of the frames that it answered, at least two. */
export function poolFrames(frames: readonly (readonly ModelRun[])[]): ModelRun[] {
  const byModel = Map.groupBy(frames.flat(), ({ model, version }) => `${model}@${version}`);
  return [...byModel.values()].flatMap((runs) => {
    const [first] = runs;
    return first === undefined ? [] : [poolRuns(first, runs)];
  });
}

function poolRuns(first: ModelRun, runs: readonly ModelRun[]): ModelRun {
  const answered = runs.filter((run): run is UsableRun => !run.unknown && run.logOdds !== null);
  const elapsedSeconds = runs.reduce((sum, run) => sum + run.elapsedSeconds, 0);
  const ranked = answered.toSorted((a, b) => b.logOdds - a.logOdds);
  const [most] = ranked;
  if (most === undefined) return { ...first, elapsedSeconds };
  const deciding = ranked.slice(0, decidingCount(ranked.length));
  const logOdds = meanOf(deciding.map((run) => run.logOdds));
  const logits = deciding.flatMap((run) => run.logit ?? []);
  // What is pooled over frames has no places of its own.
  const { places: _places, ...rest } = most;
  return {
    ...rest,
    logit: logits.length === 0 ? null : meanOf(logits),
    logOdds,
    probability: logistic(logOdds),
    elapsedSeconds,
  };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function judgeVideo(
  runs: readonly ModelRun[],
  forced: boolean,
  parts: readonly (readonly Verdict[])[],
): VideoVerdict[] {
  const unknown = !forced && usableRuns(runs).length === 0;
  return judge(runs, forced).map((verdict) => ({
    ...verdict,
    count: parts.filter((verdicts) =>
      verdicts.some(
        ({ heuristic, classification, models }) =>
          heuristic === verdict.heuristic && classification === verdict.classification && models.length > 0,
      ),
    ).length,
    unknown,
  }));
}

export interface VideoVerdict extends Verdict {
  /** Frames and tracks that get the same verdict by the same heuristic. */
  count: number;
  /** No model answered, and no signature forces the verdict. */
  unknown: boolean;
}
