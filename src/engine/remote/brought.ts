/** What a worker brings when it ends a lease: its shape. Whether it can be true is for `judge-result.ts`. */
import { z } from 'zod';
import { perceptualHashSchema } from '../../domain/media/perceptual-hash.ts';
import { stepTimeSchema } from '../../domain/records/step-times.ts';
import { resultSchema, seconds } from '../../domain/verdicts/result.ts';
import type { SeenLikeness } from '../analyses/analysis-parts.ts';

/** More frames than a submission may ask for. */
const LIKENESSES_MAX = 1000;
/** More steps than any analysis has. */
const STEPS_MAX = 100;

const likeness = z.strictObject({
  likeness: perceptualHashSchema,
  timeSeconds: seconds.nullable(),
}) satisfies z.ZodType<SeenLikeness>;

export const brought = z.strictObject({
  result: resultSchema,
  stepTimes: z.array(stepTimeSchema).max(STEPS_MAX),
  likenesses: z.array(likeness).max(LIKENESSES_MAX),
});
export type Brought = z.infer<typeof brought>;
