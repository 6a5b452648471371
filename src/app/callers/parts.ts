import type { Core } from '../core.ts';
import type { Attempts } from './attempts.ts';
import type { CallRates } from './call-rates.ts';
import type { KeyUses } from './key-uses.ts';
import type { Standings } from './standings.ts';

export interface CallerParts extends Core {
  readonly callRates: CallRates;
  readonly attempts: Attempts;
  readonly keyUses: KeyUses;
  readonly standings: Standings;
}
