import type { SigningKeys } from '../../machinery/signing-key.ts';
import type { CallerParts } from '../callers/parts.ts';

export interface EvidenceParts extends CallerParts {
  readonly signingKeys: SigningKeys;
}
