/** Every state of a manifest that a person may meet, made by an authority of the test's own and read by the real reader. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { TimeStampResp } from 'pkijs';
import {
  type ProvenanceRecord,
  toProvenanceRecord,
} from '../../../src/domain/provenance/provenance-record.ts';
import { NO_TRUST, type TrustMaterial, toMaterial } from '../../../src/domain/provenance/trust-list.ts';
import { toTimestampQuery } from '../../../src/evidence/timestamps/timestamp.ts';
import { type OuterManifest, readProvenance, walksFault } from '../../../src/worker/steps/provenance.ts';

import { type Identity, makeIdentity } from '../../certificates.ts';
import { startAuthority, type TimestampAuthority } from '../../evidence/timestamp-authority.ts';
import { patternImage } from '../../media/pictures.ts';
import { makeOcspAnswer } from '../../ocsp-answer.ts';
import {
  CAPTURED,
  definitionOf,
  GENERATED,
  makeSigner,
  plainPicture,
  type Signing,
  signMedia,
} from '../../signed-media.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';
import { makeTrustList } from '../../trust-lists.ts';

const DAY_MS = 24 * 3600 * 1000;
const authority = makeIdentity({ name: 'Test authority', notBefore: daysAgo(1000) });
const signer = makeSigner(authority);
const expired = makeIdentity({
  ...{ name: 'Test camera', issuer: authority, signsMedia: true },
  ...{ notBefore: daysAgo(800), notAfter: daysAgo(400) },
});
const WEB_SERVER = [1, 3, 6, 1, 5, 5, 7, 3, 1];
const OCSP_SIGNING = [1, 3, 6, 1, 5, 5, 7, 3, 9];

let timeAuthority: TimestampAuthority;
let trust: TrustMaterial;
before(async () => {
  timeAuthority = await startAuthority();
  trust = toMaterial([
    makeTrustList({ id: 'c2pa', authorities: authority.cert }),
    makeTrustList({ id: 'c2pa-time', kind: 'time', authorities: timeAuthority.rootPem }),
  ]);
});
after(() => timeAuthority[Symbol.asyncDispose]());

function daysAgo(days: number): Date {
  return new Date(Date.now() - days * DAY_MS);
}

/** The token of a reply, as manifests of version 2 hold it. */
async function stamp(bytes: Buffer): Promise<Buffer> {
  const reply = await timeAuthority.answer(toTimestampQuery(bytes).query);
  const { timeStampToken } = TimeStampResp.fromBER(new Uint8Array(reply));
  return Buffer.from(timeStampToken?.toSchema().toBER() ?? new ArrayBuffer(0));
}

const signed = async (signing: Partial<Signing> = {}): Promise<Buffer> =>
  (await signMedia({}, { signer, ...signing })).file;

async function read(
  file: Buffer,
  lists: TrustMaterial = trust,
  manifest: OuterManifest | null = null,
): Promise<ProvenanceRecord> {
  await using folder = await makeTemporaryFolder();
  const path = join(folder.path, '0');
  await writeFile(path, file);
  const record = toProvenanceRecord(
    await readProvenance({ path, mime: 'image/jpeg', trust: lists, manifest }),
  );
  assert.ok(record !== null);
  return record;
}

function answersOf({ readings }: ProvenanceRecord): string[] {
  assert.ok(readings !== null, 'a manifest was read');
  const { state, unchanged, signedBy, inTime, who } = readings;
  return [state, unchanged, signedBy.answer, inTime.answer, who.answer];
}

function swap(file: Buffer, from: string, to: string): Buffer {
  assert.equal(from.length, to.length);
  const at = file.indexOf(from);
  assert.ok(at > 0, `${from} is in the file`);
  const changed = Buffer.from(file);
  changed.write(to, at, 'latin1');
  return changed;
}

function withChangedPixel(file: Buffer): Buffer {
  const changed = Buffer.from(file);
  const at = changed.length - 200;
  changed[at] = (changed[at] ?? 0) ^ 0x01;
  return changed;
}

interface State {
  name: string;
  make: () => Promise<Buffer>;
  lists?: () => TrustMaterial;
  is: string[];
}

const STATES: State[] = [
  {
    name: 'valid, by an authority of the list',
    make: () => signed(),
    is: ['trusted', 'yes', 'on_list', 'valid_now', 'nobody'],
  },
  {
    name: 'valid and stamped',
    make: () => signed({ stamp }),
    is: ['trusted', 'yes', 'on_list', 'stamped', 'nobody'],
  },
  {
    name: 'a root that no list has',
    make: () => signed(),
    lists: () => NO_TRUST,
    is: ['intact', 'yes', 'on_no_list', 'valid_now', 'nobody'],
  },
  {
    name: 'a root that is on a list of time-stamping authorities only',
    make: () => signed(),
    lists: () => toMaterial([makeTrustList({ kind: 'time', authorities: authority.cert })]),
    is: ['intact', 'yes', 'on_no_list', 'valid_now', 'nobody'],
  },
  {
    name: 'a single certificate that a list holds',
    make: () => signed(),
    lists: () => toMaterial([makeTrustList({ single: signer.cert })]),
    is: ['trusted', 'yes', 'on_list', 'valid_now', 'nobody'],
  },
  {
    name: 'a changed pixel',
    make: async () => withChangedPixel(await signed()),
    is: ['broken', 'changed', 'on_list', 'valid_now', 'nobody'],
  },
  {
    name: 'a changed assertion',
    make: async () => swap(await signed(), 'digitalCapture', 'digitalCaptura'),
    is: ['broken', 'changed', 'on_list', 'valid_now', 'nobody'],
  },
  {
    name: 'a removed assertion',
    make: async () => swap(await signed(), 'c2pa.actions.v2\0', 'c2pa.bctions.v2\0'),
    is: ['broken', 'changed', 'unclear', 'unclear', 'nobody'],
  },
  {
    name: 'signed by another key than the certificate’s',
    make: () => signed({ key: makeSigner(authority) }),
    is: ['broken', 'yes', 'signature_fails', 'valid_now', 'nobody'],
  },
  {
    name: 'an expired certificate without a stamp',
    make: () => signed({ signer: expired }),
    is: ['intact', 'yes', 'on_list', 'expired', 'nobody'],
  },
  {
    name: 'an expired certificate, stamped after its end',
    make: () => signed({ signer: expired, stamp }),
    is: ['doubtful', 'yes', 'on_no_list', 'outside', 'nobody'],
  },
  {
    name: 'a stamp of an authority that no list has',
    make: () => signed({ stamp }),
    lists: () => toMaterial([makeTrustList({ id: 'c2pa', authorities: authority.cert })]),
    is: ['trusted', 'yes', 'on_list', 'valid_now', 'nobody'],
  },
  {
    name: 'a certificate for another use',
    make: () =>
      signed({ signer: makeIdentity({ name: 'Web', issuer: authority, signsMedia: true, use: WEB_SERVER }) }),
    is: ['doubtful', 'yes', 'wrong_use', 'valid_now', 'nobody'],
  },
  {
    name: 'a stapled answer that the certificate is good',
    make: async () => signed({ chain: [authority], stamp, stapled: await ocspAnswer(null) }),
    is: ['trusted', 'yes', 'on_list', 'stamped', 'nobody'],
  },
  {
    name: 'a stapled answer that the certificate was revoked',
    make: async () => signed({ chain: [authority], stapled: await ocspAnswer(daysAgo(1)) }),
    is: ['doubtful', 'yes', 'revoked', 'valid_now', 'nobody'],
  },
];

function ocspAnswer(revokedAt: Date | null): Promise<Buffer> {
  const responder: Identity = makeIdentity({
    ...{ name: 'Responder', issuer: authority, signsMedia: true, use: OCSP_SIGNING },
  });
  return makeOcspAnswer({ authority, responder }, signer, revokedAt);
}

for (const { name, make, lists, is } of STATES) {
  test(`${name}: ${is[0]}`, async () => {
    assert.deepEqual(answersOf(await read(await make(), lists?.())), is);
  });
}

test('an expired certificate whose stamp shows that it was valid then is in time', async () => {
  const soon = makeIdentity({
    ...{ name: 'Test camera', issuer: authority, signsMedia: true },
    notAfter: new Date(Date.now() + 4000),
  });
  const file = await signed({ signer: soon, stamp });
  await new Promise((resolve) => setTimeout(resolve, 5000));
  assert.deepEqual(answersOf(await read(file)), ['trusted', 'yes', 'on_list', 'stamped', 'nobody']);
});

test('a reading names who vouches by list and authority, and the list by its hash', async () => {
  const { readings, lists } = await read(await signed({ stamp }));
  assert.deepEqual(readings?.signedBy.lists, [{ list: 'c2pa', by: 'Test authority' }]);
  assert.deepEqual(readings?.inTime.lists, [{ list: 'c2pa-time', by: 'Test Authority Root' }]);
  assert.deepEqual(
    lists,
    trust.lists.map(({ id, sha256 }) => ({ id, sha256 })),
  );
});

test('a broken ingredient beneath a good manifest has its own answers, and the sentence says so', async () => {
  const part = withChangedPixel(await signed());
  const broken = swap(part, 'digitalCapture', 'digitalCaptura');
  const { file } = await signMedia(
    {
      definition: definitionOf(GENERATED),
      ingredients: [
        { definition: { title: 'part', relationship: 'componentOf' }, file: broken, mime: 'image/jpeg' },
      ],
    },
    { signer },
  );
  const record = await read(file);
  assert.deepEqual(answersOf(record).slice(0, 3), ['trusted', 'yes', 'on_list']);
  assert.deepEqual(
    record.manifests.map(({ isActive, readings }) => [isActive, readings.state]),
    [
      [false, 'broken'],
      [true, 'trusted'],
    ],
  );
  assert.match(record.sentence?.en ?? '', /one of its ingredients is broken/);
  assert.match(record.sentence?.it ?? '', /un suo ingrediente è rotto/);
});

test('ingredients that lead to one manifest in hundreds of ways are refused before any is judged', async () => {
  const stack = async (part: Buffer): Promise<Buffer> => {
    const ingredients = ['a', 'b', 'c'].map((title) => ({
      ...{ definition: { title, relationship: 'componentOf' }, file: part, mime: 'image/jpeg' },
    }));
    return (await signMedia({ definition: definitionOf(GENERATED), ingredients }, { signer })).file;
  };
  let file = await signed();
  for (let level = 1; level <= 4; level++) file = await stack(file);
  const { manifests, fault } = await read(file);
  assert.deepEqual([manifests.length, fault], [5, null], '121 ways');
  const { readings, ...refused } = await read(await stack(file));
  assert.equal(readings, null);
  assert.match(refused.fault ?? '', /in more than 256 ways/);
  const inCircle = { a: { ingredients: [{ active_manifest: 'a' }] } };
  assert.match(walksFault({ manifests: inCircle }) ?? '', /more than 256/);
  const chain = Object.fromEntries(Array.from({ length: 257 }, (_, at) => [`m${at}`, {}]));
  assert.match(walksFault({ manifests: chain }) ?? '', /257 manifests/);
  assert.equal(walksFault(undefined), null);
});

test('two manifests stand in the order in which they were made', async () => {
  const first = await signMedia({ definition: definitionOf(CAPTURED) }, { signer });
  const { file } = await signMedia(
    {
      definition: definitionOf(CAPTURED, { assertions: [], title: 'edited' }),
      source: first.file,
      change: (builder) => builder.setIntent('edit'),
    },
    { signer: makeSigner(authority, 'Test editor') },
  );
  const { manifests, readings } = await read(file);
  assert.equal(readings?.state, 'trusted');
  assert.deepEqual(
    manifests.map(({ readings: { state, signedBy } }) => [state, signedBy.name]),
    [
      ['trusted', 'Test camera'],
      ['trusted', 'Test editor'],
    ],
  );
  const kinds = manifests.flatMap(({ steps }) => steps.map(({ kind }) => kind));
  assert.deepEqual(kinds, ['captured', 'opened']);
});

test('an update manifest is bound to the file through the one that it updates', async () => {
  const first = await signMedia({}, { signer });
  const definition = { claim_generator_info: [{ name: 'updater', version: '1' }], title: 'updated' };
  const { file } = await signMedia(
    { definition, source: first.file, change: (builder) => builder.setIntent('update') },
    { signer },
  );
  assert.deepEqual(answersOf(await read(file)), ['trusted', 'yes', 'on_list', 'valid_now', 'nobody']);
  assert.equal(answersOf(await read(withChangedPixel(file)))[0], 'broken');
});

test('a manifest that is damaged within is reported as unreadable', async () => {
  const file = await signed();
  const claim = file.indexOf('cbor', file.indexOf('c2pa.claim.v2\0'));
  const damaged = Buffer.from(file).fill(0xff, claim + 4, claim + 60);
  const { readings, fault, sentence } = await read(damaged);
  assert.equal(readings, null);
  assert.match(fault ?? '', /cannot be read/);
  assert.match(sentence?.en ?? '', /cannot be read/);
});

test('a file that is cut behind its manifest was changed', async () => {
  const file = await signed();
  const { readings } = await read(file.subarray(0, file.length - 500));
  assert.deepEqual([readings?.state, readings?.unchanged], ['broken', 'changed']);
});

test('a manifest that lies elsewhere is named only', async () => {
  const url = 'http://127.0.0.1:9/picture.c2pa';
  const { file } = await signMedia(
    {
      change: (builder) => {
        builder.setNoEmbed(true);
        builder.setRemoteUrl(url);
      },
    },
    { signer },
  );
  const { readings, remoteManifestUrl, manifests } = await read(file);
  assert.deepEqual([readings, remoteManifestUrl, manifests], [null, url, []]);
});

test('a sidecar is read as a manifest within the file, and fails beside another file', async () => {
  const { manifest, file } = await signMedia({ change: (builder) => builder.setNoEmbed(true) }, { signer });
  const record = await read(file, trust, { bytes: manifest, source: 'sidecar' });
  assert.deepEqual(answersOf(record), ['trusted', 'yes', 'on_list', 'valid_now', 'nobody']);
  assert.equal(record.source, 'sidecar');
  const other = await patternImage(320, 200).jpeg().toBuffer();
  assert.equal(answersOf(await read(other, trust, { bytes: manifest, source: 'sidecar' }))[0], 'broken');
  assert.equal((await read(file)).sentence, null, 'the file itself holds none');
});

test('a picture without a manifest has no readings and no sentence', async () => {
  const { readings, sentence, manifests, fault } = await read(await plainPicture());
  assert.deepEqual([readings, sentence, manifests, fault], [null, null, [], null]);
});
