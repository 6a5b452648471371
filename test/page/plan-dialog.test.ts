import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type OpenBox, openBox } from '../app/open-box.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { ADMIN, signIn, TestBrowser } from './browser.ts';

const env = { ASSAY_ADMIN_EMAIL: ADMIN.email, ASSAY_ADMIN_PASSWORD: ADMIN.password };
const stack = new AsyncDisposableStack();
let daemon: OpenBox;
let browser: TestBrowser;

before(async () => {
  const folder = stack.use(await makeTemporaryFolder());
  daemon = stack.use(await openBox({ models: 'tiny', folder: folder.path, env, awaitReady: false }));
  browser = stack.use(await TestBrowser.start());
});

after(() => stack.disposeAsync());

test('a plan states the days for which access forbids signing off', async () => {
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await signIn(desk);
  await page.goto('/plans');
  await page.getByRole('button', { name: 'Create a plan' }).click();
  const dialog = page.getByRole('dialog');
  const days = dialog.getByLabel('Days for which access');
  await dialog.getByLabel('Name', { exact: true }).fill('Desk');
  await dialog.getByLabel('Short name').fill('desk');
  assert.equal(await days.inputValue(), '90');
  await days.fill('30');
  await dialog.getByRole('button', { name: 'Create a plan' }).click();
  for (const [kept, next] of [
    ['30', '0'],
    ['0', '7'],
  ] as const) {
    await page.getByRole('button', { name: 'Edit: Desk' }).click();
    assert.equal(await days.inputValue(), kept);
    await days.fill(next);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
  }
  assert.deepEqual(desk.faults, []);
});
