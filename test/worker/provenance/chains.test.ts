/** Chains of certificates through the real reader: of who signed a picture, whom its identity assertion names and who stamped its time. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { toProvenanceRecord } from '../../../src/domain/provenance/provenance-record.ts';
import type { Readings } from '../../../src/domain/provenance/readings.ts';
import { type TrustList, toMaterial } from '../../../src/domain/provenance/trust-list.ts';
import { Vouchers } from '../../../src/worker/provenance/vouchers.ts';
import { readProvenance } from '../../../src/worker/steps/provenance.ts';
import {
  type CertificatePlan,
  type Made,
  makeCertificate,
  TIME_STAMPING,
  toIdentity,
  toPem,
} from '../../evidence/stamping-chains.ts';
import { type Signing, signMedia, type ToSign } from '../../signed-media.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';
import { makeTrustList } from '../../trust-lists.ts';

const DAY_MS = 86_400_000;
const daysFromNow = (days: number): Date => new Date(Date.now() + days * DAY_MS);
const VALID = { notBefore: daysFromNow(-2), notAfter: daysFromNow(2) };
const EMAIL = '1.3.6.1.5.5.7.3.4';
const SERVER = '1.3.6.1.5.5.7.3.1';
const ROOT: CertificatePlan = { ...VALID, name: 'Root', isCa: true, keyUsage: 0x04 };
const MIDDLE: CertificatePlan = { ...VALID, isCa: true, keyUsage: 0x04 };
const LEAF: CertificatePlan = { ...VALID, name: 'BBC', keyUsage: 0x80, purposes: [EMAIL] };
const STAMPER: CertificatePlan = { ...VALID, name: 'Stamper', keyUsage: 0x80, purposes: [TIME_STAMPING] };
const BELOW_PATHLEN_0 = [MIDDLE, { ...MIDDLE, pathLength: 0 }];

interface Chain {
  leaf: Made;
  middles: Made[];
  root: Made;
}

async function makeChain({ root = ROOT, middles = [], leaf = LEAF }: Partial<Plans>): Promise<Chain> {
  const top = await makeCertificate(root, null);
  const made: Made[] = [];
  for (const plan of middles.toReversed()) made.unshift(await makeCertificate(plan, made[0] ?? top));
  return { leaf: await makeCertificate(leaf, made[0] ?? top), middles: made, root: top };
}

interface Plans {
  root: CertificatePlan;
  middles: CertificatePlan[];
  leaf: CertificatePlan;
}

const pemOf = (made: readonly Made[]): string => toPem(made.map(({ certificate }) => certificate));

async function read(media: ToSign, signing: Signing, lists: TrustList[]): Promise<Readings> {
  await using folder = await makeTemporaryFolder();
  const path = join(folder.path, '0');
  await writeFile(path, (await signMedia(media, signing)).file);
  const trust = toMaterial(lists);
  const record = toProvenanceRecord(await readProvenance({ path, mime: 'image/jpeg', trust }));
  assert.ok(record?.readings);
  return record.readings;
}

interface Row extends Partial<Plans> {
  what: string;
  isVouched: boolean;
  anchors?: (chain: Chain) => Made[];
}

const ROWS: Row[] = [
  { what: 'two sub-authorities', isVouched: true, middles: [MIDDLE, MIDDLE] },
  { what: 'a listed sub-authority', isVouched: true, middles: [MIDDLE], anchors: ({ middles }) => middles },
  { what: 'a listed CA:FALSE itself', isVouched: true, anchors: ({ leaf }) => [leaf] },
  { what: 'a sub-authority below pathlen:0', isVouched: false, middles: BELOW_PATHLEN_0 },
  { what: 'a listed CA:FALSE that issues', isVouched: false, root: { ...ROOT, isCa: false } },
  {
    what: 'a desk’s own CA:FALSE that issues',
    isVouched: false,
    root: { ...LEAF, name: 'Desk', isCa: false },
  },
  {
    what: 'a sub-authority for serverAuth only',
    isVouched: false,
    middles: [{ ...MIDDLE, purposes: [SERVER] }],
  },
  { what: 'a sub-authority without keyCertSign', isVouched: false, middles: [{ ...MIDDLE, keyUsage: 0x80 }] },
  { what: 'a root of RSA 1024', isVouched: false, root: { ...ROOT, rsaBits: 1024 } },
];

for (const { what, isVouched, anchors, ...plans } of ROWS) {
  test(`${isVouched ? 'vouched for' : 'on no list'}: ${what}`, async () => {
    const chain = await makeChain(plans);
    const signing = { signer: toIdentity(chain.leaf), chain: chain.middles.map(toIdentity) };
    const authorities = pemOf(anchors?.(chain) ?? [chain.root]);
    const { signedBy, who } = await read({ identity: signing }, signing, [makeTrustList({ authorities })]);
    assert.deepEqual(
      [signedBy.answer, who.answer],
      isVouched ? ['on_list', 'verified'] : ['on_no_list', 'not_checkable'],
    );
  });
}

test('an identity whose certificate has ended is not verified, and one of a list of products neither', async () => {
  const { leaf, root } = await makeChain({});
  const signing = { signer: toIdentity(leaf) };
  const ended = await makeCertificate({ ...LEAF, notAfter: daysFromNow(-1) }, root);
  const authorities = pemOf([root]);
  const late = await read({ identity: { signer: toIdentity(ended) } }, signing, [
    makeTrustList({ authorities }),
  ]);
  assert.notEqual(late.who.answer, 'verified');
  const official = makeTrustList({ id: 'c2pa', authorities });
  const { signedBy, who } = await read({ identity: signing }, signing, [official]);
  assert.deepEqual([signedBy.answer, who.answer], ['on_list', 'not_checkable']);
});

for (const [what, { middles, leaf }, isVouched] of [
  ['under a sub-authority', { middles: [MIDDLE], leaf: STAMPER }, true],
  ['below pathlen:0', { middles: BELOW_PATHLEN_0, leaf: STAMPER }, false],
  ['below one for signers', { middles: [{ ...MIDDLE, purposes: [EMAIL] }], leaf: STAMPER }, false],
  ['whose certificate has another use', { middles: [MIDDLE], leaf: LEAF }, false],
] as [string, Pick<Plans, 'leaf' | 'middles'>, boolean][]) {
  test(`a stamp by an authority ${what}: ${isVouched ? 'vouched for' : 'on no list'}`, async () => {
    const { root, ...time } = await makeChain({ leaf, middles });
    const list = makeTrustList({ id: 'times', kind: 'time', authorities: pemOf([root]) });
    const chain = [time.leaf, ...time.middles].map((made) => new X509Certificate(pemOf([made])));
    const vouchers = new Vouchers(toMaterial([list])).forTimeStamp(chain, new Date());
    assert.equal(vouchers.length, isVouched ? 1 : 0);
  });
}
