import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { judgeTimestamp, TimestampError, toTimestampQuery } from '../../src/evidence/timestamps/timestamp.ts';
import { startAuthority, type TimestampAuthority } from './timestamp-authority.ts';

const BYTES = Buffer.from('sixty-four bytes of a signature, or whatever else is to be stamped');
let authority: TimestampAuthority;
let reply: Buffer;
let nonce: string;

before(async () => {
  authority = await startAuthority();
  const made = toTimestampQuery(BYTES);
  nonce = made.nonce;
  reply = await authority.answer(made.query);
});

after(() => authority[Symbol.asyncDispose]());

test('a token shows its time and authority, and leads to the root', async () => {
  const found = await judgeTimestamp(reply, { bytes: BYTES, nonce, rootsPem: authority.rootPem });
  equal(found.authority, 'Test Authority');
  ok(Math.abs(found.time / 1000 - Date.now()) < 60_000);
  match(found.serialNumber, /^[0-9a-f]+$/);
});

test('a token of other bytes, of another query, of another root: each is refused', async () => {
  const other = Buffer.from('other bytes');
  await rejects(judgeTimestamp(reply, { bytes: other, rootsPem: null }), /of other bytes.*imprint differs/);
  await rejects(
    judgeTimestamp(reply, { bytes: BYTES, nonce: 'aa', rootsPem: null }),
    /answers another query: it has another nonce/,
  );
  await using stranger = await startAuthority('Stranger');
  const order = { bytes: BYTES, rootsPem: stranger.rootPem };
  await rejects(judgeTimestamp(reply, order), /does not lead to the given roots/);
});

test('garbage, a refusal and a changed token are refused', async () => {
  const order = { bytes: BYTES, rootsPem: null };
  await rejects(judgeTimestamp(Buffer.from('<html>'), order), /is no reply of a timestamp authority/);
  await rejects(
    judgeTimestamp(Buffer.concat([reply, Buffer.from('more')]), order),
    /is no reply of a timestamp authority/,
  );
  const refused = await authority.answer(Buffer.from('no query'));
  await rejects(judgeTimestamp(refused, order), /the authority answered "rejected"/);
  const roots = { bytes: BYTES, rootsPem: 'no PEM' };
  await rejects(judgeTimestamp(reply, roots), /holds no certificate in PEM/);
});

test('a flipped byte is found, or lies in the wrapping and changes nothing of what is read', async () => {
  const order = { bytes: BYTES, nonce, rootsPem: authority.rootPem };
  const whole = await judgeTimestamp(reply, order);
  let found = 0;
  for (let at = 0; at < reply.length; at += 5) {
    const changed = Buffer.from(reply);
    changed[at] = (changed[at] ?? 0) ^ 1;
    const judged = await judgeTimestamp(changed, order).catch((error: Error) => error);
    if (judged instanceof TimestampError) found += 1;
    else deepEqual(judged, whole, `byte ${at}`);
  }
  ok(found > reply.length / 5 / 2);
});
