/** Every stream of every facade ends within a second once its caller would not be admitted any more, and says why; nothing else ends it. */
import { equal, match, ok } from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { credentials } from '@grpc/grpc-js';
import { createKey, replaceKey, revokeKey } from '../../../src/app/accounts/keys.ts';
import { signOut, signOutEverywhere } from '../../../src/app/accounts/sessions.ts';
import { deleteUser, grantCredits, updateUser } from '../../../src/app/accounts/users.ts';
import { identify } from '../../../src/app/callers/authenticate.ts';
import { identifySession, SESSION_SECONDS } from '../../../src/app/callers/session.ts';
import { followStanding } from '../../../src/app/callers/standing.ts';
import { hashSecret, newSecret } from '../../../src/app/callers/tokens.ts';
import { AssayClient } from '../../../src/cli/daemon/client.ts';
import { DEFAULT_OPTIONS } from '../../../src/domain/records/options.ts';
import { AccountService } from '../../../src/grpc/gen/assay/v1/account_service_pb.ts';
import { systemClock } from '../../../src/machinery/system-clock.ts';
import { addUser, FROM, openServedApp, principalOf, type ServedApp } from '../open-app.ts';
import { GrantedTime } from './granted-time.ts';
import {
  type ShownCredential,
  STREAMS,
  type StreamEnd,
  type StreamKind,
  type StreamPlace,
} from './open-streams.ts';

const BOUND_MS = 1000;
const READING_MS = 10_000;
/** Other sessions outlast every test of an expiring one. */
const SHORT_SESSION_SECONDS = 600;
/** Most of a test is waiting. */
const AT_ONCE = 4;
/** How long a stream that must go on is looked at. */
const CALM_MS = 700;
/** More than the buffers of two sockets. */
const LARGE_BYTES = 48 * 1024 ** 2;
/** Each record of a list has this text: 300 of them exceed the buffers of two sockets. */
const LONG_TEXT = 'x'.repeat(30_000);
const OPENING_TIMEOUT_MS = 10_000;

const machineClock = systemClock();
let passedUs = 0;
let open: ServedApp;
let largeHash: string;

before(async () => {
  open = await openServedApp(
    { ASSAY_ADMIN_API_KEY: `assay_${'7'.repeat(64)}` },
    { ...machineClock, now: () => machineClock.now() + passedUs },
  );
  const bytes = randomBytes(LARGE_BYTES);
  largeHash = createHash('sha256').update(bytes).digest('hex');
  const path = open.app.store.blobs.pathOf(largeHash);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
});
after(async () => await open[Symbol.asyncDispose]());

interface Caller {
  id: number;
  keyId: number;
  cookie: string;
  shown: ShownCredential;
}

interface Given {
  records?: number | undefined;
  sessionSeconds?: number;
}

/** Makes a partner for each test, which has a role to lose, and what the streams read. */
async function makeCaller(
  by: 'key' | 'session',
  given: Given = {},
): Promise<{ caller: Caller; place: StreamPlace }> {
  const { app, admin, daemon, url } = open;
  const { records = 1, sessionSeconds = SESSION_SECONDS } = given;
  const { id } = await addUser(app, admin, { role: 'partner' });
  await grantCredits(app, { principal: admin, id, amount: 1000 });
  const { key, secret } = await createKey(app, { principal: admin, userId: id, name: 'a test' });
  const cookie = newSecret();
  const csrfToken = newSecret();
  const now = app.clock.now();
  const times = { createdAt: now, expiresAt: now + sessionSeconds * 1_000_000 };
  const session = { hash: hashSecret(cookie), accountId: id, csrfToken, userAgent: 'a test', ...times };
  await app.store.transact((tx) => tx.accounts.putSession(session));
  const { waiting, large } = await addRecords(id, records);
  const shown = by === 'key' ? { key: secret } : { cookie, csrfToken };
  return {
    caller: { id, keyId: key.id, cookie, shown },
    place: { url, grpc: daemon.grpc.address, waiting, large },
  };
}

/** A record that waits, and finished ones of one analysis, each with the large original. */
async function addRecords(
  accountId: number,
  finished: number,
): Promise<Pick<StreamPlace, 'waiting' | 'large'>> {
  const large = await addClassifications(accountId, await addAnalysis(accountId, 'errored'), finished);
  const waiting = await addClassifications(accountId, await addAnalysis(accountId, 'queued'), 1);
  return { waiting, large };
}

const common = (accountId: number) => ({
  ...{ kind: 'image' as const, hash: largeHash, sourceUrl: null, options: { ...DEFAULT_OPTIONS }, accountId },
});

async function addAnalysis(accountId: number, state: 'queued' | 'errored'): Promise<string> {
  const id = open.app.newIdentifier();
  const at = open.app.clock.now();
  await open.app.store.transact((tx) =>
    tx.putAnalysis({
      ...{ ...common(accountId), id, key: id, models: [], state, attempts: 1, lease: null, error: LONG_TEXT },
      ...{ queuedAt: at, endedAt: state === 'queued' ? null : at, apiVersion: '1.1.0', result: null },
    }),
  );
  return id;
}

/** Returns the last of them. */
async function addClassifications(accountId: number, analysisId: string, count: number): Promise<string> {
  const { app } = open;
  let identifier = '';
  await app.store.transact((tx) => {
    for (let index = 0; index < count; index += 1) {
      identifier = app.newIdentifier();
      tx.putClassification({
        ...{ ...common(accountId), identifier, analysisId, name: 'a.png', refId: '' },
        ...{ mime: 'image/png', sizeBytes: LARGE_BYTES, origin: 'analysed', cancelled: false, credits: 0 },
        ...{ webhookUrl: null, requestId: null, createdAt: app.clock.now() },
      });
    }
  });
  return identifier;
}

interface Cause {
  of: 'key' | 'session' | 'both';
  /** Null if the stream goes on; `onlyWrites` if only streams that write end. */
  ends: { code: string; message: RegExp; onlyWrites?: true } | null;
  session?: { sessionSeconds: number };
  bring(caller: Caller): Promise<unknown>;
}

const own = ({ id }: Caller) => ({ principal: open.admin, userId: id });
const update = ({ id }: Caller, fields: Record<string, unknown>) =>
  updateUser(open.app, { principal: open.admin, id, fields });
const key = (message: RegExp) => ({ code: 'unauthenticated', message });

const CAUSES: Readonly<Record<string, Cause>> = {
  'its key is revoked': {
    ...{ of: 'key', ends: key(/^the API key was revoked or replaced$/) },
    bring: (caller) => revokeKey(open.app, { ...own(caller), id: caller.keyId }),
  },
  'its key is replaced': {
    ...{ of: 'key', ends: key(/^the API key was revoked or replaced$/) },
    bring: (caller) => replaceKey(open.app, { ...own(caller), id: caller.keyId }),
  },
  'it signs out': {
    ...{ of: 'session', ends: key(/^the session was ended$/) },
    bring: ({ cookie }) => signOut(open.app, identifySession(open.app, cookie, FROM)),
  },
  'it signs out everywhere': {
    ...{ of: 'session', ends: key(/^the session was ended$/) },
    bring: ({ id }) => signOutEverywhere(open.app, { principal: principalOf(open.app, id) }),
  },
  'its session expires': {
    ...{ of: 'session', ends: key(/^the session has expired$/) },
    session: { sessionSeconds: SHORT_SESSION_SECONDS },
    bring: async () => {
      passedUs += (SHORT_SESSION_SECONDS + 1) * 1_000_000;
    },
  },
  'its account is deleted': {
    ...{ of: 'both', ends: key(/^the account was deleted$/) },
    bring: ({ id }) => deleteUser(open.app, { principal: open.admin, id }),
  },
  'its account loses its role': {
    of: 'both',
    ends: { code: 'permission_denied', message: /^the account has lost the role partner: .* user now$/ },
    bring: (caller) => update(caller, { role: 'user' }),
  },
  'its account is made read-only': {
    of: 'both',
    ends: { code: 'permission_denied', message: /can only view results/, onlyWrites: true },
    bring: (caller) => update(caller, { readonly: true }),
  },
  'another key and another session of its account end, and it gets a higher role': {
    ...{ of: 'both', ends: null },
    async bring(caller) {
      const { key: other } = await createKey(open.app, { ...own(caller), name: 'another' });
      await revokeKey(open.app, { ...own(caller), id: other.id });
      const now = open.app.clock.now();
      const session = { hash: hashSecret(newSecret()), accountId: caller.id, csrfToken: '', userAgent: '' };
      await open.app.store.transact((tx) => {
        tx.accounts.putSession({ ...session, createdAt: now, expiresAt: now + 1e12 });
        tx.accounts.removeSession({ ...session, expiresAt: now + 1e12 });
      });
      await update(caller, { role: 'admin' });
    },
  },
};

function expected({ ends }: Cause, stream: StreamKind): Cause['ends'] {
  return ends?.onlyWrites === true && !stream.writes ? null : ends;
}

async function check(stream: StreamKind, cause: Cause, by: 'key' | 'session'): Promise<void> {
  const { caller, place } = await makeCaller(by, { records: stream.records, ...cause.session });
  const opened = await stream.open(place, caller.shown);
  const followed = stream.followed ?? 1;
  const count = () => open.app.standings.countOf(caller.id);
  using granted = new GrantedTime();
  try {
    await until(() => count() === followed, OPENING_TIMEOUT_MS, granted);
    await cause.bring(caller);
    const beganMs = granted.passedMs;
    const end = expected(cause, stream);
    if (end === null) {
      const other = await Promise.race([opened.ended, delay(CALM_MS, undefined)]);
      equal(other, undefined, 'it goes on');
      return;
    }
    await until(() => count() < followed, BOUND_MS, granted);
    opened.read?.();
    const ended = await Promise.race([opened.ended, delay(READING_MS, { code: 'goes on', message: '' })]);
    // What lies in the buffers of a download is read first.
    ok(stream.ending === 'cut' || granted.passedMs - beganMs < BOUND_MS, 'within a second');
    assertEnd(ended, stream, end);
  } finally {
    opened.close();
    await until(() => count() === 0, OPENING_TIMEOUT_MS, granted);
  }
}

function assertEnd(ended: StreamEnd, { ending }: StreamKind, end: NonNullable<Cause['ends']>): void {
  equal(ended.code, ending === 'cut' ? 'cut' : end.code, ended.message);
  if (ending === 'reason') match(ended.message, end.message);
}

async function until(isSo: () => boolean, timeoutMs: number, time: GrantedTime): Promise<void> {
  for (const endMs = time.passedMs + timeoutMs; !isSo(); await delay(10)) {
    ok(time.passedMs < endMs, `not within ${timeoutMs} ms`);
  }
}

/** A test that moves the clock, which all share, or keeps the process busy with sheets runs alone. */
function testAll(
  name: string,
  isChosen: (cause: Cause, stream: StreamKind) => boolean,
  concurrency: number,
): void {
  describe(name, { concurrency }, () => {
    for (const [streamName, stream] of Object.entries(STREAMS)) {
      for (const [causeName, cause] of Object.entries(CAUSES).filter(([, one]) => isChosen(one, stream))) {
        for (const by of ['key', 'session'] as const) {
          if (cause.of !== 'both' && cause.of !== by) continue;
          if (by === 'session' && stream.takes === 'key') continue;
          test(`${streamName}, by ${by}: ${causeName}`, () => check(stream, cause, by));
        }
      }
    }
  });
}
testAll(
  'a stream ends when its caller',
  ({ session }, { records }) => session === undefined && records === undefined,
  AT_ONCE,
);
testAll(
  'a stream of many records ends when its caller',
  ({ session }, { records }) => session === undefined && records !== undefined,
  1,
);
testAll('a stream ends after the session', ({ session }) => session !== undefined, 1);

test('a caller that lost its standing before its stream began gets none', async () => {
  const { caller } = await makeCaller('key');
  const principal = identify(open.app, 'key' in caller.shown ? caller.shown.key : '', FROM);
  await revokeKey(open.app, { ...own(caller), id: caller.keyId });
  using standing = followStanding(open.app, principal);
  ok(standing.signal.aborted);
  match(String(standing.signal.reason), /revoked/);
});

test('a call that revokes its own key is answered', async () => {
  const { caller, place } = await makeCaller('key');
  const channel = { address: place.grpc, credentials: credentials.createInsecure() };
  using client = new AssayClient(channel, 'key' in caller.shown ? caller.shown.key : '');
  const { key: revoked } = await client.call(AccountService.method.revokeKey, { id: BigInt(caller.keyId) });
  equal(Number(revoked?.id), caller.keyId);
});
