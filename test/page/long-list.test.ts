import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { type OpenBox, openBox } from '../app/open-box.ts';
import { TEST_KEY } from '../daemon.ts';
import { seedRecords } from '../seeded-records.ts';
import { ADMIN, signIn, TestBrowser } from './browser.ts';

const COUNT = 10_000;
const ROWS_DRAWN_MAX = 60;
const GRID_DRAWN_MAX = 140;

const env = { ASSAY_ADMIN_EMAIL: ADMIN.email, ASSAY_ADMIN_PASSWORD: ADMIN.password };
let daemon: OpenBox;
let browser: TestBrowser;

before(async () => {
  daemon = await openBox({ models: 'tiny', env, awaitReady: false });
  await seed();
  browser = await TestBrowser.start();
});

after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await daemon?.[Symbol.asyncDispose]();
});

async function seed(): Promise<void> {
  const describe = (index: number) => ({
    name: `picture-${index}.png`,
    probability: index === 4321 ? 0.97 : null,
  });
  await seedRecords(daemon.open.app.store, COUNT, describe);
}

test('ten thousand records scroll without being loaded or drawn at once', async (context) => {
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  let queries = 0;
  page.on('request', (request) => {
    if (request.postData()?.includes('hasNextPage') === true) queries += 1;
  });
  await signIn(desk);
  const started = performance.now();
  await page.getByText(`picture-${COUNT - 1}.png`).waitFor();
  context.diagnostic(`the first rows stood after ${Math.round(performance.now() - started)} ms`);
  assert.equal(queries, 1);
  const rows = page.getByRole('list', { name: 'Records' }).getByRole('listitem');
  for (let round = 0; round < 6; round += 1) {
    await page.evaluate(() => scrollTo({ top: document.documentElement.scrollHeight }));
    await page.waitForTimeout(400);
    assert.ok((await rows.count()) <= ROWS_DRAWN_MAX, `${await rows.count()} rows are drawn`);
  }
  assert.ok(queries > 2 && queries < 20, `${queries} pages were loaded`);
  assert.deepEqual(desk.faults, []);
});

test('the keys move, choose and open, also far down, and the focus goes with them', async () => {
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await signIn(desk);
  await page.getByText(`picture-${COUNT - 1}.png`).waitFor();
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
  for (let press = 0; press < 45; press += 1) await page.keyboard.press('j');
  await page.waitForFunction((name) => document.activeElement?.textContent === name, nameOf(44));
  await page.keyboard.press('k');
  await page.keyboard.press('x');
  assert.equal(await focused(), nameOf(43));
  await page.getByText('1 chosen').waitFor();
  await page.getByLabel('Name, reference, hash or identifier').pressSequentially('jxk');
  // Without this wait the list may be read again only after the next key.
  await page.getByText('No record matches.').waitFor();
  assert.equal(await page.getByText('1 chosen').count(), 1);
  await page.getByLabel('Name, reference, hash or identifier').fill('');
  await page.getByText(nameOf(0)).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('j');
  await page.waitForFunction((name) => document.activeElement?.textContent === name, nameOf(0));
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/classifications\//);
  await page.goBack();
  await page.getByText('1 chosen').waitFor();
  assert.deepEqual(desk.faults, []);
});

function nameOf(place: number): string {
  return `picture-${COUNT - 1 - place}.png`;
}

test('what is chosen goes over pages; another order and the grid draw no more than is seen', async () => {
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await signIn(desk);
  await page.getByLabel('Choose all loaded').check();
  await page.getByText('50 chosen').waitFor();
  await page.getByRole('button', { name: 'Choose everything found' }).click();
  await page.getByText('1000 chosen').waitFor();
  await page.getByRole('button', { name: 'Clear choice' }).click();
  await page.getByLabel('Order').selectOption('name');
  const rows = page.getByRole('list', { name: 'Records' }).getByRole('listitem');
  await page.getByText('Only the loaded records are in this order.').waitFor();
  const names = await rows.locator('a').allTextContents();
  assert.deepEqual(
    names,
    names.toSorted((left, right) => left.localeCompare(right)),
  );
  await page.getByRole('button', { name: 'Grid' }).click();
  assert.ok((await rows.count()) <= GRID_DRAWN_MAX, `${await rows.count()} are drawn`);
  const [first, second] = await rows.all();
  const [left, right] = [await first?.boundingBox(), await second?.boundingBox()];
  assert.ok(left && right && left.y === right.y && left.x < right.x, 'beside each other');
  assert.deepEqual(desk.faults, []);
});

test('a filter is saved under a name, used in another browser of the account, and forgotten', async () => {
  {
    await using first = await browser.open(daemon.http);
    await signIn(first);
    await first.page.getByLabel('Outcome').selectOption('artificial');
    await first.page.getByLabel('From', { exact: true }).fill('2020-02-29');
    await first.page.getByRole('button', { name: 'Save this filter' }).click();
    await first.page.getByLabel('Name of the filter').fill('Night desk');
    await first.page.getByRole('button', { name: 'Save', exact: true }).click();
    await first.page.getByRole('button', { name: 'Night desk', exact: true, pressed: true }).waitFor();
    assert.deepEqual(first.faults, []);
  }
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await signIn(desk);
  await page.getByRole('button', { name: 'Night desk', exact: true }).click();
  await page.getByText('picture-4321.png').waitFor();
  assert.equal(await page.getByLabel('Outcome').inputValue(), 'artificial');
  assert.equal(await page.getByLabel('From', { exact: true }).inputValue(), '2020-02-29');
  await page.getByRole('button', { name: 'Forget the filter Night desk' }).click();
  await page.getByRole('button', { name: 'Night desk', exact: true }).waitFor({ state: 'detached' });
  await page.reload();
  await page.getByText('picture-4321.png').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Night desk', exact: true }).count(), 0);
  assert.deepEqual(desk.faults, []);
});

/** With the columns in their order; both begin with the mark that spreadsheets ask for. */
function readCsv(csv: string): Record<string, string>[] {
  assert.ok(csv.startsWith('\ufeff'));
  return parse(csv, { bom: true, columns: true }) as unknown as Record<string, string>[];
}

test('the daemon finds records that are not loaded, and the way back leads to the same list', async () => {
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await signIn(desk);
  const rows = page.getByRole('list', { name: 'Records' }).getByRole('listitem');
  await page.getByLabel('Name, reference, hash or identifier').fill('picture-88.png');
  await page.getByText('picture-88.png').waitFor();
  assert.equal(await rows.count(), 1);
  await page.getByLabel('Name, reference, hash or identifier').fill('');
  await page.getByLabel('Outcome').selectOption('artificial');
  await page.getByText('picture-4321.png').click();
  await page.getByRole('heading', { name: 'picture-4321.png' }).waitFor();
  await page.goBack();
  await page.getByText('picture-4321.png').waitFor();
  assert.equal(await rows.count(), 1);
  assert.equal(await page.getByLabel('Outcome').inputValue(), 'artificial');
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'CSV' }).click();
  const csv = String(await buffer(await (await download).createReadStream()));
  assert.equal(csv.trim().split('\r\n').length, 2);
  assert.match(csv, /\bpicture-4321\.png\b/);
  await page.getByRole('checkbox', { name: 'Choose picture-4321.png' }).check();
  const ofChosen = page.waitForEvent('download');
  await page.getByRole('region', { name: 'Chosen records' }).getByRole('button', { name: 'CSV' }).click();
  const chosen = String(await buffer(await (await ofChosen).createReadStream()));
  const [record] = readCsv(chosen);
  assert.ok(record?.reasons !== undefined && record.reasons !== '' && record.link !== '');
  assert.deepEqual(readCsv(chosen), readCsv(csv));
  await page.getByLabel('Name, reference, hash or identifier').fill('no such name');
  await page.getByText('No record matches.').waitFor();
  assert.deepEqual(desk.faults, []);
});

test('a fifth export of an account at once is refused until one that was left or read to its end makes room', async () => {
  const ask = (signal: AbortSignal | null = null) =>
    fetch(`${daemon.http}/exports/records.jsonl`, { headers: { 'x-api-key': TEST_KEY }, signal });
  const left = new AbortController();
  const asked = Array.from({ length: 6 }, (_, index) => ask(index < 2 ? left.signal : null));
  const answers = await Promise.all(asked);
  const refused = answers.filter(({ status }) => status !== 200);
  assert.equal(refused.length, 2);
  for (const answer of refused) {
    assert.equal(answer.status, 503);
    assert.ok(Number(answer.headers.get('retry-after')) > 0);
    assert.match(await answer.text(), /the account has 4 exports under way, the maximum/);
  }
  left.abort();
  const read = await Promise.allSettled(answers.map(async (answer) => (await answer.text()).trimEnd()));
  const whole = read.flatMap((end) =>
    end.status === 'fulfilled' && end.value.includes('\n') ? [end.value] : [],
  );
  assert.deepEqual(
    whole.map((text) => text.split('\n').length),
    Array(2).fill(COUNT),
  );
  const later = await Promise.all(Array.from({ length: 4 }, () => ask()));
  assert.deepEqual(
    later.map(({ status }) => status),
    Array(4).fill(200),
  );
  await Promise.all(later.map((answer) => answer.body?.cancel()));
});
