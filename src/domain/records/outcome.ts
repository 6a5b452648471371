/** What a record comes to for a reader, in one word. Pure. */

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
    'What a record comes to: a finding of a person first, then a signature that forces the verdict, then what was measured.',
  words: OUTCOMES,
} as const satisfies Choice;
export type Outcome = (typeof OUTCOMES)[number];

/** The part of a record that decides. */
export interface Decided {
  status: Status;
  forceClassification: Label | null;
  verdict: { classification: Label; models: readonly string[] } | null;
  assessment: { state: AssessmentState } | null;
}

/** A person's finding first, then a signature that forces the verdict, then what was measured. */
export function outcomeOf({ status, forceClassification, verdict, assessment }: Decided): Outcome {
  if (status === 'new') return 'waiting';
  if (status === 'errored') return 'failed';
  if (forceClassification !== null) return forceClassification;
  if (verdict?.models.includes('c2pa')) return verdict.classification;
  return assessment?.state ?? verdict?.classification ?? 'not_applicable';
}

/** The states in which a record can have the outcome. */
export function statusOfOutcome(outcome: Outcome): Status {
  if (outcome === 'waiting') return 'new';
  return outcome === 'failed' ? 'errored' : 'done';
}
