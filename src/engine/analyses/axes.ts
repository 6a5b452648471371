import type { ImageResult } from '../../domain/verdicts/result.ts';
import type { AnalysisJob, AnalysisParts, Attempt } from './analysis-parts.ts';
import type { Axis, JudgedPicture, OpenAxis, PictureKind } from './axis.ts';
import { faces } from './face-axis.ts';
import { nsfw } from './nsfw-axis.ts';
import { tampering } from './tampering-axis.ts';
import { timed } from './timed-parts.ts';

/** They are judged in this order, and their answers stand in it in a result. */
const AXES: readonly OpenAxis[] = [nsfw, faces, tampering];

/** The axes that were asked for. A pack that is gone answers nothing. */
export function openAxes(
  { models, options }: AnalysisJob,
  findPack: AnalysisParts['findPack'],
  kind: PictureKind,
): Axis[] {
  const packs = models.flatMap((key) => findPack(key) ?? []);
  return AXES.flatMap((open) => open(packs, kind, options) ?? []);
}

type Answers = Pick<ImageResult, 'runs' | 'nsfw' | 'detections' | 'tampering'>;

/** What was answered before and by each; `done` after each. */
export async function judgeAxes(
  parts: AnalysisParts,
  attempt: Attempt,
  { axes, ...work }: JudgedPicture & { axes: readonly Axis[] },
  done: (axis: Axis) => void,
  before: Answers = { runs: [], nsfw: null, detections: [] },
): Promise<Answers> {
  let found = before;
  for (const axis of axes) {
    const { runs = [], ...answer } = await timed(parts, axis.time, () => axis.judge(parts, attempt, work));
    found = { ...found, ...answer, runs: [...found.runs, ...runs] };
    done(axis);
  }
  return found;
}
