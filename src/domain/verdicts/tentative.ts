/** What is known of a film or a sound while it is analysed: figures may still turn, so they are never stored. Pure. */
import { listOf, noun, nullable, number, oneOf, type ValuesOf } from '../field.ts';
import {
  RECORD_SEGMENTS_MAX,
  type ShownSegment,
  type TranscriptSegment,
  toShownSegment,
} from '../transcripts/transcript.ts';
import { ASSESSMENT_STATE, assessRuns } from './assessment.ts';
import type { ClipResult, ModelRun } from './result.ts';
import { poolFrames } from './video-verdict.ts';

/** Each report of progress carries them to watchers; the whole text comes with the result. */
export const RECENT_SEGMENTS_MAX = RECORD_SEGMENTS_MAX;
/** What the models have said so far: of a video's frames, of a sound's or a track's clips, and of its speech as a whole. */
export interface Findings {
  frames: { timeSeconds: number; runs: ModelRun[] }[];
  clips: ClipResult[];
  /** One per speech model, over the windows judged so far. */
  speech: ModelRun[];
  /** What was written down last; absent if it was not asked for. */
  transcript?: TranscriptSegment[];
}

export const NO_FINDINGS: Findings = { frames: [], clips: [], speech: [] };

export const TENTATIVE_FRAME = {
  timeSeconds: number(),
  probability: nullable(
    number('Calibrated probability of an artificial origin; null where no model could answer.'),
  ),
};
export interface TentativeFrame extends ValuesOf<typeof TENTATIVE_FRAME> {}

export interface TentativeClip {
  index: number;
  startSeconds: number;
  endSeconds: number;
  probability: number | null;
}

export const TENTATIVE = {
  frames: listOf(noun<TentativeFrame>('TentativeFrame', 'The frames of a video judged so far, by time.')),
  clips: listOf(
    noun<TentativeClip>('TentativeClip', "The clips of a sound or a video's track judged so far, by time."),
  ),
  transcript: listOf(noun<ShownSegment>('TranscriptSegment', 'What was written down last, by time.')),
  state: oneOf(ASSESSMENT_STATE, 'From these frames and clips alone.'),
  probability: nullable(number()),
};
export interface Tentative extends ValuesOf<typeof TENTATIVE> {}

/** Null before the first frame or clip. */
export function toTentative({ frames, clips, speech, transcript = [] }: Findings): Tentative | null {
  if (frames.length === 0 && clips.length === 0 && transcript.length === 0) return null;
  const { state, probability } = assessRuns([...poolFrames(frames.map(({ runs }) => runs)), ...speech]);
  return {
    frames: frames
      .map(({ timeSeconds, runs }) => ({ timeSeconds, probability: assessRuns(runs).probability }))
      .sort((one, other) => one.timeSeconds - other.timeSeconds),
    clips: clips.map(({ index, startSeconds, endSeconds, runs }) => ({
      index,
      startSeconds,
      endSeconds,
      probability: assessRuns(runs).probability,
    })),
    transcript: transcript.map(toShownSegment),
    state,
    probability,
  };
}
