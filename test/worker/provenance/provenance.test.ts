/** Signed, broken, chained and unsigned files of the collection, and files with a manifest elsewhere. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import {
  forcesArtificial,
  NO_PROVENANCE,
  type Provenance,
} from '../../../src/domain/provenance/provenance.ts';
import { NO_TRUST } from '../../../src/domain/provenance/trust-list.ts';
import { boundReport, REPORT_BYTES_MAX, toC2paReport } from '../../../src/worker/steps/c2pa-report.ts';
import { readProvenance } from '../../../src/worker/steps/provenance.ts';
import { LIMITS, openSlot } from '../../media/decode-fixture.ts';
import { patternImage, writePicture } from '../../media/pictures.ts';
import { sharedData, skipWithoutSharedData } from '../../shared-data.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

const skip = skipWithoutSharedData('c2pa');
const read = async (file: string) =>
  await readProvenance({ path: sharedData('c2pa', file), mime: 'image/jpeg', trust: NO_TRUST });

function codesOf({ c2pa }: Provenance): string[] {
  return (c2pa?.validation_status ?? []).map(({ code }) => code);
}

const SIGNED: { file: string; state: string; code: string }[] = [
  { file: 'py-C.jpg', state: 'Valid', code: 'signingCredential.untrusted' },
  { file: 'pub-adobe_20220124_CA.jpg', state: 'Valid', code: 'signingCredential.untrusted' },
  { file: 'pub-adobe_20220124_E_sig_CA.jpg', state: 'Invalid', code: 'claimSignature.mismatch' },
  { file: 'pub-adobe_20220124_E_dat_CA.jpg', state: 'Invalid', code: 'assertion.dataHash.mismatch' },
  { file: 'pub-adobe_20220124_E_uri_CA.jpg', state: 'Invalid', code: 'assertion.hashedURI.mismatch' },
  { file: 'pub-adobe_20220124_XCA.jpg', state: 'Invalid', code: 'assertion.dataHash.mismatch' },
];

for (const { file, state, code } of SIGNED) {
  test(`${file} is ${state}`, { skip }, async () => {
    const provenance = await read(file);
    assert.equal(provenance.c2pa?.validation_state, state);
    assert.ok(codesOf(provenance).includes(code), codesOf(provenance).join());
    assert.ok(forcesArtificial(provenance, 'any', false), 'a signature forces whatever its state');
    assert.equal(provenance.signer, 'C2PA Signer');
    assert.equal(provenance.fault, null);
    assert.ok(Object.hasOwn(provenance.c2pa?.manifests ?? {}, provenance.c2pa?.active_manifest ?? ''));
    assert.ok(Array.isArray(provenance.c2pa?.validation_results.ingredientDeltas));
  });
}

for (const file of ['pub-adobe_20220124_A.jpg', 'pub-adobe_20220124_I.jpg']) {
  test(`${file} has no manifest`, { skip }, async () => {
    const { declarations, fileFacts, ...signed } = await read(file);
    assert.deepEqual(signed, { ...NO_PROVENANCE, hasReadFacts: true });
    assert.deepEqual(
      declarations?.map(({ kind }) => kind),
      ['camera'],
    );
    assert.ok(fileFacts?.facts.some(({ kind }) => kind === 'captured'));
  });
}

test('a child reports a signed file that lies in its slot under a neutral name', { skip }, async () => {
  await using folder = await makeTemporaryFolder();
  await using slot = await openSlot(folder.path);
  const input = await slot.placeInput(sharedData('c2pa', 'py-C.jpg'));
  const { image } = await slot.request({
    type: 'decode-image',
    input,
    limits: LIMITS,
    trust: NO_TRUST,
    patchSets: [],
  });
  assert.deepEqual(untimed(image.provenance), untimed(await read('py-C.jpg')));
});

/** Each reading has a time of its own. */
function untimed({ store, ...provenance }: Provenance): object {
  return { ...provenance, store: { ...store, readAt: 0 } };
}

let remote: Provenance;
before(async () => {
  await using folder = await makeTemporaryFolder();
  const address = 'http://127.0.0.1:9/manifest.c2pa';
  const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <rdf:Description xmlns:dcterms="http://purl.org/dc/terms/" dcterms:provenance="${address}"/></rdf:RDF></x:xmpmeta>`;
  const jpeg = await patternImage(64, 64).withXmp(xmp).jpeg().toBuffer();
  const path = await writePicture(folder.path, 'remote.jpg', jpeg);
  remote = await readProvenance({ path, mime: 'image/jpeg', trust: NO_TRUST });
});

test('a manifest elsewhere is named, not fetched, and forces nothing', () => {
  assert.equal(remote.remoteManifestUrl, 'http://127.0.0.1:9/manifest.c2pa');
  assert.equal(remote.fault, null);
  assert.ok(!forcesArtificial(remote, 'any', false));
});

test('a report over 1 MB loses what its assertions carry, not its signature', () => {
  const signature_info = { common_name: 'Somebody' };
  const assertions = [{ label: 'stds.exif', data: { blob: 'x'.repeat(2 * REPORT_BYTES_MAX) } }];
  const report = boundReport(
    toC2paReport({ active_manifest: 'a', manifests: { a: { signature_info, assertions } } }),
  );
  assert.ok(JSON.stringify(report).length < 2000);
  assert.deepEqual((report.manifests as { a: { signature_info: unknown } }).a.signature_info, signature_info);
});

test('endless names and texts are cut, whatever a manifest holds', () => {
  const endless = 'x'.repeat(2 * REPORT_BYTES_MAX);
  const json = {
    active_manifest: endless,
    manifests: { [endless]: { signature_info: { common_name: endless } } },
    validation_status: [{ code: endless, url: endless, explanation: endless }],
  };
  const report = boundReport(toC2paReport(json));
  assert.ok(JSON.stringify(report).length < 10_000);
  assert.deepEqual(Object.keys(report.manifests), [report.active_manifest]);
});

test('missing parts of a report become empty', () => {
  assert.deepEqual(toC2paReport({}).validation_results, {
    activeManifest: { failure: [], success: [], informational: [] },
    ingredientDeltas: [],
  });
});
