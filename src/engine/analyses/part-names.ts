/**
 * Frames and tracks get their identifiers once, from the engine, when an attempt has ended: those of a worker could be the
 * identifiers of another record's parts.
 */
import type { AnalysisResult } from '../../domain/verdicts/result.ts';

/** The identifier of a part before the attempt has ended. */
export const UNNAMED = '';

export function nameParts(result: AnalysisResult, newIdentifier: () => string): AnalysisResult {
  if (result.kind !== 'video') return result;
  const name = <P>(part: P): P => ({ ...part, identifier: newIdentifier() });
  return { ...result, frames: result.frames.map(name), tracks: result.tracks.map(name) };
}
