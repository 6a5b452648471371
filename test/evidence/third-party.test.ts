/**
 * The third party: a package is judged with sha256sum, diff, openssl and ssh-keygen alone, by the commands that lie in it, and by
 * `evidence verify`. Whatever is changed, each tells where.
 */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { judgePackage } from '../../src/evidence/judge-package.ts';
import { openStampable, planTimestamps, withMembers } from '../../src/evidence/timestamps/add-members.ts';
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
const ORIGINAL = Buffer.from('the original, byte for byte');
const HASH = createHash('sha256').update(ORIGINAL).digest('hex');

before(async () => {
  folder = await makeTemporaryFolder();
  key = await newKey(folder.path);
  const zip = join(folder.path, 'whole.zip');
  await writeFile(zip, await makePackage({ key, payload: samplePayload(HASH, ORIGINAL) }));
  whole = await takeApart(zip);
});

after(() => folder[Symbol.asyncDispose]());

interface Judged {
  /** What each command printed, those that failed. */
  failures: string[];
  /** `member: fault` as `evidence verify` tells them. */
  faults: string[];
}

let made = 0;

async function judge(members: ReadonlyMap<string, Buffer>, fingerprints: string[] = []): Promise<Judged> {
  made += 1;
  const place = join(folder.path, `unpacked-${made}`);
  await unpack(members, place);
  // The commands as they were given to the reader: an attacker's would say anything.
  const instructions = join(folder.path, 'instructions');
  await unpack(new Map([['VERIFY.txt', whole.get('VERIFY.txt') ?? Buffer.alloc(0)]]), instructions);
  const failures: string[] = [];
  for (const command of await readCommands(instructions)) {
    const named = command.replaceAll('/tmp/', `${place}-`);
    const { status, stdout, stderr } = spawnSync('bash', ['-c', `set -o pipefail; ${named}`], {
      cwd: place,
      encoding: 'utf8',
    });
    const shown = `${command}\n${stdout}${stderr}`;
    if (status !== 0 || (command.includes('-l -f') && !stdout.includes(key.fingerprint)))
      failures.push(shown);
  }
  const zip = join(folder.path, `judged-${made}.zip`);
  await putTogether(members, zip);
  const { faults } = await judgePackage({ path: zip, fingerprints });
  await rm(place, { recursive: true });
  return { failures, faults: faults.map(({ member, fault }) => `${member}: ${fault}`) };
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
  deepEqual(await judge(whole, [key.fingerprint]), { failures: [], faults: [] });
  equal((await readCommands(await unpackedInstructions())).length, 5);
});

async function unpackedInstructions(): Promise<string> {
  const place = join(folder.path, 'as-given');
  await unpack(whole, place);
  return place;
}

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
  await writeFile(zip, await makePackage({ key: forger, payload: samplePayload(HASH, ORIGINAL) }));
  const { failures, faults } = await judge(await takeApart(zip), [key.fingerprint]);
  equal(failures.length, 1);
  match(failures[0] ?? '', /allowed_signers/);
  match(faults.join('\n'), /keys\/assay\.pub\.pem: is another key: expected SHA256:.*, found SHA256:/);
});

test('a record whose original is another file is told, though everything is signed', async () => {
  const zip = join(folder.path, 'mismatch.zip');
  await writeFile(zip, await makePackage({ key, payload: samplePayload('0'.repeat(64), ORIGINAL) }));
  const { faults } = await judgePackage({ path: zip, fingerprints: [] });
  match(JSON.stringify(faults), /bridge\.jpg.*is not the file that data\/record\.json speaks of/);
});

test('nothing is signed where what must stand before the signature cannot be written', async () => {
  const beforeSignature = () => Promise.reject(new Error('the disk is full'));
  const payload = samplePayload(HASH, ORIGINAL);
  const refused = await makePackage({ key, payload, beforeSignature }).catch((error: Error) => error);
  match(String(refused), /the disk is full/);
});

test('a token verifies with openssl alone, and by evidence verify; each change of it is told', async () => {
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
  deepEqual(await judge(stamped, [key.fingerprint]), { failures: [], faults: [] });
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
