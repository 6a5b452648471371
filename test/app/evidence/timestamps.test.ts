import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { examine } from '../../../src/app/appliance/doctor/doctor.ts';
import { exportEvidence } from '../../../src/app/evidence/export-evidence.ts';
import { openTimestampLoop } from '../../../src/app/evidence/timestamp-loop.ts';
import { getPackageTimestamps } from '../../../src/app/evidence/timestamps.ts';
import { deleteClassification, getClassification } from '../../../src/app/records/classifications.ts';
import type { ExportJob } from '../../../src/domain/contract/evidence.ts';
import {
  afterTimestampAttempt,
  type PackageTimestamps,
} from '../../../src/domain/records/package-timestamps.ts';
import { judgePackage } from '../../../src/evidence/judge-package.ts';
import { toTimestampQuery } from '../../../src/evidence/timestamps/timestamp.ts';
import { systemClock } from '../../../src/machinery/system-clock.ts';
import { startAuthority, type TimestampAuthority } from '../../evidence/timestamp-authority.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../temporary-folder.ts';
import { addUser, type OpenApp, openApp, principalOf } from '../open-app.ts';
import { addDone, keepOriginal } from './finished-record.ts';

const NEVER = new AbortController().signal;
let folder: TemporaryFolder;
let authority: TimestampAuthority;
let open: OpenApp;

before(async () => {
  folder = await makeTemporaryFolder();
  authority = await startAuthority();
  open = await start();
  await keepOriginal(open.app);
});

after(async () => {
  await open[Symbol.asyncDispose]();
  await authority[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

function start(): Promise<OpenApp> {
  return openApp({
    ASSAY_DATA_DIR: join(folder.path, 'data'),
    ASSAY_EVIDENCE_TIMESTAMP_AUTHORITIES: authority.url,
    ASSAY_EVIDENCE_TIMESTAMP_ROOTS_FILE: authority.rootFile,
  });
}

async function makePackage(identifier: string): Promise<{ path: string; packageSha256: string }> {
  const input = { principal: open.admin, identifiers: [identifier], fields: {} };
  const made = await exportEvidence(open.app, input, NEVER);
  const path = join(folder.path, made.name);
  await writeFile(path, await buffer(Readable.from(made.bytes)));
  return { path, packageSha256: made.packageSha256 };
}

async function settled(packageSha256: string, isSettled: (found: PackageTimestamps) => boolean) {
  for (;;) {
    const found = open.app.store.read.timestampsOf(packageSha256);
    if (found !== undefined && isSettled(found)) return found;
    await sleep(20);
  }
}

const isStamped = ({ requests }: PackageTimestamps): boolean =>
  requests.every(({ state }) => state === 'stamped');
const isTried = ({ attempts }: PackageTimestamps): boolean => attempts > 0;

test('a package is stamped once it is signed; record, job and doctor report it, and the token lies in it', async () => {
  const identifier = await addDone(open.app);
  const input = { principal: open.admin, identifiers: [identifier], fields: {} };
  let job: ExportJob = await open.app.exportJobs.start(open.app, input);
  while (job.timestamps === 0) {
    await sleep(20);
    job = open.app.exportJobs.find(open.admin, job.id);
    ok(job.state !== 'failed', job.error);
  }
  const file = await open.app.exportJobs.file(open.admin, job.id);
  ok('path' in file);
  equal(file.sizeBytes, job.bytes);
  const order = { path: file.path, fingerprints: [], timestampRootsPem: authority.rootPem };
  const { faults, timestamps } = await judgePackage(order);
  deepEqual(faults, []);
  deepEqual(
    timestamps.map(({ member, root }) => [member, root]),
    [['timestamp-1.tsr', 'given']],
  );
  const { exports } = getClassification(open.app, { principal: open.admin, identifier });
  const [shown] = exports[0]?.timestamps ?? [];
  deepEqual([shown?.authority, shown?.state, shown?.error], [authority.url, 'stamped', '']);
  const findings = await examine(open.app, { principal: open.admin });
  const own = findings.find(({ name }) => name.startsWith('timestamp authority'));
  deepEqual([own?.state, own?.found], ['good', 'stamps; 0 packages wait for tokens']);
});

test('an authority that is down is asked again later, and each wrong answer is reported as what it is', async () => {
  const identifier = await addDone(open.app);
  const said: string[] = [];
  const stranger = await startAuthority('Stranger');
  const other = toTimestampQuery(Buffer.from('other bytes')).query;
  const answers = [
    async () => ({ status: 503, body: Buffer.alloc(0) }),
    async () => ({ status: 200, body: Buffer.from('<html>') }),
    async () => ({ status: 200, body: Buffer.alloc(100_000) }),
    async () => ({ status: 200, body: await authority.answer(other) }),
    async () => ({ status: 200, body: await authority.answer(Buffer.from('no query')) }),
    async (query: Buffer) => ({ status: 200, body: await stranger.answer(query) }),
    async () => ({ status: 200, body: await authority.answer(toTimestampQuery(signature).query) }),
  ];
  let signature = Buffer.alloc(0);
  authority.answerWith(answers[0] ?? null);
  const { packageSha256 } = await makePackage(identifier);
  let found = await settled(packageSha256, isTried);
  signature = Buffer.from(found.signature);
  said.push(found.requests[0]?.error ?? '');
  ok((found.nextAttemptAt ?? 0) > found.createdAt);
  for (const answer of answers.slice(1)) {
    authority.answerWith(answer);
    found = await askAgain(packageSha256, found);
    said.push(found.requests[0]?.error ?? '');
  }
  deepEqual(said, [
    'it answered with status 503',
    'its answer is no reply of a timestamp authority (RFC 3161)',
    'its answer has more than 65536 bytes',
    'its answer is a timestamp of other bytes: its message imprint differs',
    'its answer is no timestamp: the authority answered "rejected": Bad request format or system error.',
    'its answer is signed by a certificate that does not lead to the given roots',
    'its answer answers another query: it has another nonce',
  ]);
  const findings = await examine(open.app, { principal: open.admin });
  equal(findings.find(({ name }) => name.startsWith('timestamp authority'))?.state, 'bad');
  authority.answerWith(null);
  found = await askAgain(packageSha256, found);
  ok(isStamped(found));
  equal(found.nextAttemptAt, null);
  await stranger[Symbol.asyncDispose]();
});

/** Asks again as if the time of the next attempt had come. */
async function askAgain(packageSha256: string, { attempts, nextAttemptAt }: PackageTimestamps) {
  const clock = { ...systemClock(), now: () => nextAttemptAt ?? 0 };
  await using loop = openTimestampLoop({ ...open.app, clock, random: () => 0, onStamped: () => {} });
  loop.start();
  return await settled(packageSha256, (found) => found.attempts > attempts);
}

test('a package that was signed before the end of the daemon is stamped after the next start', async () => {
  const identifier = await addDone(open.app);
  const never = Promise.withResolvers<{ status: number; body: Buffer }>();
  authority.answerWith(() => never.promise);
  const { packageSha256, path } = await makePackage(identifier);
  await open[Symbol.asyncDispose]();
  authority.answerWith(null);
  never.resolve({ status: 503, body: Buffer.alloc(0) });
  open = await start();
  const found = await settled(packageSha256, isStamped);
  equal(found.attempts, 1);
  deepEqual((await judgePackage({ path, fingerprints: [] })).faults, []);
});

test('only the maker of a package reads its tokens; with its last record they are gone', async () => {
  const [first, second] = [await addDone(open.app), await addDone(open.app)];
  const input = { principal: open.admin, identifiers: [first, second], fields: {} };
  const made = await exportEvidence(open.app, input, NEVER);
  await buffer(Readable.from(made.bytes));
  const { packageSha256 } = made;
  await settled(packageSha256, isStamped);
  const user = principalOf(open.app, (await addUser(open.app, open.admin)).id);
  throws(() => getPackageTimestamps(open.app, { principal: user, packageSha256 }), /no timestamp authority/);
  throws(() => getPackageTimestamps(open.app, { principal: user, packageSha256: 'x' }), /64 hex digits/);
  await deleteClassification(open.app, { principal: open.admin, identifier: first });
  equal(getPackageTimestamps(open.app, { principal: open.admin, packageSha256 }).requests.length, 1);
  await deleteClassification(open.app, { principal: open.admin, identifier: second });
  equal(open.app.store.read.timestampsOf(packageSha256), undefined);
});

test('pauses grow, and after a week no one is asked any more', () => {
  const request = { authority: 'https://a', state: 'waiting', time: null, error: '', reply: null } as const;
  let found: PackageTimestamps = {
    ...{ packageSha256: 'a', signature: new Uint8Array(64), accountId: 1, identifiers: [], createdAt: 0 },
    ...{ attempts: 0, nextAttemptAt: 0, requests: [request] },
  };
  const pauses: number[] = [];
  const answers = new Map([['https://a', { error: 'down' }]]);
  while (found.nextAttemptAt !== null) {
    const now = found.nextAttemptAt;
    found = afterTimestampAttempt(found, answers, now, 0);
    pauses.push(((found.nextAttemptAt ?? now) - now) / 1e6);
  }
  deepEqual(pauses.slice(0, 3), [30, 60, 120]);
  equal(Math.max(...pauses), 21_600);
  equal(found.requests[0]?.state, 'failed');
  ok(found.attempts < 50);
});
