import { deepEqual, equal, match } from 'node:assert/strict';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { createKey } from '../../src/app/accounts/keys.ts';
import { exportEvidence } from '../../src/app/evidence/export-evidence.ts';
import { toTimestampQuery } from '../../src/evidence/timestamps/timestamp.ts';
import { addDone, keepOriginal } from '../app/evidence/finished-record.ts';
import { openServedApp, type ServedApp } from '../app/open-app.ts';
import { makePackage, takeApart } from '../evidence/made-package.ts';
import { startAuthority, type TimestampAuthority } from '../evidence/timestamp-authority.ts';
import { type Outcome, runCommand } from './run-command.ts';

let open: ServedApp;
let authority: TimestampAuthority;
let key: string;
let whole: string;

before(async () => {
  authority = await startAuthority();
  open = await openServedApp({ ASSAY_EVIDENCE_TIMESTAMP_AUTHORITIES: authority.url });
  await keepOriginal(open.app);
  key = (await createKey(open.app, { principal: open.admin, name: 'a test' })).secret;
  const input = {
    principal: open.admin,
    identifiers: [await addDone(open.app)],
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

function evidence(...argv: string[]): Promise<Outcome> {
  return runCommand({ address: open.daemon.grpc.address, key }, ['evidence', ...argv]);
}

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
