/** The picture desk's page in a real browser over a real daemon, from signing in to the corrected verdict. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TEST_KEY } from '../daemon.ts';
import { patternImage } from '../pictures.ts';
import { ADMIN, type Desk, signIn, TestBrowser } from './browser.ts';
import { type DeskDaemon, readRest, startDesk } from './desk-daemon.ts';

let daemon: DeskDaemon;
let browser: TestBrowser;

before(async () => {
  daemon = await startDesk();
  browser = await TestBrowser.start();
});

after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await daemon?.[Symbol.asyncDispose]();
});

function picture(seed: number): Promise<Buffer> {
  return patternImage(400 + seed, 320)
    .jpeg({ quality: 88 })
    .toBuffer();
}

async function pick({ page }: Desk, name: string, buffer: Buffer): Promise<void> {
  await page.goto('/submit');
  await page.locator('input[type=file]').first().setInputFiles({ name, mimeType: 'image/jpeg', buffer });
}

const OUTCOME = /Human|Artificial|Inconclusive/;

test('a wrong password is refused in words, the right one opens the records', async () => {
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await page.goto('/');
  await page.getByLabel('E-mail').fill(ADMIN.email);
  await page.getByLabel('Password').fill('not the password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('wrong').waitFor();
  await signIn(desk);
  assert.deepEqual(desk.faults, []);
  const [cookie] = await desk.context.cookies();
  assert.equal(cookie?.httpOnly, true);
  assert.equal(cookie?.sameSite, 'Strict');
  await page.getByRole('button', { name: /Administrator/ }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('a picture is handed in, ends before the eyes, is looked at, overridden, and read back', async () => {
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await signIn(desk);
  await pick(desk, 'harbour.jpg', await picture(0));
  await page.getByRole('listitem').filter({ hasText: 'harbour.jpg' }).getByText(OUTCOME).waitFor();
  await page.getByRole('link', { name: 'harbour.jpg' }).click();
  await page.getByRole('region', { name: 'Verdict' }).waitFor();
  const heatmap = page.getByRole('img', { name: 'Heatmap' });
  await heatmap.waitFor();
  await page.waitForFunction(() =>
    [...document.images].every(({ complete, naturalWidth }) => complete && naturalWidth > 0),
  );
  await page.getByLabel('Artificial', { exact: true }).check();
  await page.getByLabel('Reason').fill('The photographer sent us the original.');
  await page.getByRole('button', { name: 'Save the finding' }).click();
  await page.getByText('was marked artificial by a person').waitFor();
  await page.getByText('The photographer sent us the original.').last().waitFor();
  const identifier = page.url().split('/').at(-1) ?? '';
  const record = await readRest(daemon.http, 'image', identifier);
  assert.equal(record.force_classification, 'artificial');
  assert.deepEqual(desk.faults, []);
});

test('the list follows a submission by another program without a reload', async () => {
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await signIn(desk);
  await page.waitForTimeout(500);
  const form = new FormData();
  form.set('image', new Blob([new Uint8Array(await picture(8))]), 'from-the-wire.jpg');
  form.set('ref_id', 'wire-7');
  const headers = { 'x-api-key': TEST_KEY };
  await fetch(`${daemon.http}/api/classification_image`, { method: 'POST', headers, body: form });
  const row = page.getByRole('listitem').filter({ hasText: 'from-the-wire.jpg' });
  await row.getByText(OUTCOME).waitFor();
  await page.getByLabel('Name, reference, hash or identifier').fill('wire-7');
  assert.equal(await page.getByRole('listitem').count(), 1);
  await page.getByLabel('Name, reference, hash or identifier').fill('nowhere');
  await page.getByText('Nothing found').waitFor();
});

test('the keyboard alone hands in a file and opens its result', async () => {
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await page.goto('/submit');
  await page.keyboard.press('Tab');
  await page.getByLabel('E-mail').focus();
  await page.keyboard.type(ADMIN.email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(ADMIN.password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Submit files' }).waitFor();
  await tabTo(desk, 'Choose files');
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('Enter')]);
  await chooser.setFiles({ name: 'by-hand.jpg', mimeType: 'image/jpeg', buffer: await picture(16) });
  await page.getByRole('link', { name: 'by-hand.jpg' }).waitFor();
  await tabTo(desk, 'by-hand.jpg');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Verdict' }).waitFor();
  assert.deepEqual(desk.faults, []);
});

const TABS_MAX = 40;

async function tabTo({ page }: Desk, text: string): Promise<void> {
  for (let tab = 0; tab < TABS_MAX; tab += 1) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate(() => document.activeElement?.textContent)) === text) return;
  }
  assert.fail(`no Tab leads to ${text}`);
}

test('a file that is no medium is refused with the reason beside it', async () => {
  await using desk = await browser.open(daemon.http);
  await signIn(desk);
  await pick(desk, 'notes.jpg', Buffer.from('this is no picture at all'));
  await desk.page.getByRole('alert').waitFor();
  await desk.page.getByRole('button', { name: 'Send again' }).waitFor();
});

test('an API key is generated, works over REST, is shown for the password and revoked', async () => {
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await signIn(desk);
  await page.getByRole('button', { name: /Administrator/ }).click();
  await page.getByRole('link', { name: 'API Key' }).click();
  await page.getByLabel('Name of a new key').fill('archive');
  await page.getByRole('button', { name: 'Generate a key' }).click();
  const shown = page.locator('[data-secret]');
  const secret = (await shown.textContent()) ?? '';
  const credits = () => fetch(`${daemon.http}/api/user/credits`, { headers: { 'x-api-key': secret } });
  assert.equal((await credits()).status, 200);
  await page.reload();
  await page.getByRole('button', { name: 'Show: archive' }).click();
  await page.getByRole('dialog').getByLabel('Password').fill(ADMIN.password);
  await page.getByRole('dialog').getByRole('button', { name: 'Show' }).click();
  assert.equal(await shown.textContent(), secret);
  await page.getByRole('button', { name: 'Revoke: archive' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('archive', { exact: true }).waitFor({ state: 'detached' });
  assert.equal((await credits()).status, 401);
  assert.deepEqual(desk.faults, []);
});

test('the administrator makes a plan and a user, who sees nothing of the others', async () => {
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await signIn(desk);
  await page.goto('/plans');
  await page.getByRole('button', { name: 'Create a plan' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Desk');
  await page.getByLabel('Short name').fill('desk');
  await page.getByRole('dialog').getByRole('button', { name: 'Create a plan' }).click();
  await page.getByRole('heading', { name: 'Desk' }).waitFor();
  await page.goto('/users');
  await page.getByRole('button', { name: 'Create a user' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Second');
  await page.getByRole('dialog').getByLabel('E-mail').fill('second@example.org');
  await page.getByLabel('Plan').selectOption('Desk');
  await page.getByRole('dialog').getByRole('button', { name: 'Create a user' }).click();
  await page.getByRole('button', { name: 'Password link: Second' }).click();
  const link = (await page.getByText('/set-password?token=').textContent()) ?? '';
  await page.goto('/');
  const first = await page
    .getByRole('list', { name: 'Records' })
    .getByRole('link')
    .first()
    .getAttribute('href');
  await useAsSecond(link, first ?? '');
  assert.deepEqual(desk.faults, []);
});

async function useAsSecond(link: string, foreignPath: string): Promise<void> {
  const second = { email: 'second@example.org', password: 'another long password' };
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await page.goto(link);
  await page.getByLabel('New password').fill(second.password);
  await page.getByRole('button', { name: 'Set a password' }).click();
  await page.getByText('The password is set.').waitFor();
  await signIn(desk, second);
  await page.getByText('No records yet').waitFor();
  assert.equal(await page.getByRole('link', { name: 'Users' }).count(), 0);
  await page.goto(foreignPath);
  await page.getByText('No such record').first().waitFor();
  const status = await page.evaluate(
    async (path) => (await fetch(path)).status,
    foreignPath.replace('classifications', 'media').concat('/original'),
  );
  assert.equal(status, 404);
  assert.deepEqual(desk.faults, []);
}
