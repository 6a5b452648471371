/** Which frames of a video are analysed when those that show a face are preferred. Pure. */

export interface FrameSample {
  /** From the video's beginning. */
  timeSeconds: number;
  hasFace: boolean;
}

/**
 * One time for each of the `regular` ones, ascending: that of the nearest sample with a face among those that lie
 * nearer to it than to any other regular time; without such a sample, the regular time itself.
 */
export function preferFaces(regular: readonly number[], samples: readonly FrameSample[]): number[] {
  const withFace = samples.filter(({ hasFace }) => hasFace).map(({ timeSeconds }) => timeSeconds);
  return regular.map((time) => {
    const own = withFace.filter((other) => nearest(regular, other) === time);
    return own.length === 0 ? time : nearest(own, time);
  });
}

/** The nearest time; the earlier if two are equally near. */
function nearest(times: readonly number[], to: number): number {
  return times.reduce((best, time) => (Math.abs(time - to) < Math.abs(best - to) ? time : best));
}
