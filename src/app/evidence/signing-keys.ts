/** The keys that sign evidence: the public ones are open to all, the administrator rotates them. */
import type { EvidenceKey } from '../../domain/contract/evidence.ts';
import { AppError } from '../../domain/errors.ts';
import { SigningKeyError } from '../../machinery/signing-key.ts';
import { auditLine } from '../accounts/audit.ts';
import { assertMayWrite } from '../callers/authenticate.ts';
import { assertAdmin } from '../callers/authority.ts';
import type { Principal } from '../callers/principal.ts';
import type { CustodyParts } from '../custody/parts.ts';

/** Newest first; public, since the holder of a package compares with them. */
export function listEvidenceKeys({ signingKeys }: Pick<CustodyParts, 'signingKeys'>): EvidenceKey[] {
  return signingKeys.published().map(({ fingerprint, publicKeyPem, createdAt, retiredAt }) => ({
    fingerprint,
    publicKeyPem,
    createdAt,
    retiredAt,
  }));
}

/** Administrators only; leaves an audit line. Throws `signing_key` if the key is given by a setting. */
export async function rotateEvidenceKey(
  app: CustodyParts,
  { principal }: { principal: Principal },
): Promise<EvidenceKey[]> {
  assertAdmin(principal);
  assertMayWrite(principal);
  const before = app.signingKeys.current().fingerprint;
  try {
    const { fingerprint } = await app.signingKeys.rotate();
    await app.store.transact((tx) =>
      tx.log.appendAudit(auditLine(app, principal, 'evidence_key.rotate', fingerprint, { before })),
    );
  } catch (error) {
    if (!(error instanceof SigningKeyError)) throw error;
    throw new AppError('signing_key', error.message, { cause: error });
  }
  return listEvidenceKeys(app);
}
