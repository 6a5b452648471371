/**
 * What is known of a video or a sound while it is analysed: figures that may still turn, so they are never stored and
 * never a result. Pure.
 */

import { z } from 'zod';

import { listOf, noun, nullable, number, oneOf, type ValuesOf } from '../field.ts';
import {
  RECORD_SEGMENTS_MAX,
  type ShownSegment,
  toShownSegment,
  transcriptSegmentSchema,
} from '../transcripts/transcript.ts';
import { ASSESSMENT_STATE, assessRuns } from './assessment.ts';

import { clipsSchema, runsSchema, seconds } from './result.ts';
import { poolFrames } from './video-verdict.ts';

/** Each report of progress carries them, to watchers and from workers; the whole text comes with the result. */
export const RECENT_SEGMENTS_MAX = RECORD_SEGMENTS_MAX;
/** More frames than a submission may ask for. */
const FRAMES_MAX = 1000;

/** What the models have said so far: of a video's frames, of a sound's or a track's clips, and of its speech as a whole. */
export const findingsSchema = z.strictObject({
  frames: z.array(z.strictObject({ timeSeconds: seconds, runs: runsSchema })).max(FRAMES_MAX),
  clips: clipsSchema,
  /** One per speech model, over the windows judged so far. */
  speech: runsSchema,
  /** What was written down last; absent if it was not asked for. */
  transcript: z.array(transcriptSegmentSchema).max(RECENT_SEGMENTS_MAX).exactOptional(),
});
export type Findings = z.infer<typeof findingsSchema>;

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
