/** Facts of manifests as a decode child reports them, for tests of their readings. */
import type { CodeFact, ManifestFacts, StoreFacts } from '../../../src/domain/provenance/manifest-facts.ts';
import type { CodeKind } from '../../../src/domain/provenance/validation-codes.ts';

export const NOW = Date.UTC(2026, 10, 1) * 1000;
const YEAR_US = 365 * 24 * 3600 * 1_000_000;

export const GOOD_CODES: [CodeKind, string][] = [
  ['success', 'claimSignature.validated'],
  ['success', 'signingCredential.trusted'],
  ['success', 'claimSignature.insideValidity'],
  ['success', 'assertion.hashedURI.match'],
  ['success', 'assertion.dataHash.match'],
];

export function codeFact(kind: CodeKind, code: string, isAboutIdentity = false): CodeFact {
  return { code, kind, count: 1, isAboutIdentity, explanation: '' };
}

export function makeManifest(changes: Partial<ManifestFacts> = {}): ManifestFacts {
  return {
    ...{ label: 'active', title: 'picture', format: 'image/jpeg', generator: 'test 1.0' },
    codes: GOOD_CODES.map(([kind, code]) => codeFact(kind, code)),
    signer: {
      ...{
        name: 'Pixel Camera',
        organisation: 'Google LLC',
        issuer: 'authority',
        fingerprint: 'ab'.repeat(32),
      },
      ...{ notBefore: NOW - YEAR_US, notAfter: NOW + YEAR_US, timeStamp: null },
      vouchedBy: [{ list: 'c2pa', by: 'authority' }],
      product: { name: 'Pixel Camera', assuranceLevel: 2, mayCapture: true },
    },
    ...{ actions: [], device: null, ingredients: [], trainingMining: [], identities: [] },
    ...changes,
  };
}

export function makeStore(...manifests: ManifestFacts[]): StoreFacts {
  return { source: 'embedded', readAt: NOW, lists: [], active: 'active', manifests, leftOut: 0 };
}

export function created(sourceType: string): ManifestFacts['actions'] {
  return [{ action: 'c2pa.created', when: '', agent: '', sourceType, description: '' }];
}
