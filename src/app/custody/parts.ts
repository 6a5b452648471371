import type { EvidenceParts } from '../evidence/parts.ts';
import type { Checkpoints } from './checkpoints.ts';

export interface CustodyParts extends EvidenceParts {
  readonly checkpoints: Checkpoints;
}
