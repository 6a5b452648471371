import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentenceOf } from '../../../src/domain/provenance/reading-sentence.ts';
import { type Readings, readManifest } from '../../../src/domain/provenance/readings.ts';
import { findSourceType } from '../../../src/domain/provenance/source-types.ts';
import { VALIDATION_CODES } from '../../../src/domain/provenance/validation-codes.ts';
import { codeFact, GOOD_CODES, makeManifest, NOW } from './made-store.ts';

type Kind = 'success' | 'informational' | 'failure';

function readWith(...more: [Kind, string, boolean?][]): Readings {
  const codes = [...GOOD_CODES, ...more].map(([kind, code, isAboutIdentity]) =>
    codeFact(kind, code, isAboutIdentity),
  );
  return readManifest(makeManifest({ codes }), { isActive: true, readAt: NOW });
}

test('a good manifest is trusted, its product with its level', () => {
  const { state, signedBy } = readWith();
  assert.deepEqual([state, signedBy.product, signedBy.assuranceLevel], ['trusted', 'Pixel Camera', 2]);
});

/** Codes that the reader can give (c2pa-rs 0.90) and those of the CAWG specification's own list. */
const REQUIRED = `
algorithm.deprecated algorithm.unsupported assertion.accessible
assertion.action.ingredientMismatch assertion.action.malformed assertion.action.redacted
assertion.action.redactionMismatch assertion.bmffHash.malformed assertion.bmffHash.match
assertion.bmffHash.mismatch assertion.boxesHash.malformed assertion.boxesHash.match
assertion.boxesHash.mismatch assertion.boxesHash.unknownBox assertion.cbor.invalid
assertion.cloud-data.actions assertion.cloud-data.hardBinding assertion.cloud-data.malformed
assertion.collectionHash.incorrectFileCount assertion.collectionHash.invalidURI
assertion.collectionHash.malformed assertion.collectionHash.match
assertion.collectionHash.mismatch assertion.dataHash.additionalExclusionsPresent
assertion.dataHash.malformed assertion.dataHash.match assertion.dataHash.mismatch
assertion.dataHash.redacted assertion.hashedURI.match assertion.hashedURI.mismatch
assertion.inaccessible assertion.ingredient.malformed assertion.json.invalid
assertion.metadata.disallowed assertion.missing assertion.multipleHardBindings
assertion.notRedacted assertion.outsideManifest assertion.required.missing
assertion.selfRedacted assertion.timestamp.malformed assertion.undeclared
cawg.ica.credential_valid cawg.ica.did_unavailable cawg.ica.invalid_alg
cawg.ica.invalid_content_type cawg.ica.invalid_cose_sign1 cawg.ica.invalid_did_document
cawg.ica.invalid_issuer cawg.ica.invalid_verifiable_credential cawg.ica.signature_mismatch
cawg.ica.signer_payload.mismatch cawg.ica.time_stamp.invalid cawg.ica.time_stamp.validated
cawg.ica.untrusted_issuer cawg.ica.valid_from.invalid cawg.ica.valid_from.missing
cawg.ica.valid_until.invalid cawg.identity.assertion.duplicate cawg.identity.assertion.mismatch
cawg.identity.cbor.invalid cawg.identity.credential_revoked
cawg.identity.expected_claim_generator.mismatch cawg.identity.expected_countersigner.mismatch
cawg.identity.expected_countersigner.missing cawg.identity.expected_partial_claim.mismatch
cawg.identity.hard_binding_missing cawg.identity.pad.invalid cawg.identity.sig_type.unknown
cawg.identity.trusted cawg.identity.unexpected_countersigner cawg.identity.well-formed
cawg.x509.algorithm.unsupported cawg.x509.credential.invalid cawg.x509.credential.trusted
cawg.x509.credential.untrusted cawg.x509.signature.mismatch cawg.x509.signature.outside_validity
cawg.x509.signature.validated claim.cbor.invalid claim.hardBindings.missing claim.malformed
claim.missing claim.multiple claim.required.missing claimSignature.insideValidity
claimSignature.mismatch claimSignature.missing claimSignature.outsideValidity
claimSignature.validated general.error hashedURI.mismatch hashedURI.missing
ingredient.claimSignature.mismatch ingredient.claimSignature.missing
ingredient.claimSignature.validated ingredient.hashedURI.mismatch ingredient.manifest.mismatch
ingredient.manifest.missing ingredient.manifest.validated ingredient.unknownProvenance
manifest.compressed.invalid manifest.inaccessible manifest.multipleParents
manifest.timestamp.invalid manifest.timestamp.wrongParents manifest.unknownProvenance
manifest.unreferenced manifest.update.invalid manifest.update.wrongParents
signingCredential.expired signingCredential.invalid signingCredential.ocsp.inaccessible
signingCredential.ocsp.notRevoked signingCredential.ocsp.revoked signingCredential.ocsp.skipped
signingCredential.ocsp.unknown signingCredential.trusted signingCredential.untrusted
timeOfSigning.insideValidity timeStamp.malformed timeStamp.mismatch timeStamp.outsideValidity
timeStamp.trusted timeStamp.untrusted timeStamp.validated
`;

test('every code of the reader and of the specifications has a row', () => {
  const missing = REQUIRED.trim()
    .split(/\s+/)
    .filter((code) => !VALIDATION_CODES.has(code));
  assert.deepEqual(missing, []);
});

test('every failure of the table keeps a manifest from being trusted, unless it speaks of nothing that counts', () => {
  const harmless = new Set([
    'note',
    'uncheckable',
    'stamp_fails',
    'verified',
    'consistent',
    'inside',
    'stamped',
  ]);
  for (const [code, { meaning }] of VALIDATION_CODES) {
    const { state } = readWith(['failure', code]);
    // A code that speaks for a file but is listed as a failure is unknown.
    const isGood = ['bound', 'signed', 'listed', 'consistent', 'inside', 'stamped', 'verified'].includes(
      meaning,
    );
    const isFine = harmless.has(meaning) && !isGood;
    assert.equal(state === 'trusted', isFine, `${code}: ${state}`);
  }
});

test('an unknown code is shown and never reads as fine, in whatever list it stands', () => {
  for (const kind of ['success', 'informational', 'failure'] as const) {
    const { state, notes } = readWith([kind, 'com.example.new']);
    assert.equal(state, 'doubtful', kind);
    assert.deepEqual(notes, [{ code: 'com.example.new', isUnknown: true, explanation: '' }]);
  }
});

test('broken is said only where a binding or a signature fails', () => {
  const broken = [...VALIDATION_CODES]
    .filter(([code]) => readWith(['failure', code]).state === 'broken')
    .map(([, { meaning }]) => meaning);
  assert.deepEqual([...new Set(broken)].sort(), ['changed', 'signature_fails']);
});

test('what is said of an identity assertion does not count against the signature', () => {
  const { state, who, signedBy } = readWith(['failure', 'signingCredential.untrusted', true]);
  assert.deepEqual([state, who.answer, signedBy.answer], ['trusted', 'not_checkable', 'on_list']);
  const failed = readWith(['failure', 'claimSignature.mismatch', true]);
  assert.deepEqual([failed.state, failed.who.answer], ['doubtful', 'failed']);
});

test('a credential that only agrees with itself verifies no one', () => {
  assert.equal(readWith(['success', 'cawg.ica.credential_valid']).who.answer, 'not_checkable');
  assert.equal(readWith(['success', 'cawg.identity.trusted']).who.answer, 'verified');
});

test('a signer that the reader trusts and no list of ours vouches for is on no list', () => {
  const { signer } = makeManifest();
  assert.ok(signer !== null);
  const facts = makeManifest({ signer: { ...signer, vouchedBy: [] } });
  const { state, signedBy } = readManifest(facts, { isActive: true, readAt: NOW });
  assert.deepEqual([state, signedBy.answer, signedBy.product], ['intact', 'on_no_list', '']);
});

test('the sentence names signer, list and level in both languages', () => {
  const { en, it } = sentenceOf(readWith(), false);
  assert.equal(
    en,
    'Nothing was changed since it was signed; signed by Pixel Camera (Google LLC), conforming product, assurance level (2), on the list c2pa; the certificate was valid when the file was read.',
  );
  assert.match(it, /^Nulla è stato cambiato dopo la firma; firmato da Pixel Camera \(Google LLC\)/);
});

test('every term of the vocabulary has words in both languages, with or without its address', () => {
  for (const term of ['digitalCapture', 'trainedAlgorithmicMedia', 'screenCapture', 'digitalCreation']) {
    const found = findSourceType(`http://cv.iptc.org/newscodes/digitalsourcetype/${term}`);
    assert.deepEqual(found, findSourceType(term));
    assert.ok(found?.words.en && found.words.it);
  }
  assert.equal(findSourceType('http://example.com/toString'), null);
});
