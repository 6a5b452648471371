/** The page of desks in a real browser: a desk is made, gets members, and is chosen for a submission and in the list. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PATHS } from '../../page/parts/paths.ts';
import { TEST_KEY } from '../daemon.ts';
import { patternImage } from '../media/pictures.ts';
import { ADMIN, signIn, TestBrowser } from './browser.ts';
import { classify, startDesk } from './desk-daemon.ts';

test('a desk is made, a member is named, and submissions and the list may be for the desk', async () => {
  const user = { name: 'Night editor', email: 'night@example.org' };
  const query = 'mutation ($user: UserInput!) { createUser(input: $user) { user { id } } }';
  const headers = { 'x-api-key': TEST_KEY, 'content-type': 'application/json' };
  await using daemon = await startDesk({ models: 'tiny' });
  const body = JSON.stringify({ query, variables: { user } });
  const made = await fetch(`${daemon.http}/graphql`, { method: 'POST', headers, body });
  const { data } = (await made.json()) as { data: { createUser: { user: { id: string } } } };
  const { id } = data.createUser.user;
  await using browser = await TestBrowser.start();
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await signIn(desk);
  await page.goto(`${daemon.http}${PATHS.desks}`);
  await page.getByLabel('Name of the desk').fill('Night desk');
  await page.getByRole('button', { name: 'Make a desk' }).click();
  const panel = page.getByRole('region', { name: 'Night desk' });
  for (const [email, role] of [
    ['night@example.org', 'signs off'],
    [ADMIN.email, 'submits'],
  ] as const) {
    await panel.getByLabel('E-mail').fill(email);
    await panel.getByLabel('Role').selectOption({ label: role });
    await panel.getByRole('button', { name: 'Give the role' }).click();
    await panel.getByRole('row', { name: email }).getByText(role).waitFor();
  }
  await panel.getByText('Your role: submits.').waitFor();
  const keyed = 'mutation ($id: ID) { createKey(name: "night", userId: $id) { secret } }';
  const answer = await fetch(`${daemon.http}/graphql`, {
    ...{ method: 'POST', headers, body: JSON.stringify({ query: keyed, variables: { id } }) },
  });
  const { data: key } = (await answer.json()) as { data: { createKey: { secret: string } } };
  const picture = await patternImage(420, 320).jpeg().toBuffer();
  await classify(daemon.http, 'image', picture, 'harbour.jpg', {}, key.createKey.secret);
  await page.goto(`${daemon.http}${PATHS.records}`);
  const row = page.getByRole('listitem').filter({ hasText: 'harbour.jpg' });
  await row.getByText('Night editor').waitFor();
  await page.getByRole('combobox', { name: 'Desk' }).selectOption({ label: 'none' });
  await page.getByText('Nothing found').waitFor();
  await page.getByRole('combobox', { name: 'Desk' }).selectOption({ label: 'Night desk' });
  await row.waitFor();
  await page.goto(`${daemon.http}${PATHS.submit}`);
  await page.getByText('Options').first().click();
  await page.getByRole('combobox', { name: 'Desk' }).selectOption({ label: 'Night desk' });
  await page.goto(`${daemon.http}${PATHS.desks}`);
  await panel.getByRole('button', { name: `Leave: ` }).click();
  await panel.getByText('You are not a member').waitFor();
  assert.deepEqual(desk.faults, []);
});
