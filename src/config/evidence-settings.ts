/** The settings of evidence: the key that signs packages, and the authorities that stamp their time. */
import { absolutePath, listOf, secret, timestampAuthority } from './parsers.ts';
import type { Secret } from './secret.ts';
import { optional, row } from './setting-row.ts';

export const EVIDENCE_SETTINGS = {
  evidenceSigningKey: optional<Secret>(
    'evidence.signing_key',
    secret('an Ed25519 private key in PEM (PKCS#8), without a passphrase', /^[^\0]{1,4096}$/),
    'The key that signs evidence packages.',
    'a key of the data folder',
  ),
  evidenceTimestampAuthorities: row(
    'evidence.timestamp_authorities',
    listOf(timestampAuthority(), 'https addresses'),
    [],
    'Timestamp authorities (RFC 3161) that stamp the signature of each package. They learn a hash. One in a private network has to be in `fetch.allow_networks`.',
  ),
  evidenceTimestampRootsFile: optional<string>(
    'evidence.timestamp_roots_file',
    absolutePath(),
    'PEM bundle of the roots of those authorities, put into packages; tokens that do not lead to one are refused.',
    'roots are not checked',
  ),
} as const;
