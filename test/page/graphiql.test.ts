/** GraphiQL in a real browser: it comes from the box alone and runs a query. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TEST_KEY } from '../daemon.ts';
import { TestBrowser } from './browser.ts';
import { startDesk } from './desk-daemon.ts';

test('GraphiQL opens without anything foreign and answers a query by key', async () => {
  await using daemon = await startDesk({ models: 'tiny' });
  await using browser = await TestBrowser.start();
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  const foreign: string[] = [];
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith('http') && origin !== daemon.http) foreign.push(request.url());
  });
  const query = encodeURIComponent('{ viewer { credits { availableCredits } } }');
  await page.goto(`/graphql?query=${query}`);
  await page.getByRole('button', { name: 'Headers' }).click();
  await page.locator('.graphiql-editor-tool .graphiql-editor:not(.hidden)').last().click();
  await page.keyboard.insertText(JSON.stringify({ 'x-api-key': TEST_KEY }));
  await page.locator('.graphiql-execute-button').click();
  const answer = page.locator('.result-window');
  await answer.getByText('availableCredits').waitFor();
  assert.match((await answer.textContent()) ?? '', /1000000|1,000,000/);
  assert.deepEqual(foreign, []);
  assert.deepEqual(desk.faults, []);
});
