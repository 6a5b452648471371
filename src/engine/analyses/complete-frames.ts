/**
 * The steps that need the decode child again after it has decoded all frames: it cuts faces out of them and draws their maps,
 * one frame after the other.
 */
import { frameHeatmapFile } from '../../domain/media/heatmap.ts';
import type { FrameResult } from '../../domain/verdicts/result.ts';
import { drawHeatmap } from './analyse-image.ts';
import type { AnalysisParts, Attempt } from './analysis-parts.ts';
import { judgeAxes } from './axes.ts';
import type { FrameWork, JudgedFrame } from './frame-judge.ts';
import { findMap } from './image-runs.ts';
import { timed } from './timed-parts.ts';
import type { VideoProgress } from './video-progress.ts';

export interface CompletionWork extends Pick<FrameWork, 'slot' | 'axes'> {
  progress: VideoProgress;
}

export async function completeFrames(
  parts: AnalysisParts,
  attempt: Attempt,
  work: CompletionWork,
  judged: readonly JudgedFrame[],
): Promise<FrameResult[]> {
  const complete: FrameResult[] = [];
  for (const [index, frame] of judged.entries()) {
    const result = await addAxes(parts, attempt, work, frame);
    complete.push(await addHeatmap(parts, attempt, work, { ...frame, result, index }));
  }
  return complete;
}

async function addAxes(
  parts: AnalysisParts,
  attempt: Attempt,
  { slot, axes: all, progress }: CompletionWork,
  { frame, result }: JudgedFrame,
): Promise<FrameResult> {
  const axes = all.filter(({ asksChild }) => asksChild);
  const place = { slot, picture: frame, input: frame.file, folder: 'out', axes } as const;
  const { image } = result;
  const found = await judgeAxes(parts, attempt, place, ({ step }) => progress.advance(step), image);
  return { ...result, image: { ...image, ...found } };
}

async function addHeatmap(
  parts: AnalysisParts,
  attempt: Attempt,
  { slot, progress }: CompletionWork,
  { frame, answers, result, index }: JudgedFrame & { index: number },
): Promise<FrameResult> {
  const map = findMap(answers, result.image.runs);
  if (map === undefined) return result;
  const picture = { input: frame.file, folder: 'out', map, name: frameHeatmapFile(index) } as const;
  await timed(parts, 'heatmap', () => drawHeatmap(parts, attempt, slot, picture));
  progress.advance('heatmap');
  return { ...result, image: { ...result.image, hasHeatmap: true } };
}
