/** A pricing plan: what an account may submit, with which options and models, and at what price. */
import { PLAN } from '../contract/plan.ts';
import { rowsOf, type ValuesOf } from '../field.ts';

export type Plan = ValuesOf<typeof PLAN>;

/** The plan of the first start: everything enabled and nothing charged. */
export function appliancePlan(rateLimitPerMinute: number): Plan {
  const initial = Object.fromEntries(rowsOf(PLAN).map(([name, row]) => [name, structuredClone(row.initial)]));
  return { ...(initial as unknown as Plan), rateLimitPerMinute };
}
