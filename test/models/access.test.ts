import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listCatalogue } from '../../src/app/appliance/catalogue.ts';
import { benchModels } from '../../src/app/appliance/model-bench.ts';
import { addModel, removeModel } from '../../src/app/appliance/models.ts';
import { rescore } from '../../src/app/records/rescore.ts';
import { weightOf } from '../../src/domain/packs/pack-weight.ts';
import { addUser, openApp, principalOf } from '../app/open-app.ts';

async function* noFiles(): AsyncGenerator<never> {}

test('only an administrator adds, removes, lists the catalogue, benches or rescores', async () => {
  await using open = await openApp();
  const { id } = await addUser(open.app, open.admin);
  const principal = principalOf(open.app, id);
  const { signal } = new AbortController();
  const refused = { reason: 'role' };
  const order = { principal, catalogueName: 'sieve', download: true, acceptLicence: '', files: noFiles() };
  assert.throws(() => addModel(open.app, order, signal), refused);
  assert.throws(() => rescore(open.app, { principal, limit: 1 }, signal), refused);
  assert.throws(() => benchModels(open.app, { principal }, signal), refused);
  await assert.rejects(removeModel(open.app, { principal, id: 'sieve' }), refused);
  await assert.rejects(listCatalogue(open.app, { principal }), refused);
});

test('the catalogue of the program is whole, and names what it would fetch', async () => {
  await using open = await openApp();
  const [detectra, sieve] = await listCatalogue(open.app, { principal: open.admin });
  assert.deepEqual([detectra?.name, detectra?.sizeBytes], ['detectra', 43_684_258]);
  assert.equal(detectra?.family, sieve?.family);
  assert.ok(detectra?.measured.every((sentence) => sentence.length > 20));
  assert.equal(sieve?.name, 'sieve');
  assert.equal(sieve.licence, 'MIT');
  assert.equal(sieve.installed, false);
  assert.match(sieve.address, /^https:\/\/github\.com\/Phineas1500\//);
});

test('a better model weighs more, up to a bound; a coin hardly counts', () => {
  assert.equal(weightOf([0.78]), 1);
  assert.equal(weightOf([0.909, 0.871, 0.856]), weightOf([0.856]));
  assert.ok(weightOf([0.8]) > 1 && weightOf([0.8]) < weightOf([0.85]));
  assert.equal(weightOf([0.9999]), 8);
  assert.equal(weightOf([0.969], { seen: true }), 2);
  assert.equal(weightOf([0.5]), 0.05);
  // No stated figures: infinite as a minimum, and nothing to trust.
  assert.equal(weightOf([]), 0.05);
});
