/**
 * What needs the decode child again once it has decoded all frames: it cuts faces out of them and draws their maps,
 * one frame after the other.
 */
import { frameHeatmapFile } from '../../domain/media/heatmap.ts';
import type { FrameResult } from '../../domain/verdicts/result.ts';
import { cutFaces, drawHeatmap } from './analyse-image.ts';
import type { AnalysisParts, Attempt } from './analysis-parts.ts';
import { judgeFaces } from './content-runs.ts';
import type { FrameWork, JudgedFrame } from './frame-judge.ts';
import { findMap } from './image-runs.ts';
import { timed } from './timed-parts.ts';
import type { VideoProgress } from './video-progress.ts';

export interface CompletionWork extends Pick<FrameWork, 'slot' | 'content'> {
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
    const withFaces = await addFaces(parts, attempt, work, frame);
    complete.push(await addHeatmap(parts, attempt, work, { ...frame, result: withFaces, index }));
  }
  return complete;
}

async function addFaces(
  parts: AnalysisParts,
  { signal }: Attempt,
  { slot, content, progress }: CompletionWork,
  { frame, result }: JudgedFrame,
): Promise<FrameResult> {
  if (content.detector === null) return result;
  const work = { picture: frame, packs: content, signal };
  const { detections, runs } = await judgeFaces(parts, slot, work, (faces) =>
    cutFaces(slot, { ...faces, folder: 'out', input: frame.file, signal }),
  );
  progress.advance('faces');
  const { image } = result;
  return { ...result, image: { ...image, detections, runs: [...image.runs, ...runs] } };
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
