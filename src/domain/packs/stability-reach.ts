/** Distance from even odds within which copies' answers change sides; beyond it copies need not be judged (half the cost). */
import { z } from 'zod';
import type { StabilityVariantName } from '../media/stability.ts';

const farthest = z.strictObject({
  human: z.number().min(0).describe('Reach of answers on the human side of even odds.'),
  artificial: z.number().min(0).describe('Reach of answers on the other side.'),
});

export const stabilityReach = z
  .strictObject({
    measuredBy: z.string().min(1).describe('What measured it.'),
    pictures: z.int().min(1),
    flips: z.int().min(0).describe('Copies among them on which the answer changed sides.'),
    logOdds: z
      .strictObject({ 'jpeg-60': farthest, 'scale-75': farthest } satisfies Record<
        StabilityVariantName,
        typeof farthest
      >)
      .describe('Calibrated natural log-odds, as a size: beyond it no answer changed sides.'),
  })
  .describe('Answers beyond it are not tried on copies; without it all are.');
export type StabilityReach = z.infer<typeof stabilityReach>;

/** A pack's answer for the original. */
export interface ReachedRun {
  run: { unknown: boolean; logOdds: number | null };
  /** Undefined if none was measured. */
  reach: StabilityReach | undefined;
}

/** Whether no copy can move the answer across even odds: each pack stands clear on one side, and none lacks an answer. */
export function isClear(answers: readonly ReachedRun[], variant: StabilityVariantName): boolean {
  const sides = new Set(answers.map((answer) => clearSide(answer, variant)));
  return sides.size === 1 && !sides.has(null);
}

function clearSide({ run, reach }: ReachedRun, variant: StabilityVariantName): 'human' | 'artificial' | null {
  if (run.unknown || run.logOdds === null || reach === undefined) return null;
  const side = run.logOdds >= 0 ? 'artificial' : 'human';
  return Math.abs(run.logOdds) > reach.logOdds[variant][side] ? side : null;
}
