/** The settings of evidence: the key that signs packages. */
import { secret } from './parsers.ts';
import type { Secret } from './secret.ts';
import { optional } from './setting-row.ts';

export const EVIDENCE_SETTINGS = {
  evidenceSigningKey: optional<Secret>(
    'evidence.signing_key',
    secret('an Ed25519 private key in PEM (PKCS#8), without a passphrase', /^[^\0]{1,4096}$/),
    'The Ed25519 private key, in PEM without a passphrase, that signs evidence packages. Without it the first start makes one in the data folder.',
    'a key of the data folder',
  ),
} as const;
