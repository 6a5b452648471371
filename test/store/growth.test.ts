/** What is read leaves nothing open in the store: its file grows with what is stored, and with nothing else. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type OpenBox, openBox } from '../app/open-box.ts';
import {
  type Aim,
  graphqlOperations,
  grpcOperations,
  restOperations,
} from '../contract/ways/wire-operations.ts';
import { TEST_KEY } from '../daemon.ts';
import { awaitEnds, distinctPicture, KEY_HEADERS, submitPicture } from '../faults/rounds/submissions.ts';

const SUBMISSIONS = 300;
const MEGABYTE = 1e6;
/** Transactions: one that reads in this moment. */
const BEHIND_MAX = 20;

const recordsBytes = ({ folder }: OpenBox): number => statSync(join(folder, 'records', 'data.mdb')).size;

async function askGraphql({ http }: OpenBox, query: string): Promise<Record<string, unknown>> {
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
async function submitAgain(daemon: OpenBox, picture: Buffer): Promise<void> {
  for (let count = 0; count < SUBMISSIONS; count += 1) await submitPicture(daemon, picture);
}

async function asExpected(daemon: OpenBox, bytesMax: number): Promise<void> {
  const bytes = recordsBytes(daemon);
  assert.ok(bytes <= bytesMax, `${bytes} bytes`);
  const figures = await (await fetch(`${daemon.http}/metrics`)).text();
  const behind = /^assay_records_oldest_reader_transactions (\d+)$/m.exec(figures)?.[1];
  assert.ok(behind !== undefined && Number(behind) <= BEHIND_MAX, `the oldest reader is ${behind} behind`);
}

/** What begins so changes something, sends a file or makes one; all other operations only ask. */
const WRITES =
  /^(rest (?!get)|graphql mutation|grpc \w+\.(accept|add|answer|ask|cancel|change|create|delete|drain|export|forget|grant|override|pause|redact|remove|replace|replay|reset|resume|retry|reveal|revoke|rotate|send|set|test|update|backup|bench|rescore))/i;
const READS = [...restOperations(), ...graphqlOperations(), ...grpcOperations()].filter(
  ({ name }) => !WRITES.test(name),
);
/** An operation that was not carried out at all shows nothing of what it leaves open. */
const NOT_ASKED = /GRAPHQL_|the operation (has|costs|is)|internal error|UNIMPLEMENTED/i;

test('the store grows by what 300 submissions store, after every reading operation was called once', async () => {
  await using daemon = await openBox({ models: 'tiny' });
  // The doctor's findings are about them: who reads some of several must not leave the rest open.
  for (const name of ['a', 'b', 'c', 'd'])
    await askGraphql(daemon, `mutation { createKey(name: "${name}") { userErrors { message } } }`);
  const actor = { url: daemon.http, grpc: daemon.grpc, key: TEST_KEY };
  const pictures = await Promise.all([1, 2, 3].map((seed) => distinctPicture(seed)));
  const identifiers: string[] = [];
  for (const picture of pictures) identifiers.push(await submitPicture(daemon, picture));
  await awaitEnds(daemon, identifiers);
  const [identifier = ''] = identifiers;
  const query = `{ classification(identifier: "${identifier}") { ... on ImageClassification { hash } } }`;
  const { classification } = (await askGraphql(daemon, query)) as { classification: { hash: string } };
  const aim: Aim = {
    ...{ identifier, hash: classification.hash, accountId: 1 },
    ...{ deliveryId: '0'.repeat(64), email: 'a' },
  };
  assert.ok(READS.length >= 70, `${READS.length} operations`);
  for (const operation of READS) {
    assert.doesNotMatch(await operation.run(actor, aim), NOT_ASKED, operation.name);
  }
  const [picture] = pictures;
  assert.ok(picture !== undefined);
  await submitAgain(daemon, picture);
  await asExpected(daemon, 15 * MEGABYTE);
});
