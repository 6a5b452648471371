/** Files as real writers signed them, read with the lists that come with Assay and no settings. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ProvenanceRecord,
  toProvenanceRecord,
} from '../../../src/domain/provenance/provenance-record.ts';
import { readProvenance } from '../../../src/worker/steps/provenance.ts';
import { sharedData, skipWithoutSharedData } from '../../shared-data.ts';
import { shippedTrust } from '../../trust-lists.ts';

const skip = skipWithoutSharedData('c2pa-writers');
const trust = shippedTrust();

async function read(file: string): Promise<ProvenanceRecord> {
  const path = sharedData('c2pa-writers', file);
  const mime = file.endsWith('png') ? 'image/png' : 'image/jpeg';
  const record = toProvenanceRecord(await readProvenance({ path, mime, trust }));
  assert.ok(record !== null);
  return record;
}

interface Expected {
  file: string;
  state: string;
  answers: [unchanged: string, signedBy: string, inTime: string, who: string];
  signer: RegExp;
  lists: string[];
  /** Kinds of the steps over all manifests, oldest first. */
  steps: string[];
}

const EXPECTED: Expected[] = [
  {
    file: 'ChatGPT_Image.png',
    state: 'intact',
    answers: ['yes', 'on_list', 'expired', 'nobody'],
    signer: /ChatGPT/,
    lists: ['interim'],
    steps: ['generated', 'converted', 'opened'],
  },
  {
    file: 'Firefly_tabby_cat.jpg',
    state: 'trusted',
    answers: ['yes', 'on_list', 'stamped', 'nobody'],
    signer: /Adobe Firefly/,
    // Its chain ends at Adobe Root CA G2, which the official list does not hold.
    lists: ['interim'],
    steps: ['generated'],
  },
  {
    file: 'cloudscape-ACA-Cr.jpeg',
    state: 'trusted',
    answers: ['yes', 'on_list', 'stamped', 'not_checkable'],
    signer: /Adobe Content Authenticity/,
    lists: ['interim'],
    steps: ['opened', 'edited'],
  },
  {
    file: 'nikon-20221019-building.jpeg',
    state: 'intact',
    answers: ['yes', 'on_no_list', 'expired', 'nobody'],
    signer: /NIKON/,
    lists: [],
    steps: ['captured'],
  },
  {
    file: 'truepic-20230212-camera.jpg',
    state: 'trusted',
    answers: ['yes', 'on_list', 'stamped', 'nobody'],
    signer: /Truepic/,
    lists: ['interim'],
    steps: ['captured'],
  },
];

for (const { file, state, answers, signer, lists, steps } of EXPECTED) {
  test(`${file} is ${state}`, { skip }, async () => {
    const { readings, manifests, sentence } = await read(file);
    assert.ok(readings !== null);
    const { unchanged, signedBy, inTime, who } = readings;
    assert.deepEqual([unchanged, signedBy.answer, inTime.answer, who.answer], answers);
    assert.equal(readings.state, state);
    assert.deepEqual(readings.notes, []);
    assert.match(signedBy.name, signer);
    assert.deepEqual(
      signedBy.lists.map(({ list }) => list),
      lists,
    );
    assert.deepEqual(
      manifests.flatMap((manifest) => manifest.steps.map(({ kind }) => kind)),
      steps,
    );
    assert.match(sentence?.en ?? '', /^Nothing was changed since it was signed/);
    assert.match(sentence?.it ?? '', /^Nulla è stato cambiato dopo la firma/);
  });
}

test('a manifest that lies elsewhere is named and not fetched', { skip }, async () => {
  const { readings, sentence, remoteManifestUrl } = await read('crater-lake-cr.jpg');
  assert.equal(readings, null);
  assert.match(remoteManifestUrl ?? '', /^https:\/\/cai-manifests\.adobe\.com\//);
  assert.match(sentence?.en ?? '', /lies elsewhere and was not fetched/);
});
