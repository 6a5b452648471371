/** Played time by stamps that may lie. One stamp far from all others is damage; many that continue it are a set clock. */

/** Clocks of cameras drift by less between two frames. */
export const GAP_SECONDS_MIN = 0.2;
/** A further jump counts only if the next stamps continue it (`dts_delta_threshold` of ffmpeg). */
export const CLOCK_JUMP_SECONDS_MIN = 10;
/** No recorder keeps a file open over a longer pause: such a jump is the clock's. */
export const PAUSE_SECONDS_MAX = 3600;

export class SteadyClock {
  readonly #jumpSecondsMax: number;
  /** The stamp that would continue the last one. */
  #next: number | null;
  /** Added to a stamp it gives the played time. */
  #shift: number;

  /** `begin`: the stamp that is played first; `jumpSecondsMax`: a longer jump is no pause. */
  constructor({
    begin,
    next,
    jumpSecondsMax,
  }: { begin: number; next: number | null; jumpSecondsMax: number }) {
    this.#shift = -begin;
    this.#next = next;
    this.#jumpSecondsMax = jumpSecondsMax;
  }

  /** Where a piece stamped `at` is played, if the one before ends at `end` and `position` seconds were given so far. */
  place(at: number, seconds: number, { end, position }: { end: number; position: number }): number {
    const jump = at + this.#shift - end;
    const isFar = Math.abs(jump) > CLOCK_JUMP_SECONDS_MIN;
    const isDoubtful = isFar && (this.#next === null || Math.abs(at - this.#next) > GAP_SECONDS_MIN);
    this.#next = at + seconds;
    if (isDoubtful) return end;
    if ((position > 0 && jump < -GAP_SECONDS_MIN) || Math.abs(jump) > this.#jumpSecondsMax)
      this.#shift = position - at;
    return at + this.#shift;
  }
}
