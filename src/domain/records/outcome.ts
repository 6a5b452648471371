/** The outcome of a record for a reader, in one word. Pure. */
import type { Choice } from '../field.ts';
import type { Label } from '../media/media.ts';
import type { AssessmentState } from '../verdicts/assessment.ts';
import type { Status } from './classification.ts';

export const OUTCOMES = [
  'waiting',
  'failed',
  'human',
  'artificial',
  'inconclusive',
  'not_applicable',
] as const;
export const OUTCOME = {
  name: 'Outcome',
  description:
    'What a record comes to: a finding of a person first, then the assessment. No rule on signatures takes part.',
  words: OUTCOMES,
} as const satisfies Choice;
export type Outcome = (typeof OUTCOMES)[number];

export interface Decided {
  status: Status;
  forceClassification: Label | null;
  assessment: { state: AssessmentState } | null;
}

export function outcomeOf({ status, forceClassification, assessment }: Decided): Outcome {
  if (status === 'new') return 'waiting';
  if (status === 'errored') return 'failed';
  return forceClassification ?? assessment?.state ?? 'not_applicable';
}

/** The states of records that can have the outcome. */
export function statusOfOutcome(outcome: Outcome): Status {
  if (outcome === 'waiting') return 'new';
  return outcome === 'failed' ? 'errored' : 'done';
}
