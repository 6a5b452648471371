/** A thousand calls at once and a kill: afterwards each ledger sums up to its balance, and records cost what was spent. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { Agent, FormData, fetch as fetchBy } from 'undici';
import type { Account } from '../../src/domain/accounts/account.ts';
import { Store } from '../../src/store/store.ts';
import { TEST_KEY, TestDaemon } from '../daemon.ts';
import { makePicture } from '../interface/media.ts';
import { writeTinyPacks } from '../interface/packs.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { childrenOf, isAlive } from './rounds/processes.ts';
import { awaitEnds, awaitIdle, pidOf, setPicturePrice, until } from './rounds/submissions.ts';

const SUBMISSIONS = 700;
const OVERRIDES = 300;
/** Each many times: equal ones are joined, cached or, when forced, charged again. */
const PICTURES = 40;
const PRICE = 3;
const CALLS_AT_ONCE = 64;
const WATCHED_EVERY = 20;
const ADMIN_ID = 1;
const HEADERS = { 'x-api-key': TEST_KEY, accept: 'application/json' };

interface Call {
  kind: 'submission' | 'override';
  picture: Buffer;
  isForced: boolean;
}

function makeCalls(pictures: Buffer[]): Call[] {
  const total = SUBMISSIONS + OVERRIDES;
  return Array.from({ length: total }, (_, index) => ({
    // Submissions and overrides alternate evenly, in the same order at each run.
    kind: (index * OVERRIDES) % total < OVERRIDES ? 'override' : 'submission',
    picture: pictures[(index * 7 + Math.floor(index / pictures.length)) % pictures.length] ?? Buffer.alloc(0),
    isForced: index % 20 === 0,
  }));
}

interface Outcome {
  identifiers: string[];
  overridden: Map<string, Set<string>>;
}

/** Ends with the daemon: what was not answered may have happened or not. */
async function callAll(daemon: TestDaemon, calls: Call[], killAfter: number): Promise<Outcome> {
  const outcome: Outcome = { identifiers: [], overridden: new Map() };
  const dispatcher = new Agent({ connections: CALLS_AT_ONCE });
  const queue = calls.values();
  let answered = 0;
  const run = async (): Promise<void> => {
    for (const call of queue) {
      if (call.kind === 'submission') await submit(daemon, call, outcome, dispatcher);
      else await override(daemon, call, outcome, answered, dispatcher);
      answered += 1;
      if (answered === killAfter) await daemon.kill('SIGKILL');
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: CALLS_AT_ONCE }, run));
  await dispatcher.destroy();
  const isKilled = daemon.process.signalCode !== null;
  const faults = ends.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []));
  if (!isKilled) assert.deepEqual(faults, []);
  return outcome;
}

async function submit(
  { http }: TestDaemon,
  { picture, isForced }: Call,
  outcome: Outcome,
  dispatcher: Agent,
): Promise<void> {
  const body = new FormData();
  body.set('image', new Blob([new Uint8Array(picture)]), 'picture.png');
  if (isForced) body.set('no_cache', 'true');
  const init = { method: 'POST', headers: HEADERS, body, dispatcher };
  const response = await fetchBy(`${http}/api/classification`, init);
  assert.equal(response.status, 200);
  outcome.identifiers.push(((await response.json()) as { identifier: string }).identifier);
}

async function override(
  { http }: TestDaemon,
  { picture }: Call,
  { overridden }: Outcome,
  turn: number,
  dispatcher: Agent,
): Promise<void> {
  const hash = createHash('sha256').update(picture).digest('hex');
  const classification = turn % 2 === 0 ? 'human' : 'artificial';
  const response = await fetchBy(`${http}/api/classification/${hash}/override`, {
    method: 'POST',
    headers: { ...HEADERS, 'content-type': 'application/json' },
    body: JSON.stringify({ classification }),
    dispatcher,
  });
  // Before its first submission the file is not there yet.
  assert.ok(response.status === 200 || response.status === 404, String(response.status));
  await response.text();
  if (response.status === 404) return;
  overridden.set(hash, (overridden.get(hash) ?? new Set()).add(classification));
}

/** The daemon must not run. */
async function assertLedger(folder: string, { identifiers, overridden }: Outcome): Promise<number> {
  await using store = await Store.open({ folder });
  const { read } = store;
  for (const account of read.accounts.all()) assertSum(store, account);
  const records = read.records.list({ accountId: ADMIN_ID, limit: 10_000 });
  const known = new Map(records.map((record) => [record.identifier, record]));
  for (const identifier of identifiers) assert.ok(known.has(identifier), `${identifier} is lost`);
  const charges = read.ledger(ADMIN_ID).filter(({ reason }) => reason === 'charge');
  const charged = records.filter(({ credits }) => credits > 0);
  assert.deepEqual(
    charges.map(({ identifier, amount }) => [identifier, -amount]).sort(),
    charged.map(({ identifier, credits }) => [identifier, credits]).sort(),
    'one charge for each record that cost something, and no other',
  );
  for (const { origin, credits, analysisId } of records) {
    assert.equal(credits, origin === 'analysed' ? PRICE : 0);
    assert.equal(read.analyses.get(analysisId)?.state, 'done');
  }
  assert.equal(read.balance(ADMIN_ID).spent, charged.length * PRICE);
  for (const [hash, given] of overridden) {
    const kept = read.override(ADMIN_ID, 'image', hash)?.classification;
    assert.ok(kept !== undefined && given.size > 0, `the override of ${hash} is lost`);
    const history = read.overrideHistory(ADMIN_ID, 'image', hash);
    assert.equal(history.at(-1)?.classification, kept);
  }
  return charged.length;
}

function assertSum({ read }: Store, { id }: Account): void {
  const lines = read.ledger(id);
  const balance = read.balance(id);
  assert.equal(
    lines.reduce((sum, { amount }) => sum + amount, 0),
    balance.available,
  );
  assert.deepEqual(
    lines.map(({ sequence }) => sequence),
    lines.map((_, index) => index + 1),
  );
}

test('the ledger sums up after a thousand calls with a kill in the middle', async () => {
  await using folder = await makeTemporaryFolder();
  await using packs = await makeTemporaryFolder();
  await writeTinyPacks(packs.path);
  const env = { ASSAY_MODELS_FOLDERS: packs.path, ASSAY_ANALYSIS_STABILITY: 'false' };
  const pictures = await Promise.all(
    Array.from({ length: PICTURES }, () => makePicture({ width: 200, height: 200 })),
  );
  const calls = makeCalls(pictures);
  await using killed = await TestDaemon.start({ folder: folder.path, env });
  await setPicturePrice(killed, PRICE);
  const { decode, inference } = childrenOf(pidOf(killed));
  const half = Math.floor(calls.length / 2);
  const before = await callAll(killed, calls, half);
  assert.equal(killed.process.signalCode, 'SIGKILL');
  await until(() => ![...decode, ...inference].some(isAlive), 'the children of the killed daemon to end');
  {
    await using daemon = await TestDaemon.start({ folder: folder.path, env });
    const rest = await callAll(daemon, calls.slice(half), Number.POSITIVE_INFINITY);
    before.identifiers.push(...rest.identifiers);
    for (const [hash, given] of rest.overridden)
      before.overridden.set(hash, given.union(before.overridden.get(hash) ?? new Set()));
    assert.ok(before.overridden.size > PICTURES / 2, `${before.overridden.size} overridden files`);
    // Only some are awaited one by one: the store shows all of them below.
    await awaitEnds(
      daemon,
      before.identifiers.filter((_, index) => index % WATCHED_EVERY === 0),
    );
    await awaitIdle(daemon);
  }
  const charged = await assertLedger(folder.path, before);
  assert.ok(charged >= PICTURES, `${charged} charged records`);
});
