/** A table of certificate chains: each token is judged by `openssl ts -verify` and by us, and both must say the same. */
import { equal, match, ok } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { judgeTimestamp, TimestampError } from '../../src/evidence/timestamps/timestamp.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../temporary-folder.ts';
import {
  type CertificatePlan,
  type Made,
  makeCertificate,
  NOW,
  stamp,
  TIME_STAMPING,
  type TokenPlan,
  toPem,
} from './stamping-chains.ts';

const BYTES = Buffer.from('sixty-four bytes of a signature');
const SIGN = 0x80;
const SIGN_CERTIFICATES = 0x04;
const ROOT: CertificatePlan = { name: 'Root', isCa: true, keyUsage: SIGN_CERTIFICATES };
const MIDDLE: CertificatePlan = { isCa: true, keyUsage: SIGN_CERTIFICATES };
const LEAF: CertificatePlan = { name: 'Stamper', keyUsage: SIGN, purposes: [TIME_STAMPING] };
const SERVER = '1.3.6.1.5.5.7.3.1';
const OWN_PURPOSE = '1.3.6.1.4.1.99999.1';
const second = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1000);

/** What the parts of a row are made of; the last of the chain is the root. */
interface Chain {
  leaf: Made;
  middles: Made[];
  root: Made;
}

interface Row {
  what: string;
  /** Null if the chain holds. */
  fault: RegExp | null;
  leaf?: CertificatePlan;
  /** The certificates between leaf and root, from the leaf upwards. */
  middles?: CertificatePlan[];
  root?: CertificatePlan;
  token?: (chain: Chain) => TokenPlan | Promise<TokenPlan>;
  /** The signer and what is above it, without the root, unless given. */
  inToken?: (chain: Chain) => Made[];
  /** The roots; by default that of the chain. */
  roots?: (chain: Chain) => Made[] | Promise<Made[]>;
}

const NO_STAMPER = /is signed by a certificate that is not made for timestamps/;
const OTHER_KEY = /has a key for other uses than signing/;
const NO_ISSUER = /does not lead to the given roots|may not issue certificates/;
const TOO_LONG = /allows \d below it, found \d/;

const ROWS: readonly Row[] = [
  { what: 'a signer under its root', fault: null },
  { what: 'two intermediates', fault: null, middles: [MIDDLE, MIDDLE] },
  { what: 'the purpose is missing', fault: NO_STAMPER, leaf: { ...LEAF, purposes: null } },
  { what: 'another purpose', fault: NO_STAMPER, leaf: { ...LEAF, purposes: [SERVER] } },
  { what: 'any purpose', fault: NO_STAMPER, leaf: { ...LEAF, purposes: ['2.5.29.37.0'] } },
  {
    what: 'another purpose besides',
    fault: /is made for other purposes beside timestamps/,
    leaf: { ...LEAF, purposes: [TIME_STAMPING, SERVER] },
  },
  {
    what: 'a private purpose besides',
    fault: null,
    leaf: { ...LEAF, purposes: [TIME_STAMPING, OWN_PURPOSE] },
  },
  {
    what: 'the purpose is not critical',
    fault: /not as critical/,
    leaf: { ...LEAF, isPurposeCritical: false },
  },
  {
    what: 'the purpose is there twice',
    fault: /has an extension twice/,
    leaf: { ...LEAF, isPurposeTwice: true },
  },
  { what: 'no key usage', fault: null, leaf: { ...LEAF, keyUsage: null } },
  { what: 'key usage non-repudiation', fault: null, leaf: { ...LEAF, keyUsage: 0x40 } },
  { what: 'key usage encipherment', fault: OTHER_KEY, leaf: { ...LEAF, keyUsage: 0x20 } },
  { what: 'key usage signature and encipherment', fault: OTHER_KEY, leaf: { ...LEAF, keyUsage: 0xa0 } },
  {
    what: 'a signer that may sign certificates',
    fault: OTHER_KEY,
    leaf: { ...LEAF, isCa: true, keyUsage: 0x84 },
  },
  { what: 'a signer that is an authority too', fault: null, leaf: { ...LEAF, isCa: true, keyUsage: null } },
  { what: 'the signer has ended', fault: /had ended/, leaf: { ...LEAF, notAfter: second(-1) } },
  { what: 'the last second of the signer', fault: /had ended/, leaf: { ...LEAF, notAfter: NOW } },
  { what: 'the second before the last', fault: null, leaf: { ...LEAF, notAfter: second(1) } },
  { what: 'the first second of the signer', fault: null, leaf: { ...LEAF, notBefore: NOW } },
  { what: 'the signer is not valid yet', fault: /not valid yet/, leaf: { ...LEAF, notBefore: second(1) } },
  {
    what: 'the root has ended',
    fault: /over a root that had ended/,
    root: { ...ROOT, notAfter: second(-1) },
  },
  {
    what: 'an intermediate has ended',
    fault: /over an intermediate that had ended/,
    middles: [{ ...MIDDLE, notAfter: second(-1) }],
  },
  {
    what: 'an unknown critical extension',
    fault: /not known: 1\.2\.3/,
    leaf: { ...LEAF, unknownCritical: '1.2.3' },
  },
  {
    what: 'an unknown critical extension of an intermediate',
    fault: /intermediate that has a critical extension/,
    middles: [{ ...MIDDLE, unknownCritical: '1.2.3' }],
  },
  { what: 'an intermediate that is no authority', fault: NO_ISSUER, middles: [{ ...MIDDLE, isCa: false }] },
  { what: 'an intermediate that does not say it', fault: NO_ISSUER, middles: [{ ...MIDDLE, isCa: null }] },
  { what: 'an intermediate without extensions', fault: NO_ISSUER, middles: [{ version: 0 }] },
  {
    what: 'an intermediate that may not sign certificates',
    fault: NO_ISSUER,
    middles: [{ ...MIDDLE, keyUsage: SIGN }],
  },
  { what: 'an intermediate without key usage', fault: null, middles: [{ ...MIDDLE, keyUsage: null }] },
  { what: 'a root that is no authority', fault: NO_ISSUER, root: { ...ROOT, isCa: false } },
  { what: 'a root that may not sign certificates', fault: NO_ISSUER, root: { ...ROOT, keyUsage: SIGN } },
  { what: 'a root of version 1', fault: null, root: { name: 'Old root', version: 0 } },
  { what: 'a root with key usage only', fault: null, root: { ...ROOT, isCa: null } },
  { what: 'a root without anything', fault: NO_ISSUER, root: { name: 'Root', isCa: null, keyUsage: null } },
  { what: 'pathLen 0 over the signer', fault: null, root: { ...ROOT, pathLength: 0 } },
  {
    what: 'pathLen 0 over an intermediate',
    fault: TOO_LONG,
    root: { ...ROOT, pathLength: 0 },
    middles: [MIDDLE],
  },
  {
    what: 'pathLen 1 over an intermediate',
    fault: null,
    root: { ...ROOT, pathLength: 1 },
    middles: [MIDDLE],
  },
  {
    what: 'pathLen 0 of an intermediate over another',
    fault: TOO_LONG,
    middles: [MIDDLE, { ...MIDDLE, pathLength: 0 }],
  },
  {
    what: 'pathLen 0 over an intermediate of the same name',
    fault: null,
    root: { ...ROOT, pathLength: 0 },
    middles: [{ ...MIDDLE, name: 'Root' }],
  },
  { what: 'a name that the root allows', fault: null, root: { ...ROOT, permittedName: 'Stamper' } },
  {
    what: 'a name that the root does not allow',
    fault: /does not allow/,
    root: { ...ROOT, permittedName: 'Other' },
  },
  { what: 'a signer that its root has not signed', fault: NO_ISSUER, leaf: { ...LEAF, isForged: true } },
  {
    what: 'an intermediate that no one has signed',
    fault: NO_ISSUER,
    middles: [{ ...MIDDLE, isForged: true }],
  },
  {
    what: 'the intermediate is not sent along',
    fault: NO_ISSUER,
    middles: [MIDDLE],
    inToken: ({ leaf }) => [leaf],
  },
  {
    what: 'the chain in the wrong order',
    fault: null,
    middles: [MIDDLE, MIDDLE],
    inToken: ({ leaf, middles }) => [...middles.toReversed(), leaf],
  },
  {
    what: 'the intermediate lies with the roots',
    fault: null,
    middles: [MIDDLE],
    inToken: ({ leaf }) => [leaf],
    roots: ({ root, middles }) => [root, ...middles],
  },
  {
    what: 'only the intermediate is trusted',
    fault: NO_ISSUER,
    middles: [MIDDLE],
    roots: ({ middles }) => middles,
  },
  { what: 'only the signer is trusted', fault: NO_ISSUER, roots: ({ leaf }) => [leaf] },
  {
    what: 'the root in the token is not the trusted one',
    fault: NO_ISSUER,
    inToken: ({ leaf, root }) => [leaf, root],
    roots: async () => [await makeCertificate(ROOT, null)],
  },
  { what: 'the token names no certificate', fault: /does not say which/, token: () => ({ named: null }) },
  { what: 'the token has an empty list of them', fault: /does not say which/, token: () => ({ named: [] }) },
  {
    what: 'the token names another certificate',
    fault: /another certificate has signed it/,
    token: async ({ root }) => ({ named: [(await makeCertificate(LEAF, root)).certificate] }),
  },
  {
    what: 'the token names its chain',
    fault: null,
    middles: [MIDDLE],
    token: ({ leaf, middles, root }) => ({
      named: [leaf, ...middles, root].map(({ certificate }) => certificate),
    }),
  },
  {
    what: 'the token names its chain from above',
    fault: /another certificate has signed it/,
    token: ({ leaf, root }) => ({ named: [root, leaf].map(({ certificate }) => certificate) }),
  },
  { what: 'the token gives its signer’s name', fault: null, token: () => ({ tsa: 'Stamper' }) },
  {
    what: 'the token gives another name',
    fault: /names another authority/,
    token: () => ({ tsa: 'Somebody' }),
  },
  {
    what: 'a token of another kind',
    fault: /holds no timestamp/,
    token: () => ({ contentType: '1.2.840.113549.1.7.1' }),
  },
  { what: 'a token of another version', fault: /is of version 2/, token: () => ({ version: 2 }) },
];

let folder: TemporaryFolder;

before(async () => {
  folder = await makeTemporaryFolder();
  await writeFile(join(folder.path, 'data'), BYTES);
});

after(() => folder[Symbol.asyncDispose]());

for (const row of ROWS) {
  test(`${row.fault === null ? 'holds' : 'refused'}: ${row.what}`, async () => {
    const root = await makeCertificate(row.root ?? ROOT, null);
    const middles: Made[] = [];
    for (const plan of (row.middles ?? []).toReversed()) {
      middles.unshift(await makeCertificate(plan, middles[0] ?? root));
    }
    const leaf = await makeCertificate(row.leaf ?? LEAF, middles[0] ?? root);
    const chain = { leaf, middles, root };
    const inToken = (row.inToken?.(chain) ?? [leaf, ...middles]).map(({ certificate }) => certificate);
    const reply = await stamp(BYTES, leaf, inToken, (await row.token?.(chain)) ?? {});
    const roots = ((await row.roots?.(chain)) ?? [root]).map(({ certificate }) => certificate);
    const theirs = await judgeByOpenssl(reply, toPem(roots));
    equal(theirs.holds, row.fault === null, theirs.said);
    const ours = await judgeTimestamp(reply, { bytes: BYTES, rootsPem: toPem(roots) }).catch(
      (error: Error) => error,
    );
    if (row.fault === null) ok(!(ours instanceof Error), String(ours));
    else {
      ok(ours instanceof TimestampError, `expected ${row.fault}; openssl said ${theirs.said}`);
      match(ours.message, row.fault);
    }
  });
}

async function judgeByOpenssl(reply: Buffer, rootsPem: string): Promise<{ holds: boolean; said: string }> {
  await writeFile(join(folder.path, 'reply'), reply);
  await writeFile(join(folder.path, 'roots.pem'), rootsPem);
  const at = ['-attime', String(NOW.getTime() / 1000)];
  const order = ['ts', '-verify', ...at, '-data', 'data', '-in', 'reply', '-CAfile', 'roots.pem'];
  const { status, stdout, stderr } = spawnSync('openssl', order, { cwd: folder.path, encoding: 'utf8' });
  return { holds: status === 0, said: `${stdout}${stderr}` };
}
