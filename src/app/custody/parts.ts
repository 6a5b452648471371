import type { SigningKeys } from '../../machinery/signing-key.ts';
import type { CallerParts } from '../callers/parts.ts';
import type { RecordParts } from '../records/parts.ts';
import type { Checkpoints } from './checkpoints.ts';

export interface CustodyParts extends CallerParts, RecordParts {
  readonly signingKeys: SigningKeys;
  readonly checkpoints: Checkpoints;
}
