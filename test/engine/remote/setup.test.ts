/** The installed NATS server accepts what `assay worker setup` writes. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTemporaryFolder } from '../../temporary-folder.ts';
import { COMMAND, SERVER, skipWithoutBroker } from './broker.ts';

function setUp(folder: string, ...options: string[]) {
  const argv = [COMMAND, 'worker', 'setup', folder, '--server', SERVER, ...options];
  return spawnSync(process.execPath, argv, { encoding: 'utf8' });
}

test('a configuration and a key for each, once', { skip: skipWithoutBroker }, async () => {
  await using made = await makeTemporaryFolder();
  const folder = join(made.path, 'broker');
  const store = join(made.path, 'store');
  const first = setUp(folder, '--workers', 'gpu-1,gpu-2', '--store', store, '--json');
  assert.equal(first.status, 0, first.stderr);
  assert.deepEqual(readdirSync(folder).sort(), ['daemon.nkey', 'gpu-1.nkey', 'gpu-2.nkey', 'nats.conf']);
  assert.equal(statSync(join(folder, 'gpu-1.nkey')).mode & 0o777, 0o600);
  const config = readFileSync(join(folder, 'nats.conf'), 'utf8');
  const { note } = JSON.parse(first.stdout);
  assert.equal(note === null, config.includes('sync_interval: always'));
  const seed = readFileSync(join(folder, 'gpu-1.nkey'), 'utf8');
  assert.match(seed, /^SU[A-Z2-7]{56}$/);
  assert.ok(!config.includes(seed));
  const again = setUp(folder, '--workers', 'gpu-1', '--store', store);
  assert.match(again.stderr, /nats\.conf: expected a place for a new file: EEXIST/);
  assert.equal(readFileSync(join(folder, 'gpu-1.nkey'), 'utf8'), seed);
  const bad = setUp(join(made.path, 'bad'), '--workers', 'GPU 1');
  assert.match(bad.stderr, /--workers: expected different names/);
});
