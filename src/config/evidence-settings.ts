/** The settings of evidence: the key that signs packages, and who vouches for their time. */
import { absolutePath, listOf, secret, timestampAuthority } from './parsers.ts';
import type { Secret } from './secret.ts';
import { optional, row } from './setting-row.ts';

export const EVIDENCE_SETTINGS = {
  evidenceSigningKey: optional<Secret>(
    'evidence.signing_key',
    secret('an Ed25519 private key in PEM (PKCS#8), without a passphrase', /^[^\0]{1,4096}$/),
    'The Ed25519 private key, in PEM without a passphrase, that signs evidence packages. Without it the first start makes one in the data folder.',
    'a key of the data folder',
  ),
  evidenceTimestampAuthorities: row(
    'evidence.timestamp_authorities',
    listOf(timestampAuthority(), 'https addresses'),
    [],
    'Timestamp authorities (RFC 3161) that are asked to stamp the signature of each package: https addresses. They learn a hash, nothing of the package. None: no authority is asked. One in a private network has to be in fetch.allow_networks.',
  ),
  evidenceTimestampRootsFile: optional<string>(
    'evidence.timestamp_roots_file',
    absolutePath(),
    'PEM bundle of the root certificates of those authorities: tokens that do not lead to one of them are refused, and the bundle is put into packages beside the tokens.',
    'roots are not checked',
  ),
} as const;
