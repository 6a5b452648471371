/** Whether what a worker brings can be the result of the work that it was given, and what its failure means. Pure. */
import type { Analysis } from '../../domain/records/classification.ts';
import type { AnalysisResult, ModelRun } from '../../domain/verdicts/result.ts';
import type { SeenLikeness } from '../analyses/analysis-parts.ts';
import { MediaFaultError, PlaceLostError, WorkerLostError } from '../worker-errors.ts';
import type { WorkerFailure } from './messages.ts';

export interface BroughtResult {
  result: AnalysisResult;
  likenesses: readonly SeenLikeness[];
}

/** Why it cannot be; null where it can. `kept`: the files that came with it. */
export function faultOfResult(
  { kind, options, models }: Pick<Analysis, 'kind' | 'options' | 'models'>,
  { result, likenesses }: BroughtResult,
  kept: ReadonlyMap<string, { hash: string; sizeBytes: number }>,
): string | null {
  if (result.kind !== kind) return `a result of ${result.kind} for ${kind}`;
  const foreign = runsOf(result).find(({ model, version }) => !models.includes(`${model}@${version}`));
  if (foreign !== undefined) return `an answer of ${foreign.model}, which was not asked`;
  const framesMax = kind === 'video' ? options.frames : 1;
  if (likenesses.length > framesMax)
    return `${likenesses.length} likenesses of at most ${framesMax} pictures`;
  if (result.kind !== 'video') return null;
  if (result.frames.length > framesMax) return `${result.frames.length} frames of at most ${framesMax}`;
  if (!options.withAudio && result.tracks.length > 0) return 'a track that was not asked for';
  const missing = [...result.frames, ...result.tracks].find(({ file, hash, sizeBytes }) => {
    const found = kept.get(file);
    return found?.hash !== hash || found.sizeBytes !== sizeBytes;
  });
  return missing === undefined ? null : `the file ${missing.file} did not come, or is another`;
}

function runsOf(result: AnalysisResult): ModelRun[] {
  switch (result.kind) {
    case 'image':
      return [...result.runs, ...result.detections.flatMap(({ runs }) => runs)];
    case 'audio':
      return [...result.runs, ...[...result.clips, ...result.channels].flatMap(({ runs }) => runs)];
    case 'video':
      return [
        ...result.runs,
        ...result.frames.flatMap(({ image }) => runsOf(image)),
        ...result.tracks.flatMap(({ audio }) => runsOf(audio)),
      ];
  }
}

/** Parts get names that only the daemon gives: a worker's could be those of another record. */
export function renameParts(result: AnalysisResult, newIdentifier: () => string): AnalysisResult {
  if (result.kind !== 'video') return result;
  const rename = <P>(part: P): P => ({ ...part, identifier: newIdentifier() });
  return { ...result, frames: result.frames.map(rename), tracks: result.tracks.map(rename) };
}

/** What a worker says that it failed with, as the children of this box would throw it. */
export function toError(failure: WorkerFailure): Error {
  switch (failure.type) {
    case 'media':
      return new MediaFaultError(failure.fault, failure.message);
    case 'lost':
      return new WorkerLostError('ended', failure.message);
    case 'wait':
      return new PlaceLostError(failure.message);
  }
}
