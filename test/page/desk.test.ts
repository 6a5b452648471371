import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page, WebSocketRoute } from 'playwright-core';
import sharp from 'sharp';
import { TEST_KEY } from '../daemon.ts';
import { patternImage, patternRgb } from '../media/pictures.ts';
import { openBreakingLine } from './breaking-line.ts';
import { ADMIN, type Desk, signIn, TestBrowser, tabTo } from './browser.ts';
import {
  classify,
  type DeskDaemon,
  type Kind,
  makeFilm,
  makeRecording,
  readRest,
  startDesk,
} from './desk-daemon.ts';

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

/** Flat colours are no picture that a model judges. */
const OUTCOME = /Human|Artificial|Inconclusive|Not judged/;

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

interface HandedIn {
  kind: Kind;
  name: string;
  make: () => Promise<Buffer> | Buffer;
  /** What of the media itself must be seen. */
  look: (page: Page) => Promise<void>;
}

const HANDED_IN: HandedIn[] = [
  {
    kind: 'image',
    name: 'harbour.jpg',
    make: () => picture(0),
    async look(page) {
      await page.getByRole('button', { name: 'Where it looks artificial' }).click();
      await page.getByRole('img', { name: 'Heatmap' }).waitFor();
      await page.waitForFunction(() => [...document.images].every(({ naturalWidth }) => naturalWidth > 0));
      await page.getByRole('button', { name: 'Look for edits' }).click();
      await page.getByRole('button', { name: 'Where it looks edited' }).click();
      await page.getByRole('button', { name: 'Check for unsafe content' }).click();
      await page.getByRole('button', { name: 'Check for unsafe content' }).waitFor({ state: 'detached' });
      await page.getByText('Chance of unsafe content').waitFor({ state: 'attached' });
      await page.getByRole('link', { name: 'Models', exact: true }).last().click();
      await page.getByText('How often it errs, by kind of picture').click();
      await page.getByText(/^Of human photographs by cameras, \d+\s?% are called artificial/).waitFor();
    },
  },
  {
    kind: 'video',
    name: 'street.webm',
    make: () => makeFilm(3),
    async look(page) {
      await page.getByRole('list', { name: 'Frames' }).getByRole('button').nth(2).click();
      await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0);
    },
  },
  {
    kind: 'audio',
    name: 'interview.flac',
    make: () => makeRecording(8),
    look: (page) => page.getByRole('img', { name: 'Waveform' }).waitFor(),
  },
];

for (const { kind, name, make, look } of HANDED_IN) {
  test(`${name} is submitted, ends in sight, is looked at, overridden, and read back`, async () => {
    await using desk = await browser.open(daemon.http);
    const { page } = desk;
    await signIn(desk);
    await pick(desk, name, await make());
    await page.getByRole('listitem').filter({ hasText: name }).getByText(OUTCOME).waitFor();
    await page.getByRole('link', { name }).click();
    await page.getByRole('region', { name: 'Verdict' }).waitFor();
    await look(page);
    await page.getByRole('link', { name: 'Your own finding' }).click();
    await page.getByLabel('Artificial', { exact: true }).check();
    await page.getByLabel('Reason').fill('The author sent us the original.');
    await page.getByRole('button', { name: 'Save the finding' }).click();
    await page.getByText(/A person says that .* is artificial/).waitFor();
    await page.getByRole('link', { name: 'History' }).click();
    await page.locator('q', { hasText: 'The author sent us the original.' }).waitFor();
    await page.getByRole('button', { name: 'Ask for a sign-off' }).click();
    await page.getByText('Sign-off open: nobody else has answered yet').first().waitFor();
    const record = await readRest(daemon.http, kind, page.url().split('/').at(-1) ?? '');
    assert.equal(record.force_classification, 'artificial');
    assert.deepEqual(desk.faults, []);
  });
}

/** Asks for one field under the name `it`; it must not be refused. */
async function askGraphql<Answer>(key: string, query: string, variables: object): Promise<Answer> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const body = JSON.stringify({ query, variables });
  const response = await fetch(`${daemon.http}/graphql`, { method: 'POST', headers, body });
  const { data, errors } = (await response.json()) as { data?: { it: Answer }; errors?: unknown };
  assert.ok(data !== undefined, JSON.stringify(errors));
  return data.it;
}

test('a finding that waits for a second pair of eyes is found by the filter, disagreed with, and its author is notified', async () => {
  const user = { name: 'Photo desk', email: 'photo@example.org' };
  const created = 'mutation ($user: UserInput!) { it: createUser(input: $user) { user { id } } }';
  const made = await askGraphql<{ user: { id: string } }>(TEST_KEY, created, { user });
  const keyed = 'mutation ($id: ID) { it: createKey(name: "desk", userId: $id) { secret } }';
  const { secret } = await askGraphql<{ secret: string }>(TEST_KEY, keyed, made.user);
  const identifier = await classify(daemon.http, 'image', await picture(30), 'tower.jpg', {}, secret);
  const { hash } = await readRest(daemon.http, 'image', identifier, secret);
  const input = { kind: 'IMAGE', hash, classification: 'ARTIFICIAL', reason: 'No such tower stands there.' };
  const stated = `mutation ($input: OverrideClassificationInput!) {
    it: overrideClassification(input: $input) { userErrors { message } } }`;
  assert.deepEqual(await askGraphql(secret, stated, { input }), { userErrors: [] });
  const asked = 'mutation ($id: ID!) { it: askSignOff(identifier: $id) { userErrors { message } } }';
  assert.deepEqual(await askGraphql(secret, asked, { id: identifier }), { userErrors: [] });

  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await signIn(desk);
  await page.getByLabel('Waits for my sign-off').check();
  await page.getByRole('link', { name: 'tower.jpg' }).click();
  const panel = page.getByRole('region', { name: 'Second pair of eyes' });
  await panel.getByText(`states: Artificial. Do you agree?`).waitFor();
  await panel.locator('q', { hasText: 'No such tower stands there.' }).waitFor();
  const disagree = panel.getByRole('button', { name: 'I disagree' });
  await panel.getByText(/You cannot agree, since .* made key \d+ of Photo desk \(\d+\)/).waitFor();
  assert.equal(await panel.getByRole('button', { name: /agree$/, disabled: false }).count(), 0);
  await panel.getByLabel('Reason (needed to disagree)').fill('It was built last year.');
  await disagree.click();
  await panel.getByText('Another person disagrees with the finding').waitFor();
  await panel.locator('q', { hasText: 'It was built last year.' }).waitFor();
  assert.equal(await panel.getByRole('button', { name: 'I agree' }).count(), 0);
  assert.deepEqual(desk.faults, []);
  const read = 'query ($id: ID!) { it: classification(identifier: $id) { signOff { state } } }';
  assert.deepEqual(await askGraphql(secret, read, { id: identifier }), { signOff: { state: 'DISAGREED' } });
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
  await page.waitForURL(/text=wire-7/);
  await page.waitForFunction(() => document.querySelectorAll('.rows > li').length === 1);
  await page.getByLabel('Name, reference, hash or identifier').fill('nowhere');
  await page.getByText('Nothing found').waitFor();
});

test('the list shows what changed while the connection was broken', async () => {
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  const open: WebSocketRoute[] = [];
  let isBroken = false;
  await page.routeWebSocket(/\/graphql$/, (socket) => {
    if (isBroken) return void socket.close({ code: GOING_AWAY });
    socket.connectToServer();
    open.push(socket);
  });
  await signIn(desk);
  await page.waitForFunction(() => document.querySelector('.rows, .empty') !== null);
  await page.waitForTimeout(500);
  assert.ok(open.length > 0, 'the list follows');
  isBroken = true;
  for (const socket of open) await socket.close({ code: GOING_AWAY });
  await page.getByText('Live updates').waitFor();
  await classify(daemon.http, 'image', await picture(41), 'meanwhile.jpg');
  isBroken = false;
  await page.getByRole('listitem').filter({ hasText: 'meanwhile.jpg' }).getByText(OUTCOME).waitFor();
});

/** The code with which a daemon closes that stops. */
const GOING_AWAY = 1001;

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
  // The test waits for the dialog before it presses the key: the browser must know by then that we take it.
  const chosen = page.waitForEvent('filechooser');
  await tabTo(desk, 'Choose files');
  await page.keyboard.press('Enter');
  const chooser = await chosen;
  await chooser.setFiles({ name: 'by-hand.jpg', mimeType: 'image/jpeg', buffer: await picture(16) });
  await page.getByRole('link', { name: 'by-hand.jpg' }).waitFor();
  await tabTo(desk, 'by-hand.jpg');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Verdict' }).waitFor();
  assert.deepEqual(desk.faults, []);
});

/** An uncompressed TIFF of 11 MB, which is sent by pieces. */
async function poster(): Promise<Buffer> {
  const pixels = patternRgb(2400, 1600);
  const grain = sharp(pixels, { raw: { width: 2400, height: 1600, channels: 3 } });
  return await grain.tiff({ compression: 'none' }).toBuffer();
}

test('a paused upload of a large file goes on from its offset', async () => {
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await signIn(desk);
  const sixMegabytesASecond = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 6e6 };
  const debug = await desk.context.newCDPSession(page);
  await debug.send('Network.enable');
  await debug.send('Network.emulateNetworkConditions', sixMegabytesASecond);
  await pick(desk, 'poster.tif', await poster());
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText(/Paused at/).waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  const row = page.getByRole('listitem').filter({ hasText: 'poster.tif' });
  await row.getByText(OUTCOME).waitFor();
  assert.deepEqual(desk.faults, []);
});

test('the upload of a large file resumes by itself after a break of the connection', async () => {
  await using line = await openBreakingLine(daemon.http, { breakAtBytes: 5_000_000, deadMs: 1500 });
  await using desk = await browser.open(line.http);
  const { page } = desk;
  await signIn(desk);
  const offsets: number[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PATCH') offsets.push(Number(request.headers()['upload-offset']));
  });
  await pick(desk, 'banner.tif', await poster());
  const row = page.getByRole('listitem').filter({ hasText: 'banner.tif' });
  await row.getByText(OUTCOME).waitFor();
  assert.ok(line.bytesSent > 0, 'the line broke off');
  const [first, second = 0] = offsets;
  assert.equal(first, 0);
  assert.ok(second > 0 && second <= line.bytesSent, offsets.join());
});

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

test('a long video shows what was judged so far, and then its result in the same place', async () => {
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await signIn(desk);
  const form = new FormData();
  form.set('video', new Blob([new Uint8Array(makeFilm(20))]), 'long.webm');
  form.set('frames', '10');
  const headers = { 'x-api-key': TEST_KEY, accept: 'application/json' };
  const url = `${daemon.http}/api/classification_video`;
  const response = await fetch(url, { method: 'POST', headers, body: form });
  const { identifier } = (await response.json()) as { identifier: string };
  await page.goto(`/classifications/${identifier}`);
  const soFar = page.getByRole('region', { name: 'So far' });
  await soFar.getByText(/^\d+ frames and 0 clips were (judged|looked at)/).waitFor();
  const judged = await soFar.getByRole('listitem').count();
  assert.ok(judged >= 1 && judged <= 10, `${judged} places`);
  // Ten frames are the work of a minute on a box that has others to do.
  await page.getByRole('region', { name: 'Verdict' }).waitFor();
  assert.equal(await soFar.count(), 0);
  assert.deepEqual(desk.faults, []);
});
