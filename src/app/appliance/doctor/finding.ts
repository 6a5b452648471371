/** One examined part of the box, what was seen, and what to do about it. */
import type { Finding } from '../../../domain/contract/appliance.ts';
import type { ApplianceParts, DoctorConfig } from '../parts.ts';

export type Check = (app: ApplianceParts, config: DoctorConfig) => Promise<Finding[]> | Finding[];

export const good = (name: string, found: string): Finding => ({ name, state: 'good', found, advice: '' });

export function notice(name: string, found: string, advice: string): Finding {
  return { name, state: 'notice', found, advice };
}

export function bad(name: string, found: string, advice: string): Finding {
  return { name, state: 'bad', found, advice };
}
