import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { createKey } from '../../src/app/accounts/keys.ts';
import { createPasswordLink } from '../../src/app/accounts/passwords.ts';
import { authenticate } from '../../src/app/callers/authenticate.ts';
import { addUser, FROM, principalOf, readMails, tokenIn } from '../app/open-app.ts';
import { patternImage } from '../media/pictures.ts';
import { ADMIN } from './browser.ts';
import { classify, type DeskDaemon, startDesk } from './desk-daemon.ts';

let daemon: DeskDaemon;
let cookie: string;
let csrf: string;
let identifier: string;

before(async () => {
  const registration = { ASSAY_REGISTRATION_OPEN: 'true', ASSAY_REGISTRATION_CREDITS: '5' };
  const env = { ...registration, ASSAY_TERMS_REQUIRED: 'true', ASSAY_MAIL_LANGUAGE: 'it' };
  daemon = await startDesk({ models: 'tiny', env });
  const signedIn = await open('sign-in', ADMIN);
  cookie = signedIn.cookie;
  csrf = (await describe(cookie)).csrfToken;
  const bytes = await patternImage(320, 240).png().toBuffer();
  identifier = await classify(daemon.http, 'image', bytes, 'ritratto è.png', { with_heatmap: 'true' });
});

after(async () => await daemon?.[Symbol.asyncDispose]());

function post(path: string, body: object, headers: Record<string, string>): Promise<Response> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
  return fetch(`${daemon.http}${path}`, init);
}

/** What a session request of our own page answers, with the cookie that it sets. */
async function open(path: string, body: object, headers: Record<string, string> = {}) {
  const response = await post(`/session/${path}`, body, { origin: daemon.http, ...headers });
  const answer = (await response.json()) as Record<string, unknown>;
  const [set = ''] = response.headers.get('set-cookie')?.split(';') ?? [];
  return { status: response.status, answer, cookie: set };
}

interface Described {
  csrfToken: string;
  account: { id: number; email: string; mustAcceptTerms: boolean; browsers: number } | null;
}

async function describe(of: string): Promise<Described> {
  const session = await fetch(`${daemon.http}/session`, { headers: { cookie: of, origin: daemon.http } });
  return (await session.json()) as Described;
}

/** Asks as a signed-in browser, with the token of its session. */
async function ask(of: string, path: string, body: object = {}) {
  return await open(path, body, { cookie: of, 'x-assay-csrf': (await describe(of)).csrfToken });
}

const VIEWER = { query: '{ viewer { email } }' };

/** How GraphQL answers the signed-in browser with these headers. */
async function emailSeen(headers: Record<string, string>): Promise<string | null> {
  const response = await post('/graphql', VIEWER, { cookie, 'x-requested-with': 'page', ...headers });
  const { data } = (await response.json()) as { data?: { viewer?: { email: string } } };
  return data?.viewer?.email ?? null;
}

test('GraphQL takes the session only from our own page with its token', async () => {
  const own = daemon.http;
  const otherPort = 'http://127.0.0.1:1';
  assert.equal(await emailSeen({ origin: own, 'x-assay-csrf': csrf }), ADMIN.email);
  assert.equal(await emailSeen({ origin: own }), null);
  assert.equal(await emailSeen({ origin: own, 'x-assay-csrf': 'f'.repeat(64) }), null);
  assert.equal(await emailSeen({ origin: otherPort, 'x-assay-csrf': csrf }), null);
  assert.equal(await emailSeen({ origin: 'null', 'x-assay-csrf': csrf }), null);
  assert.equal(await emailSeen({ 'x-assay-csrf': csrf }), null);
});

test('a wrong address shows a browser the page, and programs what they can read', async () => {
  const shown = await fetch(`${daemon.http}/nothing/here`, { headers: { accept: 'text/html,*/*' } });
  assert.deepEqual([shown.status, shown.headers.get('content-type')], [404, 'text/html; charset=utf-8']);
  assert.match(await shown.text(), /id="page"/);
  const read = await fetch(`${daemon.http}/nothing/here`);
  assert.deepEqual(await read.json(), { error: 'there is nothing at /nothing/here' });
  const posted = await fetch(`${daemon.http}/nothing/here`, {
    method: 'POST',
    headers: { accept: 'text/html' },
  });
  assert.equal(posted.status, 404);
  assert.match(posted.headers.get('content-type') ?? '', /json/);
});

test('by GET a session reads, and changes nothing', async () => {
  const ask = (query: string, headers: Record<string, string>) =>
    fetch(`${daemon.http}/graphql?query=${encodeURIComponent(query)}`, { headers: { cookie, ...headers } });
  const read = await ask('{ viewer { email } }', { 'sec-fetch-site': 'same-origin' });
  assert.match(await read.text(), /desk@example\.org/);
  const foreign = await ask('{ viewer { email } }', { 'sec-fetch-site': 'same-site' });
  assert.doesNotMatch(await foreign.text(), /desk@example\.org/);
  const mutation = await ask('mutation { createKey(name: "x") { secret } }', {
    'sec-fetch-site': 'same-origin',
  });
  assert.equal(mutation.status, 405);
});

function openSocket(origin: string | undefined): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const headers = { cookie, ...(origin === undefined ? {} : { origin }) };
  const socket = new WebSocket(`${daemon.http.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
    headers,
  });
  socket.on('open', () => socket.send('{"type":"connection_init"}'));
  socket.on('message', (data) => resolve(JSON.parse(String(data)).type));
  socket.on('close', (code) => resolve(`closed ${code}`));
  socket.on('error', () => resolve('refused'));
  return promise.finally(() => socket.terminate());
}

test('a socket is opened for our own origin only', async () => {
  assert.equal(await openSocket(daemon.http), 'connection_ack');
  assert.equal(await openSocket('http://127.0.0.1:1'), 'closed 4401');
  assert.equal(await openSocket('https://evil.example'), 'refused');
  assert.equal(await openSocket(undefined), 'closed 4401');
});

test('session routes want our own origin, and the token if there is a session', async () => {
  const foreign = await post('/session/sign-in', ADMIN, { origin: 'https://evil.example' });
  assert.equal(foreign.status, 401);
  assert.equal(foreign.headers.get('set-cookie'), null);
  const forged = await post('/session/sign-out-everywhere', {}, { cookie, origin: daemon.http });
  assert.equal(forged.status, 401);
  const missing = await post('/session/sign-in', { email: 'x@example.org' }, { origin: daemon.http });
  assert.equal(missing.status, 400);
  const error = { password: ['expected text, found nothing'] };
  assert.deepEqual(await missing.json(), { error, reason: 'bad_field' });
  const crossSite = await fetch(`${daemon.http}/session`, {
    headers: { cookie, 'sec-fetch-site': 'cross-site' },
  });
  assert.equal(((await crossSite.json()) as { account: null }).account, null);
});

test('a session request that cannot be read is refused with what was expected', async () => {
  const headers = { 'content-type': 'application/json', origin: daemon.http };
  const cases = [
    { body: '{', error: { body: ['expected JSON'] } },
    { body: '["a"]', error: { body: ['expected a JSON object'] } },
    { body: '', error: { email: ['expected text, found nothing'] } },
    { body: '{"email":1}', error: { email: ['expected text, found number'] } },
  ];
  for (const { body, error } of cases) {
    const refused = await fetch(`${daemon.http}/session/sign-in`, { method: 'POST', headers, body });
    assert.deepEqual([refused.status, await refused.json()], [400, { error, reason: 'bad_field' }], body);
  }
});

const ADA = { email: 'ada@example.org', password: 'a long password' };

const newestMail = async (): Promise<string> => (await readMails(daemon.open)).at(-1) ?? '';

test('a person who registers is let in once, by the link to the mailbox and the password', async () => {
  const wanted = { ...ADA, name: 'Ada' };
  const refused = await open('register', wanted);
  assert.deepEqual([refused.status, Object.keys(Object(refused.answer.error))], [400, ['terms_accepted']]);
  assert.deepEqual((await open('register', { ...wanted, termsAccepted: true })).answer, { ok: true });
  const unverified = await open('sign-in', ADA);
  assert.deepEqual([unverified.answer.reason, unverified.cookie], ['not_enabled', '']);
  const mail = await newestMail();
  assert.match(mail, /Subject: Conferma/);
  const token = tokenIn(mail);
  const other = await open('verify-email', { token, password: 'of somebody else' });
  assert.deepEqual([other.status, other.cookie], [400, '']);
  const verified = await open('verify-email', { token, password: ADA.password });
  assert.deepEqual(verified.answer, { email: ADA.email });
  const { read } = daemon.open.app.store;
  const { email, id } = (await describe(verified.cookie)).account ?? {};
  assert.deepEqual([email, read.balance(id ?? 0).available], [ADA.email, 5]);
  assert.equal((await open('verify-email', { token, password: ADA.password })).status, 400);
  const known = read.accounts.all().length;
  const mallory = { ...wanted, name: 'Mallory', password: 'somebody else here', termsAccepted: true };
  assert.deepEqual((await open('register', mallory)).answer, { ok: true }, 'as if the address were free');
  assert.match(await newestMail(), /Subject: =\?UTF-8\?/);
  assert.equal(read.accounts.all().length, known);
});

test('a changed password leaves the browser that changed it, and signs out the others', async () => {
  const [own, other] = [await open('sign-in', ADA), await open('sign-in', ADA)];
  const changed = { current: ADA.password, password: 'another long password' };
  const wrong = await ask(own.cookie, 'change-password', { ...changed, current: 'a wrong one' });
  assert.deepEqual([wrong.status, Object.keys(Object(wrong.answer.error))], [400, ['current']]);
  assert.deepEqual((await ask(own.cookie, 'change-password', changed)).answer, { ok: true });
  assert.equal((await describe(other.cookie)).account, null);
  assert.equal((await describe(own.cookie)).account?.browsers, 1);
  assert.equal((await open('sign-in', ADA)).status, 401);
});

test('a link that resets the password works once, and signs out every browser before it', async () => {
  const password = 'a third long password';
  const before = await open('sign-in', { ...ADA, password: 'another long password' });
  assert.deepEqual((await open('request-password', { email: ADA.email })).answer, { ok: true });
  const token = tokenIn(await newestMail());
  const reset = await open('set-password', { token, password });
  assert.deepEqual(reset.answer, { email: ADA.email });
  assert.equal((await describe(before.cookie)).account, null);
  assert.equal((await describe(reset.cookie)).account?.browsers, 1);
  assert.equal((await open('set-password', { token, password })).status, 400);
  const second = await open('sign-in', { ...ADA, password });
  assert.deepEqual((await ask(second.cookie, 'sign-out-everywhere')).answer, { browsers: 2 });
  for (const ended of [reset.cookie, second.cookie]) assert.equal((await describe(ended)).account, null);
});

test('an account that was made for a person works once that person has accepted the terms', async () => {
  const { app, admin } = daemon.open;
  const { email, id } = await addUser(app, admin);
  const { secret } = await createKey(app, { principal: principalOf(app, id), name: 'k' });
  const { link } = await createPasswordLink(app, { principal: admin, email });
  const own = await open('set-password', { token: tokenIn(link), password: ADA.password });
  const { csrfToken, account } = await describe(own.cookie);
  const headers = { cookie: own.cookie, origin: daemon.http, 'x-assay-csrf': csrfToken };
  assert.deepEqual([account?.mustAcceptTerms, await emailSeen(headers)], [true, null]);
  assert.throws(() => authenticate(app, secret, FROM), { reason: 'terms' });
  assert.deepEqual((await ask(own.cookie, 'accept-terms')).answer, { ok: true });
  assert.equal((await describe(own.cookie)).account?.mustAcceptTerms, false);
  assert.equal(await emailSeen(headers), email);
  assert.equal(authenticate(app, secret, FROM).account.id, id);
});

const media = (part: string, headers: Record<string, string> = { cookie }): Promise<Response> =>
  fetch(`${daemon.http}/media/${identifier}/${part}`, { headers });

test('stored media go out under a type of our own, without rights', async () => {
  const whole = await media('original');
  assert.equal(whole.status, 200);
  assert.equal(whole.headers.get('content-type'), 'image/png');
  assert.equal(whole.headers.get('x-content-type-options'), 'nosniff');
  assert.match(whole.headers.get('content-security-policy') ?? '', /^sandbox/);
  assert.equal(
    whole.headers.get('content-disposition'),
    `inline; filename="ritratto _.png"; filename*=UTF-8''ritratto%20%C3%A8.png`,
  );
  const bytes = Buffer.from(await whole.arrayBuffer());
  const etag = whole.headers.get('etag') ?? '';
  assert.equal((await media('original', { cookie, 'if-none-match': etag })).status, 304);
  assert.equal((await media('heatmap')).headers.get('content-type'), 'image/png');
  for (const part of ['frame/0', 'track/0', 'frame/x']) assert.equal((await media(part)).status, 404, part);
  assert.equal((await media('original', {})).status, 401);
  assert.equal((await media('original', { cookie, 'sec-fetch-site': 'cross-site' })).status, 401);
  await checkRanges(bytes);
});

async function checkRanges(bytes: Buffer): Promise<void> {
  const size = bytes.length;
  const cases: { range: string; status: number; part: Buffer | null; shown?: string }[] = [
    { range: 'bytes=0-9', status: 206, part: bytes.subarray(0, 10), shown: `bytes 0-9/${size}` },
    { range: 'bytes=10-', status: 206, part: bytes.subarray(10) },
    { range: 'bytes=-5', status: 206, part: bytes.subarray(-5) },
    { range: `bytes=${size - 1}-${size + 99}`, status: 206, part: bytes.subarray(-1) },
    { range: `bytes=${size}-`, status: 416, part: null, shown: `bytes */${size}` },
    { range: 'bytes=0-1,3-4', status: 200, part: bytes },
    { range: 'bytes=9-3', status: 200, part: bytes },
    { range: 'lines=1-2', status: 200, part: bytes },
  ];
  for (const { range, status, part, shown } of cases) {
    const response = await media('original', { cookie, range });
    assert.equal(response.status, status, range);
    if (shown !== undefined) assert.equal(response.headers.get('content-range'), shown);
    if (part !== null) assert.deepEqual(Buffer.from(await response.arrayBuffer()), part, range);
  }
  const stale = await media('original', { cookie, range: 'bytes=0-9', 'if-range': '"other"' });
  assert.equal(stale.status, 200);
}

test('signing out ends the session at once', async () => {
  const out = await post('/session/sign-out', {}, { cookie, origin: daemon.http, 'x-assay-csrf': csrf });
  assert.equal(out.status, 200);
  assert.match(out.headers.get('set-cookie') ?? '', /Max-Age=0/);
  assert.equal((await media('original')).status, 401);
});
