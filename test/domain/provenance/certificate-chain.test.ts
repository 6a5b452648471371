/** A table of certificate chains of signers: each is judged by `openssl verify` and by us, and both must say the same. */
import { equal, match, ok } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { findChain, keyFault, MEDIA_SIGNING } from '../../../src/domain/provenance/certificate-chain.ts';
import {
  type CertificatePlan,
  type Made,
  makeCertificate,
  NOW,
  toPem,
} from '../../evidence/stamping-chains.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../temporary-folder.ts';

const SIGN = 0x80;
const SIGN_CERTIFICATES = 0x04;
const EMAIL = '1.3.6.1.5.5.7.3.4';
const SERVER = '1.3.6.1.5.5.7.3.1';
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
const ROOT: CertificatePlan = { name: 'Root', isCa: true, keyUsage: SIGN_CERTIFICATES };
const MIDDLE: CertificatePlan = { isCa: true, keyUsage: SIGN_CERTIFICATES };
const LEAF: CertificatePlan = { name: 'BBC', isCa: false, keyUsage: SIGN, purposes: [EMAIL] };
const ENDED = new Date(NOW.getTime() - 1000);

interface Row {
  what: string;
  /** Null if the chain holds. */
  fault: RegExp | null;
  /** OpenSSL's judgement if it differs from ours. */
  theirs?: false;
  leaf?: CertificatePlan;
  /** The certificates between leaf and root, from the leaf upwards. */
  middles?: CertificatePlan[];
  root?: CertificatePlan;
  /** The certificates on the list; the root by default. */
  anchors?: (chain: { leaf: Made; middles: Made[]; root: Made }) => Made[];
}

const MAY_NOT = /may not issue certificates|does not lead/;
const OTHER_USE = /is made for other purposes/;

const ROWS: readonly Row[] = [
  { what: 'two sub-authorities', fault: null, middles: [MIDDLE, MIDDLE] },
  {
    what: 'a sub-authority below pathlen:0',
    fault: /allows 0/,
    middles: [MIDDLE, { ...MIDDLE, pathLength: 0 }],
  },
  { what: 'a root of pathlen:0', fault: /allows 0/, middles: [MIDDLE], root: { ...ROOT, pathLength: 0 } },
  {
    what: 'a listed sub-authority of pathlen:0',
    fault: /allows 0/,
    middles: [MIDDLE, { ...MIDDLE, pathLength: 0 }],
    anchors: ({ middles }) => middles.slice(1),
  },
  { what: 'a listed CA:FALSE that issues', fault: MAY_NOT, root: { ...LEAF, name: 'Desk' } },
  { what: 'a listed CA:FALSE itself', fault: null, anchors: ({ leaf }) => [leaf] },
  { what: 'a CA:FALSE as sub-authority', fault: MAY_NOT, middles: [{ ...MIDDLE, isCa: false }] },
  { what: 'a sub-authority that does not say it', fault: MAY_NOT, middles: [{ ...MIDDLE, isCa: null }] },
  { what: 'a sub-authority of version 1', fault: MAY_NOT, middles: [{ version: 0 }] },
  { what: 'a sub-authority without keyCertSign', fault: MAY_NOT, middles: [{ ...MIDDLE, keyUsage: SIGN }] },
  { what: 'a root without keyCertSign', fault: MAY_NOT, root: { ...ROOT, keyUsage: SIGN } },
  { what: 'a root of version 1', fault: null, root: { name: 'Old', version: 0 } },
  { what: 'a sub-authority for serverAuth', fault: OTHER_USE, middles: [{ ...MIDDLE, purposes: [SERVER] }] },
  { what: 'one for time stamps', fault: OTHER_USE, middles: [{ ...MIDDLE, purposes: [TIME_STAMPING] }] },
  { what: 'one for serverAuth and mail', fault: null, middles: [{ ...MIDDLE, purposes: [SERVER, EMAIL] }] },
  {
    what: 'one for what Adobe issues',
    fault: null,
    theirs: false,
    middles: [{ ...MIDDLE, purposes: ['1.2.840.113583.1.1.7'] }],
  },
  { what: 'a signer for serverAuth', fault: OTHER_USE, leaf: { ...LEAF, purposes: [SERVER] } },
  {
    what: 'a sub-authority for another of the signer’s uses',
    fault: OTHER_USE,
    leaf: { ...LEAF, purposes: [EMAIL, SERVER] },
    middles: [{ ...MIDDLE, purposes: [SERVER] }],
  },
  { what: 'a listed sub-authority', fault: null, middles: [MIDDLE], anchors: ({ middles }) => middles },
  { what: 'a sub-authority that has ended', fault: /ended/, middles: [{ ...MIDDLE, notAfter: ENDED }] },
  { what: 'a root that has ended', fault: /ended/, root: { ...ROOT, notAfter: ENDED } },
  {
    what: 'an unknown critical extension',
    fault: /not known/,
    middles: [{ ...MIDDLE, unknownCritical: '1.2.3' }],
  },
  { what: 'a name that is not allowed', fault: /does not allow/, root: { ...ROOT, permittedName: 'Desk' } },
  { what: 'a signer of RSA 2048', fault: null, leaf: { ...LEAF, rsaBits: 2048 } },
  { what: 'a signer of RSA 1024', fault: /1024 bits/, leaf: { ...LEAF, rsaBits: 1024 } },
  { what: 'a sub-authority of RSA 1024', fault: /1024 bits/, middles: [{ ...MIDDLE, rsaBits: 1024 }] },
  { what: 'a root of RSA 1024', fault: /1024 bits/, root: { ...ROOT, rsaBits: 1024 } },
  { what: 'a forged signer', fault: MAY_NOT, leaf: { ...LEAF, isForged: true } },
  { what: 'a forged sub-authority', fault: MAY_NOT, middles: [{ ...MIDDLE, isForged: true }] },
];

let folder: TemporaryFolder;

before(async () => {
  folder = await makeTemporaryFolder();
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
    const anchors = row.anchors?.({ leaf, middles, root }) ?? [root];
    const theirs = await judgeByOpenssl({ leaf, middles, anchors });
    equal(theirs.holds, row.theirs ?? row.fault === null, theirs.said);
    const ours = findChain({
      signer: toX509(leaf),
      others: middles.map(toX509),
      anchors: anchors.map(toX509),
      isToRoot: false,
      purposes: MEDIA_SIGNING,
      at: NOW,
    });
    if (row.fault === null) ok(typeof ours !== 'string', String(ours));
    else match(String(ours), row.fault);
  });
}

test('a key of 2,047 bits is refused, one of 2,048 is taken', async () => {
  const faults = [2047, 2048].map((rsaBits) => makeCertificate({ ...LEAF, rsaBits }, null));
  const [short, long] = (await Promise.all(faults)).map((made) => keyFault(toX509(made)));
  match(short ?? '', /2047 bits; at least 2048/);
  equal(long, null);
});

test('a key on a curve that nobody knows is refused in words, in a signer, an intermediate and a root', async () => {
  const root = await makeCertificate(ROOT, null);
  const middle = await makeCertificate(MIDDLE, root);
  const leaf = await makeCertificate(LEAF, middle);
  for (const odd of [leaf, middle, root]) {
    const [signer, other, anchor] = [leaf, middle, root].map((made) =>
      made === odd ? onUnknownCurve(made) : toX509(made),
    );
    ok(signer !== undefined && other !== undefined && anchor !== undefined);
    const order = { signer, others: [other], anchors: [anchor], purposes: MEDIA_SIGNING, at: NOW };
    for (const isToRoot of [false, true]) equal(typeof findChain({ ...order, isToRoot }), 'string');
  }
  equal(keyFault(onUnknownCurve(leaf)), 'has a key that cannot be read');
});

const P256 = Buffer.from('06082a8648ce3d030107', 'hex');

function onUnknownCurve({ certificate }: Made): X509Certificate {
  const bytes = Buffer.from(certificate.toSchema(true).toBER());
  const at = bytes.indexOf(P256);
  ok(at > 0);
  bytes[at + P256.length - 1] = 0x63;
  return new X509Certificate(bytes);
}

function toX509({ certificate }: Made): X509Certificate {
  return new X509Certificate(Buffer.from(certificate.toSchema(true).toBER()));
}

interface Chain {
  leaf: Made;
  middles: Made[];
  anchors: Made[];
}

/** Level 2 asks for keys of 112 bits of strength, which RSA has from 2,048 on. */
async function judgeByOpenssl({ leaf, middles, anchors }: Chain): Promise<{ holds: boolean; said: string }> {
  for (const [name, made] of Object.entries({ leaf: [leaf], middles, anchors })) {
    await writeFile(join(folder.path, name), toPem(made.map(({ certificate }) => certificate)));
  }
  const rules = ['-partial_chain', '-auth_level', '2', '-purpose', 'smimesign'];
  const files = [
    '-no-CApath',
    '-no-CAstore',
    '-CAfile',
    'anchors',
    ...(middles.length > 0 ? ['-untrusted', 'middles'] : []),
  ];
  const order = ['verify', ...rules, '-attime', String(NOW.getTime() / 1000), ...files, 'leaf'];
  const { status, stdout, stderr } = spawnSync('openssl', order, { cwd: folder.path, encoding: 'utf8' });
  return { holds: status === 0, said: `${stdout}${stderr}` };
}
