/** One thing that was looked at, what was seen, and what to do about it. */
import type { ApplianceParts, DoctorConfig } from '../parts.ts';

export const FINDING_STATES = ['good', 'notice', 'bad'] as const;
export type FindingState = (typeof FINDING_STATES)[number];

export interface Finding {
  /** What was looked at: `disk`, `models`, … */
  name: string;
  state: FindingState;
  found: string;
  /** What to do; empty where all is good. */
  advice: string;
}

export type Check = (app: ApplianceParts, config: DoctorConfig) => Promise<Finding[]> | Finding[];

export function good(name: string, found: string): Finding {
  return { name, state: 'good', found, advice: '' };
}

export function notice(name: string, found: string, advice: string): Finding {
  return { name, state: 'notice', found, advice };
}

export function bad(name: string, found: string, advice: string): Finding {
  return { name, state: 'bad', found, advice };
}
