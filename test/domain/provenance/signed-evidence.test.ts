import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ManifestFacts, StoreFacts } from '../../../src/domain/provenance/manifest-facts.ts';
import {
  type Declaration,
  type DeclaredOrigin,
  NO_PROVENANCE,
} from '../../../src/domain/provenance/provenance.ts';
import { assessImage } from '../../../src/domain/verdicts/assessment.ts';
import type { ImageResult, ModelRun } from '../../../src/domain/verdicts/result.ts';
import { codeFact, created, GOOD_CODES, makeManifest, makeStore } from './made-store.ts';

const GENERATED = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia';
const CAPTURED = 'http://cv.iptc.org/newscodes/digitalsourcetype/computationalCapture';
const COMPOSITE = 'http://cv.iptc.org/newscodes/digitalsourcetype/compositeWithTrainedAlgorithmicMedia';

function run(logOdds: number): ModelRun {
  const probability = 1 / (1 + Math.exp(-logOdds));
  return {
    ...{ model: 'm', version: '1', task: 'image-origin', axis: 'generated', unknown: false, reason: '' },
    ...{ logit: logOdds, logOdds, probability, weight: 1, elapsedSeconds: 0, device: 'cpu' },
    ...{ cautiousThreshold: 0.9, inconclusiveLow: 0.4, inconclusiveHigh: 0.6 },
  };
}

function assess(
  runs: ModelRun[],
  store: StoreFacts,
  declarations: Declaration[] = [],
  declaredOrigin: DeclaredOrigin | null = null,
) {
  const result = {
    ...{ kind: 'image', mime: 'image/jpeg', width: 100, height: 100, pages: 1, runs, nsfw: null },
    ...{ detections: [], stability: [], hasHeatmap: false },
    quality: { shortSide: 100, jpegQuality: 90, truncated: false },
    provenance: { ...NO_PROVENANCE, hasReadFacts: true, store, declarations, declaredOrigin },
  } as ImageResult;
  const { state, strength, probability, reasons } = assessImage(result);
  return { state, strength, probability, codes: reasons.map(({ code }) => code) };
}

const HUMAN = [run(-2)];
const ARTIFICIAL = [run(2)];
const generated = makeManifest({ actions: created(GENERATED) });
const captured = makeManifest({ actions: created(CAPTURED) });

test('trusted, unchanged, in time and declared generated: artificial, whatever the models lean to', () => {
  const { state, strength, probability, codes } = assess(HUMAN, makeStore(generated));
  assert.deepEqual([state, strength, codes[0]], ['artificial', 'signed', 'SIGNED_GENERATED']);
  assert.equal(probability, run(-2).probability, 'the models’ figure is not moved');
  assert.equal(assess([], makeStore(generated)).state, 'artificial', 'nor does it need one');
});

test('a capture by a conforming device supports human, and models that see otherwise are shown beside it', () => {
  const alone = assess(HUMAN, makeStore(captured));
  assert.deepEqual([alone.state, alone.strength, alone.codes[0]], ['human', 'strong', 'SIGNED_CAPTURED']);
  const against = assess(ARTIFICIAL, makeStore(captured));
  assert.equal(against.state, 'inconclusive');
  assert.ok(against.codes.includes('PROVENANCE_CONTRADICTS_MODELS'));
  const declared: Declaration = { kind: 'generator', field: 'XMP', value: 'x', origin: 'generated' };
  assert.equal(assess(HUMAN, makeStore(captured), [declared]).state, 'inconclusive');
});

const { signer } = captured;
const withCodes = (...codes: string[]): ManifestFacts['codes'] => [
  ...GOOD_CODES.map(([kind, code]) => codeFact(kind, code)),
  ...codes.map((code) => codeFact('failure', code)),
];

const WEIGHS_NOTHING: [string, ManifestFacts][] = [
  ['on no list', { ...captured, signer: signer && { ...signer, vouchedBy: [] } }],
  ['expired', { ...captured, codes: withCodes('signingCredential.expired') }],
  ['changed', { ...captured, codes: withCodes('assertion.dataHash.mismatch') }],
  ['revoked', { ...captured, codes: withCodes('signingCredential.ocsp.revoked') }],
  ['no conforming product', { ...captured, signer: signer && { ...signer, product: null } }],
  [
    'a product that may not declare captures',
    {
      ...captured,
      signer: signer && { ...signer, product: { name: 'x', assuranceLevel: 1, mayCapture: false } },
    },
  ],
  [
    'a conforming product’s name, by another list',
    { ...captured, signer: signer && { ...signer, vouchedBy: [{ list: 'operator', by: 'x' }] } },
  ],
];

for (const [name, facts] of WEIGHS_NOTHING) {
  test(`a declared capture weighs nothing: ${name}`, () => {
    const { state, codes } = assess(ARTIFICIAL, makeStore(facts));
    assert.equal(state, 'artificial', 'the models’ answer stands');
    assert.ok(!codes.includes('SIGNED_CAPTURED'));
  });
}

test('a composite, or a generated ingredient that was placed, decides nothing', () => {
  const composite = makeManifest({ actions: created(COMPOSITE) });
  assert.equal(assess(HUMAN, makeStore(composite)).strength, 'weak');
  const part = { ...generated, label: 'part' };
  const ingredient = { title: '', format: '', manifest: 'part', thumbnail: '' };
  const around = makeManifest({ ingredients: [{ ...ingredient, relationship: 'component' }] });
  assert.ok(!assess(HUMAN, makeStore(around, part)).codes.includes('SIGNED_GENERATED'));
  const edited = makeManifest({ ingredients: [{ ...ingredient, relationship: 'parent' }] });
  assert.ok(assess(HUMAN, makeStore(edited, part)).codes.includes('SIGNED_GENERATED'), 'its parent does');
});

test('a capture into which an edit put generated parts is not called human', () => {
  const parent = {
    title: '',
    format: '',
    relationship: 'parent',
    manifest: 'camera',
    thumbnail: '',
  } as const;
  const edit = { action: 'c2pa.edited', when: '', agent: '', sourceType: COMPOSITE, description: '' };
  const filled = makeManifest({ actions: [edit], ingredients: [parent] });
  const store = makeStore(filled, { ...captured, label: 'camera' });
  const { state, codes } = assess(HUMAN, store, [], 'composite_with_generated');
  assert.equal(state, 'inconclusive');
  assert.ok(codes.includes('SIGNED_CAPTURED') && codes.includes('CAPTURE_WITH_GENERATED_PARTS'));
  const cropped = makeManifest({ actions: [{ ...edit, sourceType: '' }], ingredients: [parent] });
  assert.equal(
    assess(HUMAN, makeStore(cropped, { ...captured, label: 'camera' }), [], 'captured').state,
    'human',
  );
});

test('an untrusted manifest that declares generated content keeps a file from being called human', () => {
  const facts = { ...generated, signer: signer && { ...signer, vouchedBy: [] } };
  const { state, strength } = assess(HUMAN, makeStore(facts), [], 'generated');
  assert.deepEqual([state, strength], ['inconclusive', 'weak']);
});
