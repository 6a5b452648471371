/**
 * A sentence of one voice put into a recording of another: what a forger does to an interview. Hosts and inserts are samples of
 * one channel; nothing is drawn here but by the given chance. Pure.
 */

export const SPLICE_RATE = 16_000;
/** A recording to splice into: about a minute, of one source. */
export const HOST_SECONDS = { min: 30, max: 60 } as const;
/** One sentence; less is a word or two, more fills several clips. */
export const INSERT_SECONDS = { min: 2.5, max: 5 } as const;
/** Neither at the very beginning nor at the very end, where no one looks. */
const MARGIN_SHARE = 0.1;
/** Within this reach of the drawn place the sentence goes where the host is quietest: between two words. */
const REACH_SECONDS = 2;
const PAUSE_SECONDS = 0.25;
const FRAME_SECONDS = 0.05;
/** Frames quieter than the loudest by more hold no voice. */
const VOICE_SHARE = 0.1;

export interface Splice {
  samples: Float32Array;
  startSeconds: number;
  endSeconds: number;
}

/** Recordings of one source, one after the other, up to a minute; null if they are too short together. */
export function joinHost(parts: readonly Float32Array[]): Float32Array | null {
  const most = HOST_SECONDS.max * SPLICE_RATE;
  const joined = new Float32Array(
    Math.min(
      most,
      parts.reduce((sum, { length }) => sum + length, 0),
    ),
  );
  let at = 0;
  for (const part of parts) {
    joined.set(part.subarray(0, joined.length - at), at);
    at = Math.min(joined.length, at + part.length);
  }
  return joined.length < HOST_SECONDS.min * SPLICE_RATE ? null : joined;
}

/** The insert, as loud as the host where somebody speaks, between two words of the host. */
export function splice(host: Float32Array, insert: Float32Array, chance: () => number): Splice {
  const drawn = host.length * (MARGIN_SHARE + (1 - 2 * MARGIN_SHARE) * chance());
  const at = quietestSample(host, Math.round(drawn));
  const cut = insert.subarray(0, INSERT_SECONDS.max * SPLICE_RATE);
  const gain = loudnessOf(host) / Math.max(loudnessOf(cut), 1e-6);
  const pause = PAUSE_SECONDS * SPLICE_RATE;
  const samples = new Float32Array(host.length + cut.length + 2 * pause);
  samples.set(host.subarray(0, at));
  samples.set(
    cut.map((value) => Math.max(-1, Math.min(1, value * gain))),
    at + pause,
  );
  samples.set(host.subarray(at), at + cut.length + 2 * pause);
  const startSeconds = (at + pause) / SPLICE_RATE;
  return { samples, startSeconds, endSeconds: startSeconds + cut.length / SPLICE_RATE };
}

function powersOf(samples: Float32Array): number[] {
  const size = FRAME_SECONDS * SPLICE_RATE;
  return Array.from({ length: Math.floor(samples.length / size) }, (_, frame) =>
    samples.subarray(frame * size, (frame + 1) * size).reduce((sum, value) => sum + value * value, 0),
  );
}

function quietestSample(samples: Float32Array, near: number): number {
  const size = FRAME_SECONDS * SPLICE_RATE;
  const powers = powersOf(samples);
  const reach = REACH_SECONDS / FRAME_SECONDS;
  const middle = Math.floor(near / size);
  let found = middle;
  for (let frame = Math.max(0, middle - reach); frame <= Math.min(powers.length - 1, middle + reach); frame++)
    if ((powers[frame] ?? 0) < (powers[found] ?? Number.POSITIVE_INFINITY)) found = frame;
  return Math.round((found + 0.5) * size);
}

/** Root mean square of the frames in which somebody speaks. */
function loudnessOf(samples: Float32Array): number {
  const powers = powersOf(samples);
  const loudest = Math.max(...powers, 0);
  const voiced = powers.filter((power) => power >= VOICE_SHARE * loudest);
  const sum = voiced.reduce((total, power) => total + power, 0);
  return Math.sqrt(sum / Math.max(1, voiced.length) / (FRAME_SECONDS * SPLICE_RATE));
}

export interface RankedClip {
  startSeconds: number;
  endSeconds: number;
  /** Probability that the clip is artificial, 0 to 1. */
  probability: number;
}

/** Clips that hold at least half of the insert, or are half filled by it. */
export function rightClips<Clip extends Omit<RankedClip, 'probability'>>(
  clips: readonly Clip[],
  insert: { startSeconds: number; endSeconds: number },
): Clip[] {
  return clips.filter(({ startSeconds, endSeconds }) => {
    const both = Math.min(endSeconds, insert.endSeconds) - Math.max(startSeconds, insert.startSeconds);
    return 2 * both >= Math.min(endSeconds - startSeconds, insert.endSeconds - insert.startSeconds);
  });
}

/** Place of the first right clip in the order of suspicion, from 1 on; null if there is none. */
export function rankOf(clips: readonly RankedClip[], right: readonly RankedClip[]): number | null {
  const sorted = [...clips].sort((one, other) => other.probability - one.probability);
  const index = sorted.findIndex((clip) => right.includes(clip));
  return index < 0 ? null : index + 1;
}

/** How often one of `right` would be among the first `top` of `count` by chance. */
export function chanceOf(count: number, right: number, top: number): number {
  let missed = 1;
  for (let drawn = 0; drawn < Math.min(top, count); drawn++)
    missed *= Math.max(0, count - right - drawn) / (count - drawn);
  return 1 - missed;
}
