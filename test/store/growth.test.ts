/** What is read leaves nothing open in the store: its file grows with what is stored, and with nothing else. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TestDaemon } from '../daemon.ts';
import { awaitEnds, distinctPicture, KEY_HEADERS, submitPicture } from '../faults/rounds/submissions.ts';

const SUBMISSIONS = 300;
const MEGABYTE = 1e6;

const recordsBytes = ({ folder }: TestDaemon): number => statSync(join(folder, 'records', 'data.mdb')).size;

async function askGraphql({ http }: TestDaemon, query: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${http}/graphql`, {
    method: 'POST',
    headers: { ...KEY_HEADERS, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = (await response.json()) as { data: Record<string, unknown>; errors?: unknown };
  assert.equal(errors, undefined, JSON.stringify(errors));
  return data;
}

/** The same file again and again: each is a record, a charge and its entries of the log. */
async function submitAgain(daemon: TestDaemon, picture: Buffer): Promise<void> {
  for (let count = 0; count < SUBMISSIONS; count += 1) await submitPicture(daemon, picture);
}

test('300 submissions after the doctor was asked once', { timeout: 180_000 }, async () => {
  await using daemon = await TestDaemon.start();
  for (const name of ['a', 'b', 'c', 'd']) {
    await askGraphql(daemon, `mutation { createKey(name: "${name}") { userErrors { message } } }`);
  }
  await askGraphql(daemon, '{ findings { name } }');
  const picture = await distinctPicture(1);
  await awaitEnds(daemon, [await submitPicture(daemon, picture)]);
  await submitAgain(daemon, picture);
  assert.ok(recordsBytes(daemon) < 5 * MEGABYTE, `${recordsBytes(daemon)} bytes`);
});
