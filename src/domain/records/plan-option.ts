/** What a plan may withhold and price: the options of a submission that have a name in plans, and two things more. */
import { rowsOf } from '../field.ts';
import { ANALYSIS_OPTIONS } from './analysis-options.ts';

type Rows = typeof ANALYSIS_OPTIONS;
/** An analysis that a submission asks for by an option, and that can be added later. */
export type AddableAnalysis = NonNullable<Rows[keyof Rows]['planOption']>;

export const ADDABLE_ANALYSES: readonly AddableAnalysis[] = rowsOf(ANALYSIS_OPTIONS).flatMap(
  ([, { planOption }]) => planOption ?? [],
);
/** The others are no choice of the submitter. */
export const PRICED_OPTIONS = [...ADDABLE_ANALYSES, 'webhook'] as const;
export type PricedOption = (typeof PRICED_OPTIONS)[number];
export const PLAN_OPTIONS = [...PRICED_OPTIONS, 'foreign_types'] as const;
export type PlanOption = (typeof PLAN_OPTIONS)[number];
