/**
 * The editor's part of a desk's day in a real browser, with the clicks that each of the commonest jobs takes.
 *
 * Invariant: from any page two clicks lead from a dropped file to its verdict, and one to each of its maps.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { TEST_KEY } from '../daemon.ts';
import { patternImage } from '../media/pictures.ts';
import { scene } from '../media/scene.ts';
import { sharedData, skipWithoutSharedData } from '../shared-data.ts';
import { type Desk, signIn, TestBrowser } from './browser.ts';
import { classify, type DeskDaemon, makeFilm, startDesk } from './desk-daemon.ts';

const FILES = 12;
const SIGNED = ['pub-adobe_20220124_CA.jpg', 'pub-adobe_20220124_CACA.jpg'];

let daemon: DeskDaemon;
let browser: TestBrowser;

before(async () => {
  daemon = await startDesk({ models: 'tiny' });
  browser = await TestBrowser.start();
});

after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await daemon?.[Symbol.asyncDispose]();
});

interface NamedBytes {
  name: string;
  bytes: Buffer;
}

async function pictures(count: number): Promise<NamedBytes[]> {
  const made = Array.from({ length: count }, async (_, index) => ({
    name: `picture-${index}.jpg`,
    bytes: await patternImage(320 + index, 280)
      .jpeg()
      .toBuffer(),
  }));
  return await Promise.all(made);
}

/** On the middle of whatever page is shown, as a hand would. */
async function dropAnywhere(page: Page, files: readonly NamedBytes[]): Promise<void> {
  const encoded = files.map(({ name, bytes }) => [name, bytes.toString('base64')] as const);
  await page.evaluate((given) => {
    const transfer = new DataTransfer();
    for (const [name, text] of given) {
      const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
      transfer.items.add(new File([bytes], name, { type: 'image/jpeg' }));
    }
    const at = document.elementFromPoint(innerWidth / 2, innerHeight / 2) ?? document.body;
    for (const kind of ['dragover', 'drop'])
      at.dispatchEvent(new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }, encoded);
}

/** Counts real clicks from here on. */
async function countClicks({ page }: Desk): Promise<() => Promise<number>> {
  const counter = await page.evaluateHandle(() => {
    const counted = { clicks: 0 };
    addEventListener('click', ({ isTrusted }) => (counted.clicks += isTrusted ? 1 : 0), true);
    return counted;
  });
  return async () => await counter.evaluate(({ clicks }) => clicks);
}

test('many files are dropped on the list, one progress follows them, and the new ones are marked', async () => {
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await signIn(desk);
  await page.getByRole('link', { name: 'Submit' }).first().click();
  await page.goto('/');
  await dropAnywhere(page, await pictures(FILES));
  const progress = page.getByRole('complementary', { name: 'Files that were sent' });
  await progress.getByText(`${FILES} of ${FILES} judged.`).waitFor();
  await progress.getByRole('button', { name: 'Clear' }).click();
  await progress.waitFor({ state: 'detached' });
  const row = page.getByRole('listitem').filter({ hasText: 'picture-3.jpg' });
  await row.getByText('New').waitFor();
  assert.deepEqual(desk.faults, []);
});

test('two clicks to a verdict, one to each map; the picture opens whole and the keys lead on', async () => {
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await signIn(desk);
  await page.goto('/account');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await dropAnywhere(page, [
    { name: 'market.jpg', bytes: await patternImage(500, 400).jpeg().toBuffer() },
    { name: 'bridge.jpg', bytes: await patternImage(510, 400).jpeg().toBuffer() },
  ]);
  const clicks = await countClicks(desk);
  await page.getByText('2 of 2 judged.').waitFor();
  await page.getByRole('link', { name: 'Show', exact: true }).click();
  await page.getByRole('link', { name: 'market.jpg' }).click();
  await page.getByRole('region', { name: 'Verdict' }).waitFor();
  assert.ok((await clicks()) <= 2, `${await clicks()} clicks to the verdict`);

  const before = await clicks();
  await page.getByRole('button', { name: 'Where it looks artificial' }).click();
  await page.getByRole('img', { name: 'Heatmap' }).waitFor();
  assert.equal((await clicks()) - before, 1);

  await page.getByRole('region', { name: 'Picture', exact: true }).locator('.stage').click();
  assert.equal(await page.locator('section.picture:popover-open').count(), 1);
  await page.getByRole('img', { name: 'Heatmap' }).waitFor();
  await page.keyboard.press('Escape');
  await page.locator('section.picture:popover-open').waitFor({ state: 'detached' });
  assert.ok(await page.locator('section.picture').isVisible());

  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { level: 1, name: 'Records' }).waitFor();
  const rows = page.getByRole('list', { name: 'Records' }).getByRole('link');
  const [first = '', second = ''] = await rows.allTextContents();
  await rows.first().click();
  await page.getByRole('heading', { level: 1, name: first }).waitFor();
  await page.keyboard.press('j');
  await page.getByRole('heading', { level: 1, name: second }).waitFor();
  await page.keyboard.press('ArrowLeft');
  await page.getByRole('heading', { level: 1, name: first }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).getByRole('button', { name: 'Close' }).click();
  assert.deepEqual(desk.faults, []);
});

test('a frame leads to its moment in the video', async () => {
  const identifier = await classify(daemon.http, 'video', makeFilm(6), 'street.webm', { frames: '5' });
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await signIn(desk);
  await page.goto(`/classifications/${identifier}`);
  await page
    .getByRole('link', { name: /^Details: Frame at/ })
    .nth(3)
    .click();
  await page.getByRole('link', { name: 'This moment in the video' }).click();
  await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 2);
  const chosen = page.getByRole('list', { name: 'Frames' }).getByRole('button', { pressed: true });
  assert.match((await chosen.textContent()) ?? '', /^Frame at 0:0[3-5]/);
  assert.deepEqual(desk.faults, []);
});

test('a crop finds its picture, which is found by a person, linked and packed', async () => {
  const whole = await scene(7, 900, 700).jpeg({ quality: 92 }).toBuffer();
  await classify(daemon.http, 'image', whole, 'square.jpg');
  const crop = await sharp(whole).extract({ left: 150, top: 100, width: 560, height: 440 }).jpeg().toBuffer();
  await using desk = await browser.open(daemon.http, { permissions: ['clipboard-read', 'clipboard-write'] });
  const { page } = desk;
  await signIn(desk);
  await page.goto('/search');
  const found = page.getByRole('link', { name: 'square.jpg' }).first();
  // Parts are described behind the verdict, once nothing waits.
  for (let tries = 0; tries < 60 && !(await found.isVisible()); tries += 1) {
    const file = { name: 'crop.jpg', mimeType: 'image/jpeg', buffer: crop };
    await page.getByLabel('Choose a picture').last().setInputFiles(file);
    await found.waitFor({ timeout: 3000 }).catch(() => undefined);
  }
  await found.click();
  await page.getByRole('region', { name: 'Verdict' }).waitFor();
  await page.getByRole('button', { name: 'Copy link' }).click();
  await page.getByText('Copied').waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), page.url());
  await page.getByRole('link', { name: 'Your own finding' }).click();
  await page.getByLabel('Human', { exact: true }).check();
  await page.getByLabel('Reason').fill('Our photographer was there.');
  await page.getByRole('button', { name: 'Save the finding' }).click();
  await page.getByText(/A person says that .* is human-made/).waitFor();
  await page.getByRole('button', { name: 'Evidence package' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Make the package' }).click();
  await page.getByText(/^Ready: /).waitFor();
  assert.deepEqual(desk.faults, []);
});

test('signed pictures are dropped and say who signed them', {
  skip: skipWithoutSharedData('c2pa'),
}, async () => {
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await signIn(desk);
  await dropAnywhere(
    page,
    SIGNED.map((name) => ({ name, bytes: readFileSync(sharedData('c2pa', name)) })),
  );
  await page.getByText('2 of 2 judged.').waitFor();
  for (const name of SIGNED) {
    await page.goto('/');
    await page.getByRole('link', { name }).click();
    await page.getByRole('region', { name: 'Verdict' }).waitFor();
    await page.getByRole('link', { name: 'Provenance' }).click();
    await page.getByText('Signed by', { exact: true }).first().waitFor();
  }
  assert.deepEqual(desk.faults, []);
});

test('what was dropped is shown with its price where the plan charges, and the options are remembered', async () => {
  const query = 'mutation { updatePlan(id: 1, input: { imageCredits: 2 }) { userErrors { message } } }';
  const headers = { 'x-api-key': TEST_KEY, 'content-type': 'application/json' };
  const answer = await fetch(`${daemon.http}/graphql`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query }),
  });
  assert.deepEqual(await answer.json(), { data: { updatePlan: { userErrors: [] } } });
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await signIn(desk);
  const [first, second] = await pictures(2);
  assert.ok(first !== undefined && second !== undefined);
  await dropAnywhere(page, [first]);
  const dialog = page.getByRole('dialog', { name: 'Send what was dropped?' });
  await dialog.getByText('This takes 2 credits.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dropAnywhere(page, [first, second]);
  await dialog.getByText(second.name).waitFor();
  await dialog.getByText('This takes 4 credits.').waitFor();
  await dialog.getByText('Options').click();
  await dialog.getByLabel('Heatmap').uncheck();
  await dialog.getByRole('button', { name: 'Send' }).click();
  await page.getByText('2 of 2 judged.').waitFor();
  await page.goto('/submit');
  await page.getByText('Options').click();
  assert.equal(await page.getByLabel('Heatmap').isChecked(), false);
  assert.deepEqual(desk.faults, []);
});
