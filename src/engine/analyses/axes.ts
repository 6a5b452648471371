import { NO_VIEW_ANSWERS, VIEW_AXIS_NAMES, type ViewAxis } from '../../domain/packs/view-axes.ts';
import type { ImageResult } from '../../domain/verdicts/result.ts';
import type { AnalysisJob, AnalysisParts, Attempt } from './analysis-parts.ts';
import type { Axis, JudgedPicture, OpenAxis, PictureKind } from './axis.ts';
import { faces } from './face-axis.ts';
import { tampering } from './tampering-axis.ts';
import { timed } from './timed-parts.ts';
import { viewAxis } from './view-axis.ts';

/** The order in which they are judged, and in which a result has their answers. */
const AXES: readonly OpenAxis[] = [...VIEW_AXIS_NAMES.map(viewAxis), faces, tampering];

/** The requested axes. A missing pack answers nothing. */
export function openAxes(
  { models, options }: AnalysisJob,
  findPack: AnalysisParts['findPack'],
  kind: PictureKind,
): Axis[] {
  const packs = models.flatMap((key) => findPack(key) ?? []);
  return AXES.flatMap((open) => open(packs, kind, options) ?? []);
}

type Answers = Pick<ImageResult, 'runs' | ViewAxis | 'detections' | 'tampering'>;

/** Answers of the earlier axes and of each; `done` is called after each. */
export async function judgeAxes(
  parts: AnalysisParts,
  attempt: Attempt,
  { axes, ...work }: JudgedPicture & { axes: readonly Axis[] },
  done: (axis: Axis) => void,
  before: Answers = { runs: [], ...NO_VIEW_ANSWERS, detections: [] },
): Promise<Answers> {
  let found = before;
  for (const axis of axes) {
    const { runs = [], ...answer } = await timed(parts, axis.time, () => axis.judge(parts, attempt, work));
    found = { ...found, ...answer, runs: [...found.runs, ...runs] };
    done(axis);
  }
  return found;
}
