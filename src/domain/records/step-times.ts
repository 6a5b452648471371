/** How long the steps of an analysis took, summed by step. Steps overlap, and some are parts of others. Pure. */
import { z } from 'zod';

export const stepTimeSchema = z.strictObject({
  step: z.string().regex(/^[a-z][a-z-]{0,39}$/),
  /** Sum over all its runs, one after the other or side by side. */
  seconds: z.number().min(0).max(1e9),
  times: z.int().min(1),
});
export type StepTime = z.infer<typeof stepTimeSchema>;

/** A tenth of a millisecond: shorter steps do not matter. */
const STEPS_PER_SECOND = 10_000;

export class StepTimes {
  readonly #steps = new Map<string, { seconds: number; times: number }>();

  add(step: string, seconds: number): void {
    const known = this.#steps.get(step) ?? { seconds: 0, times: 0 };
    this.#steps.set(step, { seconds: known.seconds + seconds, times: known.times + 1 });
  }

  /** In the order in which each step first ended. */
  toList(): StepTime[] {
    return Array.from(this.#steps, ([step, { seconds, times }]) => ({
      step,
      times,
      seconds: Math.round(seconds * STEPS_PER_SECOND) / STEPS_PER_SECOND,
    }));
  }
}
