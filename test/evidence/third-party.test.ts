/** A package is judged with sha256sum, diff, openssl and ssh-keygen by its own commands, and by `evidence verify`. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { openStampable, planTimestamps, withMembers } from '../../src/evidence/add-members.ts';
import { judgePackage } from '../../src/evidence/judge-package.ts';
import { isOutsideTagManifest } from '../../src/evidence/members.ts';
import { REQUIRED_MEMBERS } from '../../src/evidence/required-members.ts';
import { toTimestampQuery } from '../../src/evidence/timestamps/timestamp.ts';
import type { SigningKey } from '../../src/machinery/signing-key.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../temporary-folder.ts';
import {
  makePackage,
  newKey,
  putTogether,
  readCommands,
  samplePayload,
  takeApart,
  unpack,
} from './made-package.ts';
import { startAuthority } from './timestamp-authority.ts';

let folder: TemporaryFolder;
let key: SigningKey;
let whole: Map<string, Buffer>;
/** VERIFY.txt as a reader was given it: one in a forged package would say anything. */
let instructions: string;
const ORIGINAL = Buffer.from('the original, byte for byte');
const HASH = createHash('sha256').update(ORIGINAL).digest('hex');

before(async () => {
  folder = await makeTemporaryFolder();
  key = await newKey(folder.path);
  const zip = join(folder.path, 'whole.zip');
  await writeFile(zip, await makePackage({ key, payload: samplePayload(key, HASH, ORIGINAL) }));
  whole = await takeApart(zip);
  instructions = join(folder.path, 'instructions');
  await unpack(new Map([['VERIFY.txt', whole.get('VERIFY.txt') ?? Buffer.alloc(0)]]), instructions);
});

after(() => folder[Symbol.asyncDispose]());

interface Judged {
  /** The output of each command that failed. */
  failures: string[];
  /** Each `member: fault` that `evidence verify` reports. */
  faults: string[];
}

let made = 0;

interface Unpacked {
  /** Changes the unpacked package. */
  disturb?: (place: string) => Promise<void>;
  fingerprints?: string[];
}

async function judge(
  members: ReadonlyMap<string, Buffer>,
  { disturb, fingerprints = [] }: Unpacked = {},
): Promise<Judged> {
  made += 1;
  const place = join(folder.path, `unpacked-${made}`);
  await unpack(members, place);
  await disturb?.(place);
  const failures: string[] = [];
  for (const command of await readCommands(instructions)) {
    const shown = runAsReader(command, place);
    if (shown !== null) failures.push(shown);
  }
  const zip = join(folder.path, `judged-${made}.zip`);
  await putTogether(members, zip);
  const { faults } = await judgePackage({ path: zip, fingerprints });
  await rm(place, { recursive: true });
  return { failures, faults: faults.map(({ member, fault }) => `${member}: ${fault}`) };
}

/** Runs a step of VERIFY.txt by sh: null if it holds, otherwise what the reader sees. */
function runAsReader(command: string, place: string): string | null {
  const named = command.replaceAll('/tmp/', `${place}-`);
  const { status, stdout, stderr } = spawnSync('sh', ['-c', named], { cwd: place, encoding: 'utf8' });
  const isSilentIfGood = /^(?:ls|find|\{) /.test(command);
  const isOtherKey = command.includes('-l -f') && !stdout.includes(key.fingerprint);
  const holds = status === 0 && !isOtherKey && !(isSilentIfGood && stdout !== '');
  return holds ? null : `${command}\n${stdout}${stderr}`;
}

function changed(path: string, bytes: Buffer | null): Map<string, Buffer> {
  const members = new Map(whole);
  if (bytes === null) members.delete(path);
  else members.set(path, bytes);
  return members;
}

function flipped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  const at = Math.floor(copy.length / 2);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}

test('an untouched package verifies with the tools alone, and by evidence verify', async () => {
  deepEqual(await judge(whole, { fingerprints: [key.fingerprint] }), { failures: [], faults: [] });
  equal((await readCommands(instructions)).length, 7);
});

test('one flipped byte in any member fails, and names it', async () => {
  for (const [path, bytes] of whole) {
    const { failures, faults } = await judge(changed(path, flipped(bytes)));
    ok(
      failures.some((shown) => shown.includes(path)),
      `${path}: ${failures.join()}`,
    );
    ok(
      faults.some((fault) => fault.startsWith(`${path}:`) || fault.includes(path)),
      `${path}: ${faults.join()}`,
    );
  }
});

test('a line among those of the SSH signature fails, though the bytes decode to the same', async () => {
  const path = 'signature.sshsig';
  const [head, ...lines] = (whole.get(path)?.toString() ?? '').split('\n');
  const { failures, faults } = await judge(changed(path, Buffer.from([head, '«…»', ...lines].join('\n'))));
  match(failures.join('\n'), /signature\.sshsig/);
  match(faults.join('\n'), /^signature\.sshsig: is no signature/m);
});

test('a removed member fails, and is named', async () => {
  for (const path of whole.keys()) {
    const { failures, faults } = await judge(changed(path, null));
    ok(
      failures.some((shown) => shown.includes(path)),
      `${path}: ${failures.join()}`,
    );
    ok(
      faults.some((fault) => fault.includes(path)),
      `${path}: ${faults.join()}`,
    );
  }
});

test('an added member fails, and is named', async () => {
  const path = 'data/original/another.jpg';
  const { failures, faults } = await judge(changed(path, Buffer.from('added')));
  ok(failures.some((shown) => shown.includes(path)));
  match(faults.join('\n'), /data\/original\/another\.jpg: was added/);
  match((await judge(changed('README.txt', Buffer.from('added')))).faults.join(), /README\.txt: was added/);
});

test('the steps find what is added after unpacking: a file beside the lists, links, folders, odd names', async () => {
  const additions: Record<string, (place: string) => Promise<unknown>> = {
    'README.txt': (place) => writeFile(join(place, 'README.txt'), 'all is well'),
    'data/more/note.txt': async (place) => {
      await mkdir(join(place, 'data/more'));
      await writeFile(join(place, 'data/more/note.txt'), 'of another day');
    },
    'keys/extra.pem': (place) => writeFile(join(place, 'keys/extra.pem'), 'another key'),
    'data/original/link.jpg': (place) => symlink('bridge.jpg', join(place, 'data/original/link.jpg')),
    'timestamp-1.tsr': (place) => symlink('/etc/hostname', join(place, 'timestamp-1.tsr')),
    'timestamp-100.tsr': (place) => writeFile(join(place, 'timestamp-100.tsr'), 'no token'),
    'data/empty': (place) => mkdir(join(place, 'data/empty')),
    'data/report.pdf': async (place) => {
      await rename(join(place, 'data/report.pdf'), join(folder.path, 'elsewhere.pdf'));
      await symlink(join(folder.path, 'elsewhere.pdf'), join(place, 'data/report.pdf'));
    },
    'timestamp-2.tsr': async (place) => {
      await mkdir(join(place, 'timestamp-2.tsr\n.'));
      await writeFile(join(place, 'timestamp-2.tsr\n./tsa-chain.pem'), 'two lines in a list');
    },
  };
  for (const [path, add] of Object.entries(additions)) {
    const { failures } = await judge(whole, { disturb: async (place) => void (await add(place)) });
    // The file is named in the output, not only in the command.
    const printed = failures.map((shown) => shown.slice(shown.indexOf('\n')));
    ok(
      printed.some((text) => text.includes(path)),
      `${path}: ${printed.join()}`,
    );
  }
});

test('a forgery without key, signatures and attestation is refused, and each is named', async () => {
  const taken = [
    ...['keys/assay.pub.pem', 'keys/allowed_signers', 'attestation.dsse.json'],
    ...['signature.ed25519', 'signature.sshsig'],
  ];
  const { failures, faults } = await judge(forgedWithout(taken));
  for (const member of taken)
    match(faults.join('\n'), new RegExp(`^${member}: is missing: a package must`, 'm'));
  equal(faults.length, taken.length, faults.join('\n'));
  for (const member of taken) ok(failures[0]?.includes(member), failures[0]);
  const asked = await judge(forgedWithout(taken), { fingerprints: [key.fingerprint] });
  match(asked.faults.join('\n'), /^keys\/assay\.pub\.pem: expected the key SHA256:.*, found none/m);
});

/** Another title and report, without these members; both lists made anew so that every hash agrees. */
function forgedWithout(taken: readonly string[]): Map<string, Buffer> {
  const members = new Map([...whole].filter(([path]) => !taken.includes(path)));
  members.set('data/report.pdf', Buffer.from('%PDF-1.7, with another finding'));
  const listOf = (isIn: (path: string) => boolean) =>
    [...members]
      .filter(([path]) => isIn(path))
      .map(([path, bytes]) => `${createHash('sha256').update(bytes).digest('hex')}  ${path}\n`)
      .join('');
  members.set('manifest-sha256.txt', Buffer.from(listOf((path) => path.startsWith('data/'))));
  const isTag = (path: string) => !path.startsWith('data/') && !isOutsideTagManifest(path);
  return members.set('tagmanifest-sha256.txt', Buffer.from(listOf(isTag)));
}

test('a missing member that the table demands is reported by its row, even if all is signed', async () => {
  for (const { path, scope, shows } of REQUIRED_MEMBERS) {
    if (!['finding', 'record'].includes(scope)) continue;
    const member = scope === 'record' ? `data/${path}` : path;
    const payload = samplePayload(key, HASH, ORIGINAL);
    // The sample's analysis ended without a result, so that its figures are not demanded.
    if (path === 'figures.json') payload.set('data/record.json', withResult(payload));
    if (path === 'manifest/') payload.set('data/record.json', withManifest(payload));
    const isGone = (name: string) => name === member || (member.endsWith('/') && name.startsWith(member));
    for (const name of [...payload.keys()].filter(isGone)) payload.delete(name);
    const zip = join(folder.path, 'incomplete.zip');
    await writeFile(zip, await makePackage({ key, payload }));
    const { faults } = await judgePackage({ path: zip, fingerprints: [key.fingerprint] });
    ok(
      faults.some((found) => found.member === member && found.fault.endsWith(`it shows ${shows}`)),
      `${member}: ${JSON.stringify(faults)}`,
    );
  }
});

function withManifest(payload: ReadonlyMap<string, Buffer>): Buffer {
  const record = JSON.parse(payload.get('data/record.json')?.toString('utf8') ?? '');
  const manifest = { member: 'data/manifest/photo.jpg.c2pa', sha256: HASH };
  return Buffer.from(JSON.stringify({ ...record, manifest }));
}

function withResult(payload: ReadonlyMap<string, Buffer>): Buffer {
  const record = JSON.parse(payload.get('data/record.json')?.toString('utf8') ?? '');
  return Buffer.from(JSON.stringify({ ...record, status: 'done' }));
}

test('case, attestation and folders that name other records are reported, though all is signed', async () => {
  const judgeWith = async (member: string, text: string) => {
    const payload = samplePayload(key, HASH, ORIGINAL).set(member, Buffer.from(text));
    const zip = join(folder.path, 'disagreeing.zip');
    await writeFile(zip, await makePackage({ key, payload, predicate: { findings: [] } }));
    const { faults } = await judgePackage({ path: zip, fingerprints: [] });
    return faults.map(({ member: at, fault }) => `${at}: ${fault}`).join('\n');
  };
  const other = JSON.stringify({ records: [{ folder: 'data/records/001-x/' }] });
  match(await judgeWith('data/case.json', other), /^data\/case\.json: names other records/m);
  match(
    await judgeWith('data/maps/heatmap.png', 'another'),
    /^attestation\.dsse\.json: states findings of other records/m,
  );
});

test('a file that was submitted as record.json is an original, not a record', async () => {
  const payload = samplePayload(key, HASH, ORIGINAL);
  payload.delete('data/original/bridge.jpg');
  payload.set('data/original/record.json', ORIGINAL);
  const zip = join(folder.path, 'odd-name.zip');
  await writeFile(zip, await makePackage({ key, payload }));
  deepEqual((await judgePackage({ path: zip, fingerprints: [] })).faults, []);
});

test('a swapped original fails, even where the lists were made anew', async () => {
  const other = Buffer.from('another picture');
  const path = 'data/original/bridge.jpg';
  const { failures, faults } = await judge(changed(path, other));
  match(failures.join('\n'), /data\/original\/bridge\.jpg: FAILED/);
  match(faults.join('\n'), /data\/original\/bridge\.jpg: is not as it was packed/);
  const manifest = whole.get('manifest-sha256.txt')?.toString('utf8') ?? '';
  const relisted = changed(path, other).set(
    'manifest-sha256.txt',
    Buffer.from(manifest.replace(HASH, createHash('sha256').update(other).digest('hex'))),
  );
  match((await judge(relisted)).failures.join('\n'), /manifest-sha256\.txt: FAILED/);
});

test('a package made anew under another key fails where the key is known', async () => {
  const forger = await newKey(folder.path);
  const zip = join(folder.path, 'forged.zip');
  await writeFile(zip, await makePackage({ key: forger, payload: samplePayload(forger, HASH, ORIGINAL) }));
  const { failures, faults } = await judge(await takeApart(zip), { fingerprints: [key.fingerprint] });
  equal(failures.length, 1);
  match(failures[0] ?? '', /allowed_signers/);
  match(faults.join('\n'), /keys\/assay\.pub\.pem: is another key: expected SHA256:.*, found SHA256:/);
});

test('a record whose original is another file is reported, though everything is signed', async () => {
  const zip = join(folder.path, 'mismatch.zip');
  await writeFile(zip, await makePackage({ key, payload: samplePayload(key, '0'.repeat(64), ORIGINAL) }));
  const { faults } = await judgePackage({ path: zip, fingerprints: [] });
  match(JSON.stringify(faults), /bridge\.jpg.*is not the file that data\/record\.json speaks of/);
});

test('nothing is signed if the entry before the signature cannot be written', async () => {
  const beforeSignature = () => Promise.reject(new Error('the disk is full'));
  const payload = samplePayload(key, HASH, ORIGINAL);
  const refused = await makePackage({ key, payload, beforeSignature }).catch((error: Error) => error);
  match(String(refused), /the disk is full/);
});

test('a token verifies with openssl alone, and by evidence verify; each change of it is found', async () => {
  await using authority = await startAuthority();
  await using stranger = await startAuthority('Stranger');
  const signature = whole.get('signature.ed25519') ?? Buffer.alloc(0);
  const reply = await authority.answer(toTimestampQuery(signature).query);
  const zip = join(folder.path, 'stamped.zip');
  await putTogether(whole, zip);
  const { members } = await planTimestamps(await openStampable(zip), [reply], authority.rootPem);
  await writeFile(zip, await buffer(Readable.from(withMembers(zip, members))));
  const stamped = await takeApart(zip);
  deepEqual([...stamped.keys()].sort(), [...whole.keys(), 'timestamp-1.tsr', 'tsa-chain.pem'].sort());
  deepEqual(await judge(stamped, { fingerprints: [key.fingerprint] }), { failures: [], faults: [] });
  const roots = { path: zip, fingerprints: [], timestampRootsPem: authority.rootPem };
  const { timestamps } = await judgePackage(roots);
  deepEqual([timestamps[0]?.authority, timestamps[0]?.root], ['Test Authority', 'given']);
  equal((await openssl(stamped, timestamps[0]?.time)).status, 0);
  const other = await authority.answer(toTimestampQuery(Buffer.from('of another package')).query);
  const late = Buffer.from(reply);
  late[late.length - 20] = (late[late.length - 20] ?? 0) ^ 1;
  const [token, chain] = ['timestamp-1.tsr', 'tsa-chain.pem'];
  for (const [path, bytes, expected] of [
    [token, late, /^timestamp-1\.tsr: is not signed by the certificate in it$/],
    [token, other, /^timestamp-1\.tsr: is a timestamp of other bytes/],
    [token, Buffer.from('garbage'), /^timestamp-1\.tsr: is no reply of a timestamp authority/],
    [chain, Buffer.from(stranger.rootPem), /^timestamp-1\.tsr: .* does not lead to the given roots$/],
    [chain, Buffer.from('garbage'), /^tsa-chain\.pem: holds no certificate in PEM$/],
    ['timestamp-2.tsr', other, /^timestamp-2\.tsr: is a timestamp of other bytes/],
  ] as const) {
    const members = new Map(stamped).set(path, bytes);
    match((await judge(members)).faults.join('\n'), expected);
    if (path !== 'timestamp-2.tsr') ok((await openssl(members, timestamps[0]?.time)).status !== 0, path);
  }
  const strangers = { ...roots, timestampRootsPem: stranger.rootPem };
  match(JSON.stringify((await judgePackage(strangers)).faults), /does not lead to the given roots/);
  // It was added after the signature: without it the package says no time, and is whole.
  const without = new Map(stamped);
  without.delete(token);
  deepEqual(await judge(without), { failures: [], faults: [] });
});

/** The command of VERIFY.txt, at the time that the first of the two commands shows. */
async function openssl(members: ReadonlyMap<string, Buffer>, time = ''): Promise<{ status: number | null }> {
  made += 1;
  const place = join(folder.path, `stamped-${made}`);
  await unpack(members, place);
  const text = whole.get('VERIFY.txt')?.toString('utf8') ?? '';
  const command = /openssl ts -verify .*/.exec(text)?.[0] ?? 'false';
  const atTime = command.replace('SECONDS', String(Math.floor(Date.parse(time) / 1000)));
  return spawnSync('bash', ['-c', atTime], { cwd: place });
}
