/** The transcript inside a result: found, and taken out where the media of the record go. Pure. */
import type { Transcript } from '../transcripts/transcript.ts';
import type { AnalysisResult } from './result.ts';

/** A recording has one, and a video's track. */
export function transcriptOf(result: AnalysisResult | null): Transcript | undefined {
  if (result?.kind === 'audio') return result.transcript;
  return result?.kind === 'video' ? result.tracks[0]?.audio.transcript : undefined;
}

/** The same figures without what was said. */
export function withoutSaid<R extends AnalysisResult>(result: R): R {
  if (result.kind === 'video') {
    const tracks = result.tracks.map((track) => ({ ...track, audio: withoutSaid(track.audio) }));
    return { ...result, tracks };
  }
  if (result.kind !== 'audio') return result;
  const { transcript: _, ...rest } = result;
  return rest as R;
}

/** Whether a transcript that was asked for went with its media: the work must be done anew to have one. */
export function lacksTranscript(withTranscript: boolean, result: AnalysisResult | null): boolean {
  if (!withTranscript || result === null || transcriptOf(result) !== undefined) return false;
  return result.kind === 'audio' || (result.kind === 'video' && result.tracks.length > 0);
}
