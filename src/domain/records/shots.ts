/** The shots of a video, as far as its judged frames show them: frames that follow each other and look alike are one shot. Pure. */
import { type ValuesOf, whole } from '../field.ts';
import { hammingDistance } from '../media/perceptual-hash.ts';

/** Measured on 81 clips: 42 of 565 pairs half a second apart in one clip differ by more, 2 of 80 of two clips by less. */
export const SHOT_DISTANCE_MAX = 100;

export const SHOT = {
  firstFrame: whole('Its first judged frame, by its place in the list of frames.'),
  lastFrame: whole(),
  suspiciousFrame: whole('Its most suspicious frame; the first if no model could answer.'),
};
export interface Shot extends ValuesOf<typeof SHOT> {}

export interface ShotFrame {
  /** Probability of an artificial origin; null if no model gave an answer. */
  probability: number | null;
  /** Undefined if there is too little to see, or none was kept: such a frame goes on with the shot before it. */
  perceptualHash: string | undefined;
}

/** In the order of time; none if nothing shows where one ends. */
export function shotsOf(frames: readonly ShotFrame[]): Shot[] {
  const shots: Shot[] = [];
  let last: string | undefined;
  for (const [index, { perceptualHash = last }] of frames.entries()) {
    const shot = shots.at(-1);
    if (shot === undefined || isCut(last, perceptualHash)) {
      shots.push({ firstFrame: index, lastFrame: index, suspiciousFrame: index });
    } else {
      shot.lastFrame = index;
      if (scoreOf(frames[index]) > scoreOf(frames[shot.suspiciousFrame])) shot.suspiciousFrame = index;
    }
    last = perceptualHash;
  }
  return last === undefined ? [] : shots;
}

function isCut(before: string | undefined, after: string | undefined): boolean {
  return before !== undefined && after !== undefined && hammingDistance(before, after) > SHOT_DISTANCE_MAX;
}

/** What no model answered is less suspicious than anything. */
function scoreOf(frame: ShotFrame | undefined): number {
  return frame?.probability ?? -1;
}
