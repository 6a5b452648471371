import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type OpenBox, openBox } from '../app/open-box.ts';
import { makeSpoiledStore, SPOILED, SPOILED_COUNT } from '../store/spoiled-records.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { ADMIN, signIn, TestBrowser } from './browser.ts';

const env = { ASSAY_ADMIN_EMAIL: ADMIN.email, ASSAY_ADMIN_PASSWORD: ADMIN.password };
const stack = new AsyncDisposableStack();
let daemon: OpenBox;
let browser: TestBrowser;

before(async () => {
  const folder = stack.use(await makeTemporaryFolder());
  await makeSpoiledStore(folder.path);
  daemon = stack.use(await openBox({ models: 'tiny', folder: folder.path, env, awaitReady: false }));
  browser = stack.use(await TestBrowser.start());
});

after(() => stack.disposeAsync());

test('each refused row keeps its place, with the reason and without a box to choose it', async () => {
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await signIn(desk);
  await page.getByText('picture-0.png').waitFor();
  const rows = page.getByRole('list', { name: 'Records' }).getByRole('listitem');
  assert.equal(await rows.count(), SPOILED_COUNT);
  const refused = rows.filter({ hasText: 'cannot be shown' }).filter({ hasNot: page.getByRole('checkbox') });
  assert.equal(await refused.count(), SPOILED.size);
  assert.match((await refused.nth(1).textContent()) ?? '', /the record 0{63}5 cannot be built/);
  assert.deepEqual(desk.faults, []);
});
