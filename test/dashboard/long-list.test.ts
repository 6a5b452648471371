/** Ten thousand records: the list draws what is in sight and loads what is scrolled to. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { DEFAULT_OPTIONS } from '../../src/domain/options.ts';
import { Store } from '../../src/store/store.ts';
import { TestDaemon } from '../daemon.ts';
import { ADMIN, signIn, TestBrowser } from './browser.ts';

const COUNT = 10_000;
const BATCH = 500;
const ROWS_DRAWN_MAX = 60;
const ADMIN_ID = 1;
const FIRST_TIME_US = 1_767_225_600_000_000;

const env = { ASSAY_ADMIN_EMAIL: ADMIN.email, ASSAY_ADMIN_PASSWORD: ADMIN.password };
let folder: string;
let daemon: TestDaemon;
let browser: TestBrowser;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-long-'));
  await (await TestDaemon.start({ folder, env, awaitReady: false }))[Symbol.asyncDispose]();
  await seed();
  daemon = await TestDaemon.start({ folder, env, awaitReady: false });
  browser = await TestBrowser.start();
});

after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await daemon?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Written past the daemon: ten thousand submissions would take an hour. */
async function seed(): Promise<void> {
  await using store = await Store.open({ folder });
  for (let from = 0; from < COUNT; from += BATCH) {
    await store.transact((tx) => {
      for (let index = from; index < from + BATCH; index += 1) put(tx, index);
    });
  }
}

function put(tx: Parameters<Parameters<Store['transact']>[0]>[0], index: number): void {
  const at = FIRST_TIME_US + index;
  const identifier = index.toString(16).padStart(64, '0');
  const shared = {
    kind: 'image',
    hash: identifier,
    sourceUrl: null,
    options: { ...DEFAULT_OPTIONS },
  } as const;
  tx.putAnalysis({
    ...{
      ...shared,
      id: identifier,
      key: `image/${index}`,
      models: [],
      accountId: ADMIN_ID,
      state: 'errored',
    },
    ...{ attempts: 1, lease: null, error: 'a seeded record', queuedAt: at, endedAt: at },
    ...{ apiVersion: '1.1.0', result: null },
  });
  tx.putClassification({
    ...{
      ...shared,
      identifier,
      accountId: ADMIN_ID,
      name: `picture-${index}.png`,
      refId: '',
      mime: 'image/png',
    },
    ...{ sizeBytes: 1, analysisId: identifier, origin: 'analysed', cancelled: false, credits: 0 },
    ...{ webhookUrl: null, facade: 'rest', requestId: null, createdAt: at },
  });
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
  await page.getByLabel('Name, reference, hash or identifier').fill('picture-8888.png');
  await page.getByText('picture-8888.png').waitFor();
  assert.deepEqual(desk.faults, []);
});
