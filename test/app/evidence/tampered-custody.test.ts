/** Custody members of a real package, forged by somebody who has even the signing key: the chain shows it. */
import { deepEqual, match, ok } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { exportEvidence } from '../../../src/app/evidence/export-evidence.ts';
import { judgePackage } from '../../../src/evidence/judge-package.ts';
import { makePackage, putTogether, takeApart } from '../../evidence/made-package.ts';
import { type OpenApp, openApp } from '../open-app.ts';
import { addDone, keepOriginal } from './finished-record.ts';

const CUSTODY = 'data/custody.jsonl';
const PROOF = 'data/log/proof.json';
const CHECKPOINT = 'data/log/checkpoint.txt';
let open: OpenApp;
let whole: Map<string, Buffer>;

before(async () => {
  open = await openApp();
  await keepOriginal(open.app);
  const input = { principal: open.admin, identifiers: [await addDone(open.app)], fields: {} };
  const made = await exportEvidence(open.app, input, new AbortController().signal);
  const path = join(open.folder, made.name);
  await writeFile(path, await buffer(Readable.from(made.bytes)));
  whole = await takeApart(path);
});

after(() => open[Symbol.asyncDispose]());

/** Judges a package with this text in place of the member's; returns `member: fault`. */
async function judgeForged(member: string, text: string): Promise<string[]> {
  const payload = new Map([...whole].filter(([path]) => path.startsWith('data/')));
  payload.set(member, Buffer.from(text));
  const path = join(open.folder, 'forged.zip');
  await writeFile(path, await makePackage({ key: open.app.signingKeys.current(), payload }));
  const { faults } = await judgePackage({ path, fingerprints: [] });
  return faults.map((found) => `${found.member}: ${found.fault}`);
}

const textOf = (member: string): string => whole.get(member)?.toString('utf8') ?? '';

test('a flipped byte in any custody member is reported with its name', async () => {
  for (const member of [CUSTODY, PROOF, CHECKPOINT]) {
    const bytes = Buffer.from(whole.get(member) ?? []);
    ok(bytes.length > 0, member);
    const at = Math.floor(bytes.length / 2);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    const path = join(open.folder, 'flipped.zip');
    await putTogether(new Map(whole).set(member, bytes), path);
    const { faults } = await judgePackage({ path, fingerprints: [] });
    ok(
      faults.some((found) => found.member === member && /SHA-256 differs/.test(found.fault)),
      member,
    );
  }
});

test('entries, details, proofs and heads that were changed and signed anew are reported with their file', async () => {
  deepEqual(await judgeForged(CUSTODY, textOf(CUSTODY)), []);
  const [first = '', ...others] = textOf(CUSTODY).split('\n');
  const { line, detailsJson, salt } = JSON.parse(first) as Record<'line' | 'detailsJson' | 'salt', string>;
  const withFirst = (changed: object): string => [JSON.stringify(changed), ...others].join('\n');
  const entry = JSON.parse(line) as { at: number };
  const changed = withFirst({ line: JSON.stringify({ ...entry, at: entry.at + 1 }), detailsJson, salt });
  match(
    (await judgeForged(CUSTODY, changed)).join(),
    /data\/log\/proof\.json: does not show that entry \d+ of custody\.jsonl lies under the signed head/,
  );
  const other = withFirst({ line, detailsJson: detailsJson.replace(/\w/, 'Z'), salt });
  match(
    (await judgeForged(CUSTODY, other)).join(),
    /data\/custody\.jsonl: entry \d+ commits to other details/,
  );
  match((await judgeForged(CUSTODY, others.join('\n'))).join(), /data\/custody\.jsonl: lacks entry \d+/);
  match(
    (await judgeForged(CUSTODY, `{${first}`)).join(),
    /data\/custody\.jsonl: holds a line that is no entry/,
  );
  const proof = JSON.parse(textOf(PROOF)) as { size: number; entries: { inclusion: string[] }[] };
  const shorter = JSON.stringify({ ...proof, size: proof.size - 1 });
  match((await judgeForged(PROOF, shorter)).join(), /log\/proof\.json: is of \d+ entries/);
  const [path] = proof.entries;
  if (path !== undefined) path.inclusion = path.inclusion.slice(1);
  match(
    (await judgeForged(PROOF, JSON.stringify(proof))).join(),
    /log\/proof\.json: does not show that entry/,
  );
  match((await judgeForged(PROOF, 'no JSON')).join(), /log\/proof\.json: cannot be read/);
  const [origin = '', , ...rest] = textOf(CHECKPOINT).split('\n');
  const grown = [origin, '999999', ...rest].join('\n');
  match((await judgeForged(CHECKPOINT, grown)).join(), /log\/checkpoint\.txt: is not signed by the key/);
  match((await judgeForged(CHECKPOINT, 'a note')).join(), /log\/checkpoint\.txt: is no checkpoint/);
});

test('two packages show that the log was only added to, or that it was not', async () => {
  const older = join(open.folder, 'older.zip');
  await putTogether(whole, older);
  const input = { principal: open.admin, identifiers: [await addDone(open.app, 'c'.repeat(64))], fields: {} };
  const made = await exportEvidence(open.app, input, new AbortController().signal);
  const newer = join(open.folder, 'newer.zip');
  await writeFile(newer, await buffer(Readable.from(made.bytes)));
  const judge = async (path: string, olderPath: string) =>
    (await judgePackage({ path, fingerprints: [], olderPath })).continuedLog;

  const continued = await judge(newer, older);
  deepEqual(continued?.continuation, 'continued', continued?.found);
  ok(continued !== null && continued.earlierSize > 0 && continued.earlierSize < continued.size);
  match((await judge(older, newer))?.found ?? '', /name the older package/);

  const members = await takeApart(newer);
  const forge = async (change: (proof: { earlier: { size: number; consistency: string[] }[] }) => void) => {
    const proof = JSON.parse(members.get(PROOF)?.toString('utf8') ?? '');
    change(proof);
    const payload = new Map([...members].filter(([path]) => path.startsWith('data/')));
    payload.set(PROOF, Buffer.from(JSON.stringify(proof)));
    const path = join(open.folder, 'forged-proof.zip');
    await writeFile(path, await makePackage({ key: open.app.signingKeys.current(), payload }));
    return await judge(path, older);
  };
  const otherHash = createHash('sha256').update('another log').digest('base64');
  const changed = await forge(({ earlier }) => {
    for (const { consistency } of earlier) consistency[0] = otherHash;
  });
  deepEqual(changed?.continuation, 'not_continued');
  const without = await forge((proof) => {
    proof.earlier = [];
  });
  match(without?.found ?? '', /ask the box, assay custody prove RECORD --since \d+/);
});
