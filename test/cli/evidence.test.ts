import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { createKey } from '../../src/app/accounts/keys.ts';
import { exportEvidence } from '../../src/app/evidence/export-evidence.ts';
import { signCheckpoint } from '../../src/domain/custody/checkpoint.ts';
import { readRoot } from '../../src/domain/custody/merkle-tree.ts';
import { toTimestampQuery } from '../../src/evidence/timestamps/timestamp.ts';
import { addDone, keepOriginal } from '../app/evidence/finished-record.ts';
import { openServedApp, type ServedApp } from '../app/open-app.ts';
import { makePackage, newKey, takeApart } from '../evidence/made-package.ts';
import { startAuthority, type TimestampAuthority } from '../evidence/timestamp-authority.ts';
import { linesOf, type Outcome, runCommand } from './run-command.ts';

let open: ServedApp;
let authority: TimestampAuthority;
let key: string;
/** A record, and a package of it. */
let identifier: string;
let whole: string;

before(async () => {
  authority = await startAuthority();
  open = await openServedApp({ ASSAY_EVIDENCE_TIMESTAMP_AUTHORITIES: authority.url });
  await keepOriginal(open.app);
  key = (await createKey(open.app, { principal: open.admin, name: 'a test' })).secret;
  identifier = await addDone(open.app);
  const input = {
    principal: open.admin,
    identifiers: [identifier],
    fields: { title: 'Bridge' },
  };
  const { bytes } = await exportEvidence(open.app, input, new AbortController().signal);
  whole = join(open.folder, 'whole.zip');
  await writeFile(whole, await buffer(Readable.from(bytes)));
});

after(async () => {
  await open[Symbol.asyncDispose]();
  await authority[Symbol.asyncDispose]();
});

function assay(...argv: string[]): Promise<Outcome> {
  return runCommand({ address: open.daemon.grpc.address, key }, argv);
}

const evidence = (...argv: string[]): Promise<Outcome> => assay('evidence', ...argv);
const custody = (...argv: string[]): Promise<Outcome> => assay('custody', ...argv);

/** Runs the command as off the box: no daemon answers. */
function offBox(...argv: string[]): Promise<Outcome> {
  return runCommand({ address: '127.0.0.1:1', key: '' }, ['evidence', ...argv]);
}

test('an authority is asked off the box, and the package shows its time; a missing root is reported', async () => {
  const path = join(open.folder, 'asked.zip');
  match((await offBox('verify', whole)).out, /Not timestamped: its age rests on the word of the box/);
  const made = await offBox('timestamp', whole, '--authority', authority.url, '-o', path);
  equal(made.code, 0, made.err);
  match(made.out, /^Stamped: \S+Z by Test Authority \(timestamp-1\.tsr\)$/m);
  match(
    (await offBox('verify', path)).out,
    /by Test Authority .*was not checked against a root: give --tsa-ca/,
  );
  const rooted = await offBox('verify', path, '--tsa-ca', authority.rootFile);
  equal(rooted.code, 0);
  match(rooted.out, /its certificate leads to a root of --tsa-ca/);
  const [before, stamped] = [await takeApart(whole), await takeApart(path)];
  for (const [member, bytes] of before) deepEqual(stamped.get(member), bytes, member);
});

test('a token of one’s own is added in place with its root, once; one of other bytes is refused', async () => {
  const path = join(open.folder, 'given.zip');
  await copyFile(whole, path);
  const signature = (await takeApart(path)).get('signature.ed25519') ?? Buffer.alloc(0);
  const token = join(open.folder, 'reply.tsr');
  await writeFile(token, await authority.answer(toTimestampQuery(Buffer.from('other')).query));
  const refused = await offBox('timestamp', path, '--token', token);
  equal(refused.code, 1);
  match(refused.err, /reply\.tsr: is a timestamp of other bytes: its message imprint differs/);
  deepEqual(await readFile(path), await readFile(whole));
  await writeFile(token, await authority.answer(toTimestampQuery(signature).query));
  const order = ['timestamp', path, '--token', token, '--tsa-ca', authority.rootFile, '--json'];
  const { added } = JSON.parse((await offBox(...order)).out) as { added: { member: string }[] };
  deepEqual(
    added.map(({ member }) => member),
    ['timestamp-1.tsr'],
  );
  deepEqual(JSON.parse((await offBox(...order)).out), { path, added: [] });
  match(
    (await offBox('verify', path)).out,
    /leads to a root that lies in the package, which proves nothing alone/,
  );
});

test('tokens that arrive later are added to a package that left before', async () => {
  const path = join(open.folder, 'late.zip');
  let made = await evidence('timestamp', whole, '-o', path);
  while (/Nothing was added/.test(made.out)) made = await evidence('timestamp', whole, '-o', path);
  match(made.out, /^Stamped: .* \(timestamp-1\.tsr\)$/m);
  match((await offBox('verify', path)).out, /whole and signed/);
});

test('wrong orders are refused', async () => {
  const both = await offBox('timestamp', whole, '--authority', authority.url, '--token', 'a');
  deepEqual([both.code, both.err.includes('give --authority or --token, not both')], [2, true]);
  match(
    (await offBox('timestamp', whole, '--authority', 'http://time.example')).err,
    /expected an address like https/,
  );
  match(
    (await offBox('timestamp', whole, '--authority', 'https://10.0.0.1/')).err,
    /leads to the private range/,
  );
  match((await offBox('timestamp', whole, '--token', 'nowhere')).err, /nowhere cannot be read: ENOENT/);
  match((await offBox('verify', whole, '--tsa-ca', whole)).err, /holds no certificate in PEM/);
  match((await offBox('timestamp', authority.rootFile, '--token', 'a')).err, /cannot be read/);
});

test('notes and packages that cannot be read are refused with the file', async () => {
  const [notes, odd] = [join(open.folder, 'notes.txt'), join(open.folder, 'odd.zip')];
  await writeFile(odd, 'no zip');
  const cases = [
    { argv: ['export', identifier, '--notes', 'a', '--notes-file', notes], code: 2, err: /not both/ },
    {
      argv: ['export', identifier, '--notes-file', notes],
      code: 2,
      err: /notes\.txt cannot be read: ENOENT/,
    },
    { argv: ['verify', odd], code: 1, err: /odd\.zip is no package that can be read/ },
  ];
  for (const { argv, code, err } of cases) {
    const refused = await evidence(...argv);
    deepEqual([refused.code, err.test(refused.err)], [code, true], refused.err);
  }
});

test('a package made of notes in a file prints them, and the log was only added to since an older one', async () => {
  const [notes, path] = [join(open.folder, 'notes.txt'), join(open.folder, 'noted.zip')];
  await writeFile(notes, 'seen from the bridge');
  const made = await evidence('export', identifier, '--notes-file', notes, '-o', path);
  deepEqual([made.code, made.out], [0, `${path}\n`], made.err);
  match((await takeApart(path)).get('data/report.html')?.toString('utf8') ?? '', /seen from the bridge/);
  const since = await offBox('verify', path, '--since', whole);
  match(since.out, /^Log: \d+ entries then, \d+ now: .*/m);
  equal(since.code, 0, since.out);
});

test('figures that this version reads otherwise are printed both ways, with their dates', async () => {
  const payload = new Map([...(await takeApart(whole))].filter(([member]) => member.startsWith('data/')));
  const figures = JSON.parse(payload.get('data/figures.json')?.toString('utf8') ?? '');
  figures.read = {
    ...figures.read,
    rulesVersion: 1,
    state: 'human',
    classification: 'human',
    probability: 0.2,
  };
  payload.set('data/figures.json', Buffer.from(JSON.stringify(figures)));
  const path = join(open.folder, 'older.zip');
  await writeFile(path, await makePackage({ key: open.app.signingKeys.current(), payload }));
  const { code, out } = await offBox('verify', path);
  equal(code, 0, out);
  match(out, /: human, 20\.0 % chance of AI, counts as human \(rules version 1\)/);
  match(
    out,
    /read so on 20\S+Z; this version reads the same figures on 20\S+Z as:\n {2}artificial, .*rules version/,
  );
  const report = JSON.parse((await offBox('verify', path, '--json')).out);
  deepEqual([report.records[0].exported.state, report.records[0].present.state], ['human', 'artificial']);
});

interface PublishedJwk extends JsonWebKey {
  kty: string;
  crv: string;
  x: string;
  kid: string;
  fingerprint: string;
  public_key_pem: string;
  ssh_public_key: string;
  created_at: string;
  retired_at: string | null;
}

async function publishedKeys(): Promise<PublishedJwk[]> {
  const response = await fetch(`${open.url}/.well-known/assay-evidence-keys.json`);
  match(response.headers.get('content-type') ?? '', /^application\/jwk-set\+json/);
  equal(response.headers.get('access-control-allow-origin'), '*', 'a page elsewhere may verify a package');
  return ((await response.json()) as { keys: PublishedJwk[] }).keys;
}

const sha256 = (bytes: string | Buffer, encoding: 'base64' | 'base64url'): string =>
  createHash('sha256').update(bytes).digest(encoding);

test('a key that was rotated stays published, and still verifies what it signed', async () => {
  const [before] = await publishedKeys();
  const rotated = await evidence('key', 'rotate');
  const keys = await publishedKeys();
  const [present, old] = keys;
  ok(before && present && old);
  equal(rotated.out, `${present.fingerprint}\n`);
  ok(rotated.err.includes(`What ${before.fingerprint} signed still verifies`), rotated.err);
  deepEqual([present.retired_at, { ...old, retired_at: null }], [null, before]);
  ok(Date.parse(old.retired_at ?? '') >= Date.parse(old.created_at));
  for (const { kty, crv, x, kid, fingerprint, public_key_pem, ssh_public_key } of keys) {
    const key = createPublicKey({ key: { kty, crv, x }, format: 'jwk' });
    ok(key.equals(createPublicKey(public_key_pem)));
    equal(kid, sha256(JSON.stringify({ crv, kty, x }), 'base64url'), 'RFC 7638');
    const [, blob = ''] = ssh_public_key.split(' ');
    equal(fingerprint, `SHA256:${sha256(Buffer.from(blob, 'base64'), 'base64').replace('=', '')}`);
  }
  const files = await takeApart(whole);
  const signed = files.get('tagmanifest-sha256.txt') ?? Buffer.alloc(0);
  const judge = (key: PublishedJwk): boolean =>
    verify(null, signed, { key, format: 'jwk' }, files.get('signature.ed25519') ?? Buffer.alloc(0));
  deepEqual([judge(present), judge(old)], [false, true]);
  equal((await evidence('verify', whole, '--fingerprint', old.fingerprint)).code, 0);
  const shown = (await evidence('key', 'show')).out
    .split('\n')
    .find((line) => line.includes(old.fingerprint));
  ok(shown?.includes(`until ${old.retired_at?.slice(0, 19)}Z`), shown);
  equal((await evidence('key', 'show', '--pem')).out, present.public_key_pem);
  equal(linesOf(await evidence('key', 'rotate', '--json')).length, 3);
});

test('details that an administrator deletes are gone from the log, which stays whole', async () => {
  const received = /^(\d+) .* name=a\.png .*/m.exec((await custody('show', identifier)).out);
  const sequence = received?.[1] ?? '';
  const done = await custody('redact', sequence, '99999', '--reason', 'a court order');
  deepEqual([done.code, done.out], [1, 'the details of 1 of 2 entries are deleted\n']);
  match(done.err, /the others are not there, have none any more/);
  match((await custody('show', identifier)).out, new RegExp(`^${sequence}  .*details deleted on \\S+`, 'm'));
  const whole = await custody('verify');
  deepEqual([whole.code, /details of 1 entry were deleted, as the log says/.test(whole.out)], [0, true]);
  match(whole.out, /^whole: \d+ entries, root \S+$/m);
  match(whole.out, /^epoch \w+ from entry 0, .*: the log begins$/m);
});

test('a record’s proof holds a checkpoint that the box recognises, and no other', async () => {
  const path = (name: string): string => join(open.folder, name);
  const proved = await custody('prove', identifier, '-o', path('proof.json'));
  deepEqual([proved.code, proved.out], [0, ''], proved.err);
  const proof = JSON.parse(await readFile(path('proof.json'), 'utf8'));
  await writeFile(path('signed.txt'), proof.checkpoint);
  await writeFile(path('foreign.txt'), proof.checkpoint.replace(/^assay/, 'essay'));
  const later = await custody('prove', identifier, '--since', '3');
  ok(JSON.parse(later.out).consistency.length > 0, later.out);
  const cases = [
    { argv: ['verify', '--checkpoint', path('signed.txt')], code: 0, said: /^held: the first \d+ entries/ },
    { argv: ['verify', '--checkpoint', path('foreign.txt')], code: 1, said: /^foreign: no key of this box/ },
    {
      argv: ['verify', '--checkpoint', path('foreign.txt'), '--json'],
      ...{ code: 1, said: /"finding":"CHECKPOINT_FINDING_FOREIGN"/ },
    },
    {
      argv: ['verify', '--checkpoint', path('none.txt')],
      code: 2,
      said: /none\.txt cannot be read \(ENOENT\)/,
    },
    { argv: ['prove', identifier, '--since', 'x'], code: 2, said: /the size of a checkpoint, found x/ },
    { argv: ['prove', identifier, '-o', open.folder], code: 1, said: /cannot be written \(EISDIR\)/ },
    { argv: ['redact', 'x'], code: 2, said: /the number of an entry, found x/ },
  ];
  for (const { argv, code, said } of cases) {
    const { out, err, ...judged } = await custody(...argv);
    deepEqual([judged.code, said.test(out + err)], [code, true], out + err);
  }
});

test('a log with a fault is not whole, and the fault is named', async () => {
  const { size } = open.app.store.read.custody;
  const root = readRoot(size, open.app.store.read.custody.subtree);
  const origin = 'assay/custody/elsewhere';
  const folder = join(open.folder, 'elsewhere');
  await mkdir(folder);
  const note = signCheckpoint({ origin, size, root }, await newKey(folder));
  await open.app.store.transact((tx) => tx.putCheckpoint(size, { note, at: 1 }));
  const judged = await custody('verify');
  deepEqual([judged.code, judged.out.startsWith('NOT WHOLE: ')], [1, true]);
  ok(
    judged.out.includes(`\nthe checkpoint of ${size} entries is signed by no key of this box\n`),
    judged.out,
  );
  const [report] = linesOf(await custody('verify', '--json'));
  deepEqual([report?.is_whole, report?.fault_count], [false, '1']);
});
