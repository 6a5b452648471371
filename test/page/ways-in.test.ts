import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { patternImage } from '../media/pictures.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../temporary-folder.ts';
import { signIn, TestBrowser } from './browser.ts';
import { type DeskDaemon, startDesk } from './desk-daemon.ts';

let daemon: DeskDaemon;
let browser: TestBrowser;
let source: Server;
let watched: TemporaryFolder;

const pictureOf = (seed: number): Promise<Buffer> =>
  patternImage(300 + seed, 260)
    .jpeg()
    .toBuffer();

before(async () => {
  watched = await makeTemporaryFolder();
  const env = { ASSAY_WATCH_ROOTS: watched.path, ASSAY_WEBHOOK_ALLOW_NETWORKS: '127.0.0.1/32' };
  daemon = await startDesk({ models: 'tiny', env });
  browser = await TestBrowser.start();
  const picture = await pictureOf(9);
  source = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'image/jpeg' }).end(picture);
  }).listen(0, '127.0.0.1');
});

after(async () => {
  source?.close();
  await browser?.[Symbol.asyncDispose]();
  await daemon?.[Symbol.asyncDispose]();
  await watched?.[Symbol.asyncDispose]();
});

const OUTCOME = /Human|Artificial|Inconclusive|Not judged/;

test('files come by drop, by paste, as a folder and from an address; many are exported and deleted', async () => {
  await using folder = await makeTemporaryFolder();
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await signIn(desk);
  await page.goto('/submit');
  await page.locator('.drop').waitFor();
  const sent = (name: string) => page.getByRole('listitem').filter({ hasText: name }).getByText(OUTCOME);

  for (const [way, seed] of [
    ['drop', 1],
    ['paste', 2],
  ] as const) {
    const bytes = (await pictureOf(seed)).toString('base64');
    await page.evaluate(
      ([kind = '', encoded = '']) => {
        const raw = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
        const transfer = new DataTransfer();
        transfer.items.add(new File([raw], `by-${kind}.jpg`, { type: 'image/jpeg' }));
        const event =
          kind === 'drop'
            ? new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true })
            : new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true });
        document.querySelector('.drop')?.dispatchEvent(event);
      },
      [way, bytes],
    );
    await sent(`by-${way}.jpg`).waitFor();
  }

  const pictures = join(folder.path, 'pictures');
  mkdirSync(join(pictures, 'deeper'), { recursive: true });
  writeFileSync(join(pictures, 'deeper', 'in-a-folder.jpg'), await pictureOf(3));
  writeFileSync(join(pictures, 'notes.txt'), 'no medium');
  await page.getByLabel('Choose a folder').last().setInputFiles(pictures);
  await sent('in-a-folder.jpg').waitFor();
  assert.equal(await page.getByText('notes.txt').count(), 0);

  await page
    .getByLabel(/address/i)
    .fill(`http://127.0.0.1:${(source.address() as AddressInfo).port}/far.jpg`);
  await page.getByRole('button', { name: 'Fetch' }).click();
  await sent('far.jpg').waitFor();

  await page.goto('/');
  for (const name of ['by-drop.jpg', 'by-paste.jpg']) await page.getByLabel(`Choose ${name}`).check();
  const bulk = page.getByRole('region', { name: 'Chosen records' });
  const download = page.waitForEvent('download');
  await bulk.getByRole('button', { name: 'JSON' }).click();
  const lines = JSON.parse(await text(await (await download).createReadStream())) as { name: string }[];
  assert.deepEqual(lines.map(({ name }) => name).sort(), ['by-drop.jpg', 'by-paste.jpg']);
  // What the filter hides is kept, and what goes is named with its picture.
  await page.getByRole('searchbox', { name: 'Name, reference, hash or identifier' }).fill('by-drop');
  await page.getByRole('link', { name: 'by-paste.jpg' }).waitFor({ state: 'detached' });
  await bulk.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete “by-drop.jpg”?' });
  await dialog.getByRole('listitem').filter({ hasText: 'by-drop.jpg' }).locator('img').waitFor();
  await dialog.getByText('the filter hides it: 1 chosen record.').waitFor();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByRole('link', { name: 'by-paste.jpg' }).waitFor();
  assert.equal(await page.getByText('by-drop.jpg').count(), 0);
  assert.deepEqual(desk.faults, []);
});

test('a dropped sheet of addresses comes back with verdicts; all that is found comes as a file', async () => {
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await signIn(desk);
  await page.goto('/submit');
  const far = `http://127.0.0.1:${(source.address() as AddressInfo).port}/sheet.jpg`;
  const sheet = `note;url\n=1+1;${far}\nmine;C:\\mine.jpg\n`;
  await page
    .getByLabel('Choose files')
    .last()
    .setInputFiles({ name: 'desk.csv', mimeType: 'text/csv', buffer: Buffer.from(sheet) });
  await page.getByText('2 rows; the addresses are in the column “url”.').waitFor();
  await page.getByRole('button', { name: 'Judge the rows' }).click();
  await page.getByText('2 of 2 rows judged').waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save the sheet' }).click();
  const saved = await text(await (await download).createReadStream());
  const [first, second] = parse(saved, { bom: true, columns: true }) as Record<string, string>[];
  assert.equal(first?.note, "'=1+1");
  assert.match(first?.verdict ?? '', /^(human|artificial)$/);
  assert.match(first?.link ?? '', /\/classifications\/[0-9a-f]{64}$/);
  assert.match(second?.error ?? '', /no address/);

  await page.goto('/?text=sheet.jpg');
  const found = page.waitForEvent('download');
  await page.getByRole('link', { name: 'JSON Lines' }).click();
  const line = JSON.parse(await text(await (await found).createReadStream())) as { name: string };
  assert.equal(line.name, 'sheet.jpg');
  assert.deepEqual(desk.faults, []);
});

test('a folder is tested, watched, shown with what failed, and watched no more', async () => {
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await signIn(desk);
  const ingest = join(watched.path, 'ingest');
  mkdirSync(ingest);
  writeFileSync(join(ingest, 'broken.jpg'), (await pictureOf(7)).subarray(0, 300));
  await page.goto('/folders');
  await page.getByLabel('Folder on the box').fill(ingest);
  await page.getByRole('button', { name: 'Test the folder' }).click();
  await page.getByText(/can move/).waitFor();
  await page.getByText(`ReadWritePaths=${ingest}`).waitFor();
  await page.getByRole('button', { name: 'Watch a folder' }).click();
  const row = page.getByRole('row').filter({ hasText: ingest });
  await row.getByText('watching', { exact: true }).waitFor();
  await row.getByRole('button', { name: 'Show failed files' }).click();
  await page.getByRole('cell', { name: 'broken.jpg' }).waitFor();
  await row.getByRole('button', { name: 'Stop watching' }).click();
  await page.getByText('No folder is watched yet.').waitFor();
  assert.deepEqual(desk.faults, []);
});

test('a rule of notices is made, tried and removed', async () => {
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await signIn(desk);
  await page.goto('/webhooks');
  const { port } = source.address() as AddressInfo;
  await page.getByText('Add a notice').click();
  await page.getByLabel('Address', { exact: true }).fill(`http://127.0.0.1:${port}/hook/secret`);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const row = page.getByRole('row').filter({ hasText: `http://127.0.0.1:${port}/…cret` });
  await row.getByRole('button', { name: 'Test' }).click();
  await page.getByText('The test was delivered.').waitFor();
  await row.getByRole('button', { name: 'Pause' }).click();
  await row.getByText('paused').waitFor();
  await row.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('There are no notices yet.').waitFor();
  assert.deepEqual(desk.faults, []);
});
