import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type OpenBox, openBox } from '../app/open-box.ts';
import { TEST_KEY } from '../daemon.ts';
import { linesOf, type Outcome, runCommand } from './run-command.ts';

const PASSWORD = 'correct horse battery';
let daemon: OpenBox;

before(async () => {
  daemon = await openBox({ models: 'tiny', awaitReady: false, env: { ASSAY_ADMIN_PASSWORD: PASSWORD } });
});

after(() => daemon[Symbol.asyncDispose]());

function assay(argv: readonly string[], more: { key?: string; stdin?: string } = {}): Promise<Outcome> {
  return runCommand({ address: daemon.grpc, key: TEST_KEY, ...more }, argv);
}

/** Returns what the command printed; it must have succeeded. */
async function done(argv: readonly string[], more: { key?: string; stdin?: string } = {}): Promise<string> {
  const { code, out, err } = await assay(argv, more);
  assert.equal(code, 0, err);
  return out;
}

test('a plan, a user of it, its key and its credits, from nothing', async () => {
  await done(['plan', 'create', 'Desk', '--kinds', 'image,video', '--image-credits', '2', '--models', 'all']);
  const created = await done(['user', 'create', 'jane@example.org', '--name', 'Jane', '--plan', 'desk']);
  assert.match(created, /jane@example\.org .* Desk .* 0 .* e-mail not verified/);
  const key = (await done(['key', 'create', 'ingest', '--user', 'jane@example.org'])).trim();
  assert.match(key, /^assay_[0-9a-f]{64}$/);
  assert.equal(
    await done(['user', 'grant', 'jane@example.org', '30', '--note', 'trial']),
    'jane@example.org has 30 credits\n',
  );
  await done(['user', 'grant', 'jane@example.org', '--', '-5']);
  const ledger = await done(['ledger'], { key });
  assert.match(ledger, /^25 credits available, 0 spent\n.* grant +-5\n.* grant +\+30\n$/);
  const shown = await done(['account'], { key });
  assert.match(shown, /plan: kinds and credits +image 2, video 0\n/);
  const lines = linesOf(await assay(['account', '--json'], { key }));
  assert.deepEqual(
    [lines[0]?.email, lines[0]?.balance, lines[0]?.role],
    ['jane@example.org', '25', 'ROLE_USER'],
  );
});

test('prices of options are taken away by none', async () => {
  await done(['plan', 'create', 'Priced', '--option-credits', 'heatmap=1,nsfw=2']);
  assert.match(await done(['plan', 'set', 'Priced', '--option-credits', 'none']), /options +all\n/);
});

test('users are listed, changed, sent a link, reset and deleted', async () => {
  for (const name of ['ann', 'bob']) {
    await done(['user', 'create', `${name}@desk.example`, '--name', name, '--city', 'Roma']);
  }
  const listed = linesOf(
    await assay(['user', 'list', '--filter', 'desk.example', '--sort', 'name', '--descending', '--json']),
  );
  assert.deepEqual(
    listed.map(({ name }) => name),
    ['bob', 'ann'],
  );
  assert.match(await done(['user', '--filter', 'desk.example', '--limit', '1']), /ann@desk\.example/);
  const changed = await done(['user', 'set', 'ann@desk.example', '--role', 'partner', '--no-readonly']);
  assert.match(changed, /partner/);
  await done(['user', 'set', 'bob@desk.example', '--partner', 'ann@desk.example']);
  assert.match(
    await done(['user', 'set', 'bob@desk.example', '--partner', 'none', '--readonly']),
    /read-only/,
  );
  assert.match(
    await done(['user', 'send-email', 'bob@desk.example']),
    /^not sent: no mail server is set .* lies in \/\S+\.eml on the box: hand it to bob@desk\.example, or print a link with assay user reset/,
  );
  const reset = await assay(['user', 'reset', 'bob@desk.example']);
  assert.match(reset.out, /^http:\/\/\S+\/set-password\?token=\S+\n$/);
  assert.match(reset.err, /works once, until 20\d\d-/);
  assert.match(await done(['user', 'delete', 'bob@desk.example']), /deleted: user \d+ \(bob@desk\.example\)/);
});

test('keys are listed, revealed for the password, replaced and revoked', async () => {
  const [made] = linesOf(await assay(['key', 'create', 'second', '--json']));
  const id = String(made?.id);
  assert.match(await done(['key']), /second/);
  assert.equal(await done(['key', 'reveal', id], { stdin: `${PASSWORD}\n` }), `${made?.secret}\n`);
  const wrong = await assay(['key', 'reveal', id], { stdin: 'wrong\n' });
  assert.deepEqual([wrong.code, wrong.out], [1, '']);
  assert.match(wrong.err, /password: expected the password of this account/);
  const fresh = (await done(['key', 'replace', id])).trim();
  assert.notEqual(fresh, made?.secret);
  const stopped = await assay(['account'], { key: String(made?.secret) });
  assert.equal(stopped.code, 4);
  await done(['key', 'revoke', id]);
  assert.equal((await assay(['account'], { key: fresh })).code, 4);
});

test('the password is changed by two lines', async () => {
  const next = 'another long password';
  assert.match(await done(['account', 'password'], { stdin: `${PASSWORD}\n${next}\n` }), /changed/);
  assert.match(await done(['account', 'password'], { stdin: `${next}\n${PASSWORD}\n` }), /changed/);
});

test('plans are listed and changed', async () => {
  await done(['plan', 'create', 'Wire', '--kinds', 'none', '--option-credits', 'heatmap=1,nsfw=2']);
  const set = [
    'plan',
    'set',
    'Wire',
    '--kinds',
    'audio',
    '--rate-limit',
    '60',
    '--zero-retention',
    '--sku',
    'w-1',
  ];
  const changed = await done([...set, '--c2pa-policy', 'never', '--models', 'a,b']);
  assert.match(changed, /sku +w-1\nkinds and credits +audio 0\n/);
  assert.match(changed, /models +a, b\ncalls a minute +60\n/);
  assert.match(changed, /media kept +not at all\n/);
  assert.match(await done(['plan']), /heatmap \+1/);
  const [, ...plans] = linesOf(await assay(['plan', 'list', '--json']));
  assert(plans.some(({ sku, zero_retention }) => sku === 'w-1' && zero_retention === true));
});

test('the audit log, the queue and the webhooks are shown', async () => {
  await done(['plan', 'create', 'Audited']);
  const [entry] = linesOf(await assay(['audit', '--limit', '1', '--json']));
  assert.equal(entry?.action, 'plan.create');
  assert.match(
    await done(['audit', '--limit', '1']),
    /Administrator \(account 1\) {2}grpc 127\.0\.0\.1 {2}plan\.create/,
  );
  assert.match(await done(['queue']), /^0 running, 0 waiting/);
  const secret = await done(['webhook', 'secret']);
  assert.match(secret, /^whsec_/);
  assert.notEqual(await done(['webhook', 'rotate']), secret);
  assert.match(await done(['webhook', 'deliveries']), /last answer/);
});

const FAILURES: readonly { name: string; argv: string[]; code: number; err: RegExp }[] = [
  { name: 'no such user', argv: ['user', 'set', '99', '--city', 'x'], code: 1, err: /no such user/ },
  { name: 'no such e-mail', argv: ['user', 'delete', 'no@x.org'], code: 1, err: /no user with .* no@x\.org/ },
  {
    name: 'neither id nor e-mail',
    argv: ['user', 'delete', 'jane'],
    code: 2,
    err: /jane: expected a user's id/,
  },
  { name: 'nothing to change', argv: ['user', 'set', '1'], code: 2, err: /nothing to change/ },
  { name: 'a plan without changes', argv: ['plan', 'set', '1'], code: 2, err: /nothing to change/ },
  {
    name: 'no such plan',
    argv: ['plan', 'set', 'x', '--sku', 'y'],
    code: 1,
    err: /no plan x: assay plan list/,
  },
  {
    name: 'an unknown kind',
    argv: ['plan', 'create', 'x', '--kinds', 'text'],
    code: 2,
    err: /text is none of image/,
  },
  {
    name: 'a price below 0',
    argv: ['plan', 'create', 'x', '--image-credits', '-1'],
    code: 2,
    err: /0 or more/,
  },
  {
    name: 'a user without a name',
    argv: ['user', 'create', 'max@example.org'],
    code: 2,
    err: /required option '--name <text>' not specified/,
  },
  { name: 'an unknown key', argv: ['key', 'revoke', '99'], code: 1, err: /no such API key/ },
  { name: 'a key that is no id', argv: ['key', 'revoke', 'x'], code: 2, err: /must be a key's id/ },
  {
    name: 'no password',
    argv: ['key', 'reveal', '1'],
    code: 2,
    err: /expected on standard input, found nothing/,
  },
  { name: 'no credits', argv: ['user', 'grant', '1', '0'], code: 2, err: /other than 0, found 0/ },
  { name: 'an unknown delivery', argv: ['webhook', 'replay', 'msg_x'], code: 1, err: /no such delivery/ },
  {
    name: 'every field at fault is reported',
    argv: ['user', 'create', 'none', '--name', ''],
    code: 1,
    err: /user\.name: expected text.*\n.*user\.email: expected an e-mail address/,
  },
];

for (const { name, argv, code, err } of FAILURES) {
  test(`exit code ${code}: ${name}`, async () => {
    const outcome = await assay(argv);
    assert.match(outcome.err, err);
    assert.equal(outcome.code, code);
  });
}
