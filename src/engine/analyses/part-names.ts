/** The engine names frames and tracks after an attempt: a worker's names could be those of another record's parts. */
import type { AnalysisResult } from '../../domain/verdicts/result.ts';

/** The identifier of a part before the attempt has ended. */
export const UNNAMED = '';

export function nameParts(result: AnalysisResult, newIdentifier: () => string): AnalysisResult {
  if (result.kind !== 'video') return result;
  const name = <P>(part: P): P => ({ ...part, identifier: newIdentifier() });
  return { ...result, frames: result.frames.map(name), tracks: result.tracks.map(name) };
}
