import assert from 'node:assert/strict';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { runCommand } from '../cli/run-command.ts';
import { TEST_KEY } from '../daemon.ts';
import { patternImage } from '../media/pictures.ts';
import { signIn, TestBrowser } from './browser.ts';
import { type DeskDaemon, readRest, startDesk } from './desk-daemon.ts';

let daemon: DeskDaemon;
let browser: TestBrowser;
let source: Server;
let picture: Buffer;
/** What the source does with a request: no answer, a refusal, or the picture. */
let answer: (response: ServerResponse) => void;

before(async () => {
  daemon = await startDesk();
  browser = await TestBrowser.start();
  picture = await patternImage(400, 320).jpeg({ quality: 88 }).toBuffer();
  source = createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
});

after(async () => {
  source?.closeAllConnections();
  source?.close();
  await browser?.[Symbol.asyncDispose]();
  await daemon?.[Symbol.asyncDispose]();
});

const hang = (): void => {};
const refuse = (response: ServerResponse): void => void response.writeHead(404).end();
const give = (response: ServerResponse): void =>
  void response.writeHead(200, { 'content-type': 'image/jpeg' }).end(picture);

/** Submits a picture that the daemon fetches from the source. */
async function submitFromSource(): Promise<string> {
  const form = new FormData();
  form.set('file_url', `http://127.0.0.1:${(source.address() as AddressInfo).port}/a.jpg`);
  const headers = { 'x-api-key': TEST_KEY, accept: 'application/json' };
  const url = `${daemon.http}/api/image_fromurl`;
  const response = await fetch(url, { method: 'POST', headers, body: form });
  const body = (await response.json()) as { identifier: string };
  assert.equal(response.status, 200, JSON.stringify(body));
  return body.identifier;
}

async function untilStatus(identifier: string, wanted: string): Promise<Record<string, unknown>> {
  for (let poll = 0; poll < 200; poll += 1) {
    const record = await readRest(daemon.http, 'image', identifier);
    if (record.status === wanted) return record;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${identifier} did not become ${wanted}`);
}

test('the first steps say once that the models are weak and which command adds a stronger one; no other page does', async () => {
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await signIn(desk);
  const hints = async (): Promise<number[]> => [
    await page.getByText('give weak evidence').count(),
    await page.getByText('npx assay models add sieve').count(),
  ];
  for (const [path, heading] of [
    ['/submit', 'Submit files'],
    ['/models', 'Models'],
  ] as const) {
    await page.goto(path);
    await page.getByRole('heading', { name: heading, exact: true }).first().waitFor();
    assert.deepEqual(await hints(), [0, 0], path);
  }
  await page.goto('/');
  await page.getByRole('link', { name: 'First steps' }).click();
  await page.getByRole('heading', { name: 'Add a stronger model' }).waitFor();
  assert.deepEqual(await hints(), [1, 1]);
  await page.getByText(/^Assay vision transformer: .*outside harvest, a third photographs/).waitFor();
  assert.deepEqual(desk.faults, []);
});

test('the page cancels running work and runs failed work again', async () => {
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await signIn(desk);
  answer = hang;
  const stuck = await submitFromSource();
  await page.goto('/queue');
  await page.getByRole('button', { name: `Cancel: ${stuck.slice(0, 12)}` }).click();
  assert.equal((await untilStatus(stuck, 'errored')).errors, 'cancelled');
  answer = refuse;
  const failed = await submitFromSource();
  await untilStatus(failed, 'errored');
  answer = give;
  await page.getByRole('button', { name: `Run again: ${failed.slice(0, 12)}` }).click();
  await untilStatus(failed, 'done');
  assert.deepEqual(desk.faults, []);
});

test('the command line cancels running work and runs failed work again', async () => {
  const address = { address: daemon.grpc, key: TEST_KEY };
  answer = hang;
  const stuck = await submitFromSource();
  const { out } = await runCommand(address, ['queue', '--json']);
  const queue = JSON.parse(out) as Record<string, { analysis_id?: string; identifiers: string[] }[]>;
  const entries = [...(queue.running ?? []), ...(queue.waiting ?? [])];
  const entry = entries.find(({ identifiers }) => identifiers.includes(stuck));
  const analysisId = entry?.analysis_id ?? '';
  const cancelled = await runCommand(address, ['queue', 'cancel', analysisId]);
  assert.deepEqual([cancelled.code, cancelled.out.trim()], [0, stuck]);
  const again = await runCommand(address, ['queue', 'retry', 'no-such-work']);
  assert.notEqual(again.code, 0);
  assert.match(again.err, /no such work in the queue/);
});

test('a backup is made from the page and listed as read back', async () => {
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await signIn(desk);
  await page.goto('/backups');
  const good = page.getByRole('cell', { name: 'read back whole' });
  // The daemon makes the first one by itself.
  await good.first().waitFor();
  const before = await good.count();
  await page.getByRole('button', { name: 'Make a backup now' }).click();
  await good.nth(before).waitFor();
  const { out } = await runCommand({ address: daemon.grpc, key: TEST_KEY }, ['backup', '--list']);
  assert.match(out, /assay-\d{8}T/);
  assert.deepEqual(desk.faults, []);
});

test('the first steps test the device and analyse a sample', async () => {
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await signIn(desk);
  await page.goto('/first-steps');
  await page.getByText('which is how you opened this page').waitFor();
  await page.getByRole('button', { name: 'Test now' }).click();
  await page.getByRole('cell', { name: 'match the golden outputs' }).first().waitFor();
  await page.getByRole('button', { name: 'Analyse a sample' }).click();
  await page.getByRole('heading', { name: 'sample-drawing.jpg' }).waitFor();
  await page
    .getByLabel('Verdict')
    .getByText('This says how likely')
    .or(page.getByText('could not be judged'))
    .first()
    .waitFor();
  await page.getByRole('link', { name: 'History' }).click();
  await page.getByText('on this page, signed in').first().waitFor();
  assert.deepEqual(desk.faults, []);
});

test('the page shows a model’s card, and how to repair what needs the operator', async () => {
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await signIn(desk);
  await page.goto('/models');
  await page.getByRole('button', { name: 'Read the card: Assay vision transformer' }).click();
  await page.getByRole('dialog').getByRole('heading', { name: 'What it is' }).waitFor();
  const card = await runCommand({ address: daemon.grpc, key: TEST_KEY }, [
    'models',
    'card',
    'assay-transformer',
  ]);
  assert.match(card.out, /^# Assay vision transformer/);
  await page.goto('/appliance');
  await page.getByText('Trusted signers (C2PA)').waitFor();
  await page.getByText('get them from their publishers').waitFor();
  assert.deepEqual(desk.faults, []);
});
