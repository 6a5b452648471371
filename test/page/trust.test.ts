import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { makeIdentity } from '../certificates.ts';
import { definitionOf, GENERATED, makeSigner, signMedia } from '../signed-media.ts';
import { type Desk, signIn, TestBrowser } from './browser.ts';
import { classify, type DeskDaemon, startDesk } from './desk-daemon.ts';

const authority = makeIdentity({ name: 'Desk authority' });
const other = makeIdentity({ name: 'Other authority' });
let daemon: DeskDaemon;
let browser: TestBrowser;
let record: string;

before(async () => {
  daemon = await startDesk({ models: 'tiny' });
  browser = await TestBrowser.start();
  const definition = definitionOf(GENERATED);
  const { file } = await signMedia({ definition }, { signer: makeSigner(authority) });
  record = await classify(daemon.http, 'image', file, 'signed.jpg');
});

after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await daemon?.[Symbol.asyncDispose]();
});

async function openTrust(desk: Desk): Promise<Desk['page']> {
  await signIn(desk);
  await desk.page.goto('/trust');
  await desk.page.getByRole('heading', { level: 1 }).waitFor();
  return desk.page;
}

const pem = (name: string, content: string) => ({
  ...{ name, mimeType: 'application/x-pem-file' },
  buffer: Buffer.from(content),
});

async function recheck(page: Desk['page'], found: RegExp): Promise<void> {
  await page.getByRole('button', { name: 'Read stored manifests again' }).click();
  await page.getByText(found).waitFor();
}

test('a list is added, and stored manifests are read anew under it', async () => {
  await using desk = await browser.open(daemon.http);
  const page = await openTrust(desk);
  await page.getByRole('cell', { name: /C2PA/ }).first().waitFor();
  const panel = page.getByRole('region', { name: 'Add a list' });
  await panel.getByLabel('Identifier').fill('desk');
  await panel.getByLabel('File').setInputFiles(pem('desk.pem', authority.cert));
  await panel.getByLabel('Day of its publication').fill('2026-11-01');
  await panel.getByRole('button', { name: 'Add a list' }).click();
  await page.getByRole('button', { name: 'Switch off: desk' }).waitFor();
  await recheck(page, /1 changed, 0 as before/);
  await page.getByText('Reading: intact → trusted').waitFor();
  await page.getByText(/desk – → [0-9a-f]{8}/).waitFor();
  await page.getByRole('link', { name: 'signed.jpg' }).click();
  await page.waitForURL(`**/classifications/${record}`);
  await page.getByRole('link', { name: 'History' }).click();
  await page.getByText('Manifest read anew under other trust lists').waitFor();
  await page.getByText('Lists that vouch: none → desk').waitFor();
  assert.deepEqual(desk.faults, []);
});

test('an update is put in place only after what it drops was shown', async () => {
  await using desk = await browser.open(daemon.http);
  const page = await openTrust(desk);
  await page.getByRole('button', { name: 'Update: desk' }).click();
  const panel = page.getByRole('region', { name: 'A newer edition of desk' });
  await panel.getByLabel('File').setInputFiles(pem('same.pem', authority.cert));
  await panel.getByText('It holds the same as the one that is here.').waitFor();
  await panel.getByLabel('File').setInputFiles(pem('newer.pem', other.cert));
  await panel.getByText('It would drop certificates that vouch for signers seen here: Test camera').waitFor();
  await panel.getByText('Dropped: 1').click();
  await panel.getByText('Desk authority').waitFor();
  const apply = panel.getByRole('button', { name: 'Replace the list anyway' });
  assert.ok(await apply.isDisabled(), 'without its day');
  await panel.getByLabel('Day of its publication').fill('2026-11-02');
  await apply.click();
  await page.getByRole('cell', { name: '2026-11-02' }).waitFor();
  await recheck(page, /1 changed, 0 as before/);
  await page.getByText('Signer: on a list → on no list').waitFor();
  assert.deepEqual(desk.faults, []);
});

test('lists are disabled and removed, certificates found, and other files refused', async () => {
  await using desk = await browser.open(daemon.http);
  const page = await openTrust(desk);
  await page.getByRole('button', { name: 'Switch off: interim' }).click();
  await page.getByRole('button', { name: 'Switch on: interim' }).click();
  await page.getByRole('button', { name: 'Switch off: interim' }).waitFor();
  const find = page.getByRole('region', { name: 'Find a certificate' }).first();
  await find.getByLabel('Find a certificate').fill('Westdeutscher');
  await find.getByRole('button', { name: 'Find' }).click();
  await find
    .getByRole('cell', { name: /CN=Westdeutscher/ })
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Update: desk' }).click();
  await page
    .getByRole('region', { name: 'A newer edition of desk' })
    .getByLabel('File')
    .setInputFiles(pem('no.pem', 'no list'));
  await page.getByText(/holds no certificate in PEM/).waitFor();
  await page.getByRole('button', { name: 'Remove: desk' }).click();
  await page.getByRole('button', { name: 'Remove: desk' }).waitFor({ state: 'detached' });
  assert.deepEqual(desk.faults, []);
});

test('the page speaks Italian', async () => {
  await using desk = await browser.open(daemon.http);
  await signIn(desk);
  await desk.page.evaluate(() => localStorage.setItem('assay.language', 'it'));
  await desk.page.goto('/trust');
  await desk.page.getByRole('heading', { name: 'Elenchi di fiducia', level: 1 }).waitFor();
  await desk.page.getByRole('button', { name: 'Rileggi i manifesti conservati' }).waitFor();
  await desk.page.getByText('Lettura: affidabile → integro').waitFor();
  assert.deepEqual(desk.faults, []);
});
