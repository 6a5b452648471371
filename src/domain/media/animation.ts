/** Chooses the frames of an animation that are judged beside its first one. Pure. */

/** Bounds the cost of an animation; what flashes by between these frames is missed. */
export const FRAMES_JUDGED_MAX = 5;
/** Every frame before the last one is decoded too: so many pixels take some ten seconds. */
const WALKED_PIXELS_MAX = 2_000_000_000;

/** Numbers from 0, ascending, spread evenly up to the last one within reach; empty if there is but one. */
export function furtherFrames({
  pages,
  width,
  height,
}: {
  pages: number;
  width: number;
  height: number;
}): number[] {
  const last = Math.min(pages, Math.floor(WALKED_PIXELS_MAX / (width * height))) - 1;
  const steps = Math.min(FRAMES_JUDGED_MAX - 1, last);
  return Array.from({ length: Math.max(0, steps) }, (_, index) => Math.round(((index + 1) * last) / steps));
}
