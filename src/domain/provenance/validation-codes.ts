/** Validation codes of C2PA 1.x, 2.4 and CAWG 1.2 and their meaning; an unlisted code is shown, never read as fine. */

/** The question that a code answers. */
export const ANSWERS = ['unchanged', 'signed_by', 'in_time', 'who'] as const;
export type Answer = (typeof ANSWERS)[number];

/**
 * What a code says to its question.
 * - unchanged: `bound` (the hash over the file holds), `consistent` (a part of the manifest is as signed), `changed`,
 *   `unbound` (nothing ties the manifest to a file).
 * - signed_by: `signed`, `listed`, `unlisted`, `revoked`, `wrong_use`, `signature_fails`.
 * - in_time: `stamped`, `inside`, `expired`, `outside`, `stamp_fails` (the stamp does not count).
 * - who: `verified`, `uncheckable`, `failed`.
 * - any: `note` (says nothing to it), `irregular` (a rule of the specification is not kept, or it cannot be judged).
 */
export type Meaning =
  | 'bound'
  | 'consistent'
  | 'changed'
  | 'unbound'
  | 'signed'
  | 'listed'
  | 'unlisted'
  | 'revoked'
  | 'wrong_use'
  | 'signature_fails'
  | 'stamped'
  | 'inside'
  | 'expired'
  | 'outside'
  | 'stamp_fails'
  | 'verified'
  | 'uncheckable'
  | 'failed'
  | 'note'
  | 'irregular';

export interface CodeRow {
  answer: Answer;
  meaning: Meaning;
}

const row = (answer: Answer, meaning: Meaning, ...codes: string[]): [string, CodeRow][] =>
  codes.map((code) => [code, { answer, meaning }]);

/** Suffixes of one assertion that binds a file by a hash. */
const hashCodes = (name: string, ...suffixes: string[]): string[] =>
  suffixes.map((suffix) => `assertion.${name}.${suffix}`);

const BINDINGS = ['dataHash', 'bmffHash', 'boxesHash', 'collectionHash', 'multiAssetHash', 'compoundContent'];

export const VALIDATION_CODES: ReadonlyMap<string, CodeRow> = new Map([
  ...row('unchanged', 'bound', ...BINDINGS.flatMap((name) => hashCodes(name, 'match'))),
  ...row('unchanged', 'changed', ...BINDINGS.flatMap((name) => hashCodes(name, 'mismatch'))),
  ...row('unchanged', 'changed', ...hashCodes('boxesHash', 'unknownBox', 'unknownBoxes')),
  ...row('unchanged', 'changed', ...hashCodes('collectionHash', 'incorrectFileCount')),
  ...row('unchanged', 'changed', ...hashCodes('multiAssetHash', 'missingPart')),
  ...row('unchanged', 'irregular', ...BINDINGS.flatMap((name) => hashCodes(name, 'malformed'))),
  ...row('unchanged', 'irregular', ...hashCodes('collectionHash', 'invalidURI')),
  ...row('unchanged', 'irregular', ...hashCodes('dataHash', 'redacted')),
  ...row('unchanged', 'note', ...hashCodes('dataHash', 'additionalExclusionsPresent')),
  ...row('unchanged', 'note', ...hashCodes('bmffHash', 'additionalExclusionsPresent')),
  ...row('unchanged', 'note', ...hashCodes('boxesHash', 'additionalExclusionsPresent')),
  ...row('unchanged', 'unbound', 'claim.hardBindings.missing'),

  ...row('unchanged', 'consistent', 'assertion.hashedURI.match', 'assertion.accessible'),
  ...row('unchanged', 'consistent', 'ingredient.manifest.validated', 'ingredient.claimSignature.validated'),
  ...row('unchanged', 'changed', 'assertion.hashedURI.mismatch', 'hashedURI.mismatch', 'hashedURI.missing'),
  ...row('unchanged', 'changed', 'assertion.missing', 'assertion.undeclared'),
  ...row('unchanged', 'changed', 'ingredient.hashedURI.mismatch', 'ingredient.manifest.mismatch'),
  ...row('unchanged', 'changed', 'ingredient.claimSignature.mismatch'),
  ...row('unchanged', 'irregular', 'assertion.inaccessible', 'assertion.outsideManifest'),
  ...row('unchanged', 'irregular', 'assertion.notRedacted', 'assertion.selfRedacted'),
  ...row('unchanged', 'irregular', 'assertion.required.missing', 'assertion.multipleHardBindings'),
  ...row('unchanged', 'irregular', 'assertion.json.invalid', 'assertion.cbor.invalid'),
  ...row('unchanged', 'irregular', 'assertion.action.malformed', 'assertion.action.ingredientMismatch'),
  ...row('unchanged', 'irregular', 'assertion.action.redacted', 'assertion.action.redactionMismatch'),
  ...row('unchanged', 'irregular', 'assertion.action.softBindingMissing', 'assertion.external.created'),
  ...row('unchanged', 'irregular', 'assertion.cloud-data.hardBinding', 'assertion.cloud-data.actions'),
  ...row('unchanged', 'irregular', 'assertion.cloud-data.malformed', 'assertion.cloud-data.labelMismatch'),
  ...row('unchanged', 'irregular', 'assertion.external-reference.malformed'),
  ...row('unchanged', 'irregular', 'assertion.external-reference.hardBinding'),
  ...row('unchanged', 'irregular', 'assertion.external-reference.actions'),
  ...row('unchanged', 'irregular', 'assertion.ingredient.malformed', 'assertion.metadata.disallowed'),
  ...row('unchanged', 'irregular', 'assertion.timestamp.malformed'),
  ...row('unchanged', 'irregular', 'claim.malformed', 'claim.missing', 'claim.multiple'),
  ...row('unchanged', 'irregular', 'claim.required.missing', 'claim.cbor.invalid'),
  ...row('unchanged', 'irregular', 'ingredient.manifest.missing', 'ingredient.claimSignature.missing'),
  ...row('unchanged', 'irregular', 'manifest.inaccessible', 'manifest.multipleParents'),
  ...row('unchanged', 'irregular', 'manifest.update.invalid', 'manifest.update.wrongParents'),
  ...row('unchanged', 'irregular', 'manifest.timestamp.invalid', 'manifest.timestamp.wrongParents'),
  ...row('unchanged', 'irregular', 'manifest.compressed.invalid', 'algorithm.unsupported', 'general.error'),
  ...row('unchanged', 'note', 'ingredient.unknownProvenance', 'manifest.unknownProvenance'),
  ...row('unchanged', 'note', 'manifest.unreferenced', 'algorithm.deprecated'),

  ...row('signed_by', 'signed', 'claimSignature.validated'),
  ...row('signed_by', 'signature_fails', 'claimSignature.mismatch', 'claimSignature.missing'),
  ...row('signed_by', 'listed', 'signingCredential.trusted'),
  ...row('signed_by', 'unlisted', 'signingCredential.untrusted'),
  ...row('signed_by', 'revoked', 'signingCredential.ocsp.revoked', 'signingCredential.revoked'),
  ...row('signed_by', 'wrong_use', 'signingCredential.invalid'),
  ...row('signed_by', 'note', 'signingCredential.ocsp.notRevoked', 'signingCredential.notRevoked'),
  ...row('signed_by', 'note', 'signingCredential.ocsp.skipped', 'signingCredential.ocsp.inaccessible'),
  ...row('signed_by', 'note', 'signingCredential.ocsp.unknown'),

  ...row('in_time', 'stamped', 'timeStamp.trusted'),
  ...row('in_time', 'inside', 'claimSignature.insideValidity'),
  ...row('in_time', 'outside', 'claimSignature.outsideValidity'),
  ...row('in_time', 'expired', 'signingCredential.expired'),
  ...row('in_time', 'stamp_fails', 'timeStamp.mismatch', 'timeStamp.malformed', 'timeStamp.untrusted'),
  ...row('in_time', 'stamp_fails', 'timeStamp.outsideValidity', 'timeStamp.credentialInvalid'),
  ...row('in_time', 'note', 'timeStamp.validated'),
  ...row('in_time', 'note', 'timeOfSigning.insideValidity', 'timeOfSigning.outsideValidity'),

  ...row('who', 'verified', 'cawg.identity.trusted', 'cawg.x509.credential.trusted'),
  // A credential of an aggregator that agrees with itself does not show that its issuer is known.
  ...row('who', 'uncheckable', 'cawg.identity.well-formed', 'cawg.ica.credential_valid'),
  ...row('who', 'uncheckable', 'cawg.x509.credential.untrusted', 'cawg.ica.untrusted_issuer'),
  ...row('who', 'uncheckable', 'cawg.identity.sig_type.unknown', 'cawg.x509.algorithm.unsupported'),
  ...row('who', 'uncheckable', 'cawg.ica.did_unavailable', 'cawg.ica.did_unsupported_method'),
  ...row('who', 'uncheckable', 'cawg.ica.invalid_alg'),
  ...row('who', 'note', 'cawg.x509.signature.validated', 'cawg.ica.time_stamp.validated'),
  ...row('who', 'note', 'cawg.x509.ocsp.not_revoked', 'cawg.x509.ocsp.skipped'),
  ...row('who', 'failed', 'cawg.identity.cbor.invalid', 'cawg.identity.pad.invalid'),
  ...row('who', 'failed', 'cawg.identity.assertion.mismatch', 'cawg.identity.assertion.duplicate'),
  ...row('who', 'failed', 'cawg.identity.credential_revoked', 'cawg.identity.hard_binding_missing'),
  ...row('who', 'failed', 'cawg.identity.hard_binding_incorrect'),
  ...row('who', 'failed', 'cawg.identity.expected_partial_claim.mismatch'),
  ...row('who', 'failed', 'cawg.identity.expected_claim_generator.mismatch'),
  ...row('who', 'failed', 'cawg.identity.unexpected_countersigner'),
  ...row('who', 'failed', 'cawg.identity.expected_countersigner.mismatch'),
  ...row('who', 'failed', 'cawg.identity.expected_countersigner.missing'),
  ...row('who', 'failed', 'cawg.identity.expected_countersigner.duplicate'),
  ...row('who', 'failed', 'cawg.x509.credential.invalid', 'cawg.x509.credential.expired'),
  ...row('who', 'failed', 'cawg.x509.signature.mismatch', 'cawg.x509.signature.outside_validity'),
  ...row('who', 'failed', 'cawg.ica.invalid_cose_sign1', 'cawg.ica.invalid_content_type'),
  ...row('who', 'failed', 'cawg.ica.invalid_verifiable_credential', 'cawg.ica.invalid_issuer'),
  ...row('who', 'failed', 'cawg.ica.invalid_did_document', 'cawg.ica.signature_mismatch'),
  ...row('who', 'failed', 'cawg.ica.signer_payload.mismatch', 'cawg.ica.time_stamp.invalid'),
  ...row('who', 'failed', 'cawg.ica.valid_from.missing', 'cawg.ica.valid_from.invalid'),
  ...row('who', 'failed', 'cawg.ica.valid_until.invalid'),
]);

/** Meanings in the file's favour, which count only if the reader lists the code as a success. */
const GOOD: readonly Meaning[] = [
  ...(['bound', 'consistent', 'signed', 'listed', 'stamped', 'inside', 'verified'] as const),
];

export const CODE_KINDS = ['success', 'informational', 'failure'] as const;
export type CodeKind = (typeof CODE_KINDS)[number];

/** Readers give the identity assertion's own signature the codes of a claim's, which here answer who signed. */
const OF_IDENTITY: Readonly<Partial<Record<Meaning, Meaning>>> = {
  listed: 'verified',
  unlisted: 'uncheckable',
  revoked: 'failed',
  wrong_use: 'failed',
  signature_fails: 'failed',
  expired: 'failed',
  outside: 'failed',
  changed: 'failed',
  irregular: 'failed',
};

/** Null for a code that no table has, or that is misplaced: both are shown as unknown. */
export function meaningOf(code: string, kind: CodeKind, isAboutIdentity: boolean): CodeRow | null {
  const row = VALIDATION_CODES.get(code);
  if (row === undefined || (GOOD.includes(row.meaning) && kind !== 'success')) return null;
  // That the identity assertion is as signed concerns the manifest.
  if (!isAboutIdentity || row.answer === 'who' || row.answer === 'unchanged') return row;
  return { answer: 'who', meaning: OF_IDENTITY[row.meaning] ?? 'note' };
}
