/** Every way in which a file comes to the page, and what is done with many records at once. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { patternImage } from '../media/pictures.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { signIn, TestBrowser } from './browser.ts';
import { type DeskDaemon, startDesk } from './desk-daemon.ts';

let daemon: DeskDaemon;
let browser: TestBrowser;
let source: Server;

const pictureOf = (seed: number): Promise<Buffer> =>
  patternImage(300 + seed, 260)
    .jpeg()
    .toBuffer();

before(async () => {
  daemon = await startDesk();
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
  await bulk.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal(await page.getByText('by-drop.jpg').count(), 0);
  assert.deepEqual(desk.faults, []);
});
