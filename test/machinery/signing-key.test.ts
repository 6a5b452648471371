import { deepEqual, equal, match, notEqual, ok, rejects } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, verify } from 'node:crypto';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  PUBLISHED_KEYS_FILE,
  SIGNING_KEY_FILE,
  SigningKeyError,
  SigningKeys,
  toSshPublicKey,
} from '../../src/machinery/signing-key.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const BYTES = Buffer.from('what is signed');

function open(folder: string, givenPem: string | null = null, now = 1) {
  return SigningKeys.open({ folder, givenPem, now: () => now });
}

function newPem(): string {
  return String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
}

test('the first start makes the key, for its owner only; later ones read it', async () => {
  await using folder = await makeTemporaryFolder();
  const first = await open(folder.path);
  const { mode } = await stat(join(folder.path, SIGNING_KEY_FILE));
  equal(mode & 0o777, 0o600);
  const key = first.current();
  equal(key.createdAt, 1);
  ok(verify(null, BYTES, key.publicKeyPem, key.sign(BYTES)));
  equal((await open(folder.path, null, 2)).current().fingerprint, key.fingerprint);
});

test('the fingerprint is what ssh-keygen shows', async () => {
  await using folder = await makeTemporaryFolder();
  const key = (await open(folder.path)).current();
  const path = join(folder.path, 'assay.pub');
  await writeFile(path, `${toSshPublicKey(key.rawPublicKey)}\n`);
  ok(execFileSync('ssh-keygen', ['-l', '-f', path], { encoding: 'utf8' }).includes(` ${key.fingerprint} `));
});

test('a rotation signs with a new key and leaves the old one published, over starts', async () => {
  await using folder = await makeTemporaryFolder();
  const keys = await open(folder.path);
  const before = keys.current();
  const signature = before.sign(BYTES);
  const [second, third] = await Promise.all([keys.rotate(), keys.rotate()]);
  equal(new Set([before, second, third].map(({ fingerprint }) => fingerprint)).size, 3);
  const again = await open(folder.path, null, 2);
  equal(again.current().fingerprint, third.fingerprint);
  deepEqual(
    again.published().map(({ fingerprint, retiredAt }) => [fingerprint, retiredAt]),
    [[third.fingerprint, null], ...[second, before].map(({ fingerprint }) => [fingerprint, 1])],
  );
  const old = again.published().at(-1);
  ok(old !== undefined && verify(null, BYTES, old.publicKeyPem, signature));
});

test('a box restored without its secrets signs with a new key and publishes the old one', async () => {
  await using folder = await makeTemporaryFolder();
  const before = (await open(folder.path)).current();
  await rm(join(folder.path, SIGNING_KEY_FILE));
  const keys = await open(folder.path, null, 2);
  notEqual(keys.current().fingerprint, before.fingerprint);
  equal(keys.published().at(-1)?.fingerprint, before.fingerprint);
});

test('a given key wins, is written nowhere, and is not rotated here', async () => {
  await using folder = await makeTemporaryFolder();
  const own = (await open(folder.path)).current();
  const pem = newPem();
  const given = await open(folder.path, pem, 2);
  notEqual(given.current().fingerprint, own.fingerprint);
  await rejects(given.rotate(), /given by the setting evidence\.signing_key/);
  const [, secret = ''] = pem.split('\n');
  for (const name of [SIGNING_KEY_FILE, PUBLISHED_KEYS_FILE]) {
    ok(!(await readFile(join(folder.path, name), 'utf8')).includes(secret));
  }
  const back = await open(folder.path, null, 3);
  equal(back.current().fingerprint, own.fingerprint);
  deepEqual(
    back.published().map(({ retiredAt }) => retiredAt),
    [null, 3],
  );
});

test('a damaged file stops the start, with what was found and what to do', async () => {
  const rsa = String(
    generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
  );
  const cases = [
    { name: SIGNING_KEY_FILE, text: 'torn', refusal: /evidence-signing\.key is damaged: .*found no private/ },
    { name: SIGNING_KEY_FILE, text: rsa, refusal: /expected an Ed25519 .*found a key of type rsa/ },
    { name: PUBLISHED_KEYS_FILE, text: '{"keys":[{}]}', refusal: /evidence-keys\.json is damaged/ },
    { name: PUBLISHED_KEYS_FILE, text: '{"keys":', refusal: /evidence-keys\.json is damaged/ },
  ];
  for (const { name, text, refusal } of cases) {
    await using folder = await makeTemporaryFolder();
    await open(folder.path);
    await writeFile(join(folder.path, name), text);
    const refused: unknown = await open(folder.path).catch((error: unknown) => error);
    ok(refused instanceof SigningKeyError);
    match(refused.message, refusal);
  }
});
