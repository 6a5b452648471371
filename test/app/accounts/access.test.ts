import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { listAudit } from '../../../src/app/accounts/audit.ts';
import {
  createKey,
  KEYS_MAX,
  listKeys,
  replaceKey,
  revealKey,
  revokeKey,
  rotateWebhookSecret,
  webhookSecretOf,
} from '../../../src/app/accounts/keys.ts';
import {
  createPasswordLink,
  register,
  requestPasswordReset,
  setPassword,
} from '../../../src/app/accounts/passwords.ts';
import { signIn, signOut } from '../../../src/app/accounts/sessions.ts';
import { deleteUser, sendCreationEmail } from '../../../src/app/accounts/users.ts';
import { identify } from '../../../src/app/callers/authenticate.ts';
import { identifySession } from '../../../src/app/callers/session.ts';
import {
  addUser,
  FROM,
  openServedApp,
  principalOf,
  readMails,
  type ServedApp,
  tokenIn,
} from '../open-app.ts';

let open: ServedApp;
before(async () => {
  open = await openServedApp();
});
after(async () => {
  await open[Symbol.asyncDispose]();
});

const reason = (expected: string) => (error: unknown) =>
  error instanceof Error && 'reason' in error && error.reason === expected;
const PASSWORD = 'a long enough password';
let address = 0;
/** Each test guesses from an address of its own, or one would exhaust another's tries. */
const from = () => {
  address += 1;
  return { ...FROM, remoteAddress: `198.51.100.${address}` };
};

async function userWithPassword(): Promise<{ id: number; email: string }> {
  const { app, admin } = open;
  const { id, email } = await addUser(app, admin);
  await sendCreationEmail(app, { principal: admin, id });
  await setPassword(app, {
    token: tokenIn((await readMails(open)).at(-1)),
    password: PASSWORD,
    from: from(),
  });
  return { id, email };
}

test('the creation mail sets the first password, once, and verifies the address', async () => {
  const { app, admin } = open;
  const { id, email } = await addUser(app, admin);
  const credentials = { email, password: PASSWORD, userAgent: 'test', from: from() };
  await assert.rejects(signIn(app, credentials), reason('credentials'));
  const { user, sent, file } = await sendCreationEmail(app, { principal: admin, id });
  assert.deepEqual([user.id, sent], [id, false], 'no server is set');
  const mail = (await readMails(open)).at(-1) ?? '';
  assert.equal(await readFile(file ?? '', 'utf8'), mail);
  assert.match(mail, new RegExp(email.replaceAll('.', '\\.')));
  const token = tokenIn(mail);
  await assert.rejects(
    setPassword(app, { token, password: 'short', from: from() }),
    /12 to 256 characters, found 5/,
  );
  const [set, refused] = await Promise.allSettled([
    setPassword(app, { token, password: PASSWORD, from: from() }),
    setPassword(app, { token, password: 'another long password', from: from() }),
  ]);
  assert.equal([set, refused].filter(({ status }) => status === 'fulfilled').length, 1);
  await assert.rejects(
    setPassword(app, { token, password: PASSWORD, from: from() }),
    /neither used nor replaced/,
  );
  assert.notEqual(app.store.read.accounts.get(id)?.emailVerifiedAt, null);
});

test('a link stops after a day, and when a newer one is mailed', async () => {
  const { app, admin } = open;
  const { id } = await addUser(app, admin);
  await sendCreationEmail(app, { principal: admin, id });
  const first = tokenIn((await readMails(open)).at(-1));
  await sendCreationEmail(app, { principal: admin, id });
  const second = tokenIn((await readMails(open)).at(-1));
  const use = (token: string) => setPassword(app, { token, password: PASSWORD, from: from() });
  await assert.rejects(use(first), /token/);
  open.passMinutes(24 * 60 + 1);
  await assert.rejects(use(second), /token/);
  await assert.rejects(use('made-up'), /token/);
});

test('a session opens with the right password, and ends by sign-out, time and deletion', async () => {
  const { app, admin } = open;
  const { id, email } = await userWithPassword();
  const enter = () =>
    signIn(app, { email: email.toUpperCase(), password: PASSWORD, userAgent: 'x', from: from() });
  const first = await enter();
  const { principal, session } = identifySession(app, first.cookieValue, FROM);
  assert.equal(principal.account.id, id);
  assert.notEqual(session.csrfToken, first.cookieValue);
  assert.equal(
    JSON.stringify([...app.store.read.accounts.sessions.values()]).includes(first.cookieValue),
    false,
  );
  await signOut(app, { principal, session });
  assert.throws(() => identifySession(app, first.cookieValue, FROM), reason('credentials'));
  const last = await enter();
  open.passMinutes(7 * 24 * 60 + 1);
  assert.throws(() => identifySession(app, last.cookieValue, FROM), reason('credentials'));
  const again = await enter();
  await deleteUser(app, { principal: admin, id });
  assert.throws(() => identifySession(app, again.cookieValue, FROM), reason('credentials'));
  assert.throws(() => identifySession(app, undefined, FROM), reason('credentials'));
});

test('guesses are slowed per account and per address, whether the account exists or not', async () => {
  const { app } = open;
  const { email } = await userWithPassword();
  for (const guessed of [email, 'nobody@example.org']) {
    const guess = () =>
      signIn(app, { email: guessed, password: 'wrong wrong wrong', userAgent: '', from: from() });
    for (let count = 0; count < 10; count += 1) await assert.rejects(guess(), reason('credentials'));
    await assert.rejects(guess(), (error: { reason: string; retryAfterSeconds: number }) => {
      assert.equal(error.reason, 'rate');
      assert.ok(error.retryAfterSeconds > 0 && error.retryAfterSeconds <= 900);
      return true;
    });
  }
  const one = from();
  const tries = Array.from({ length: 51 }, (_, index) =>
    signIn(app, { email: `n${index}@example.org`, password: 'wrong', userAgent: '', from: one }),
  );
  const refused = (await Promise.allSettled(tries)).filter(
    (it) => it.status === 'rejected' && it.reason.reason === 'rate',
  );
  assert.equal(refused.length, 1);
});

test('a wrong password costs as much time as an unknown account', async () => {
  const { app } = open;
  const { email } = await userWithPassword();
  const times = { known: [] as number[], unknown: [] as number[] };
  for (let round = 0; round < 4; round += 1) {
    for (const [name, guessed] of [
      ['known', email],
      ['unknown', `x${round}@example.org`],
    ] as const) {
      const started = performance.now();
      await signIn(app, { email: guessed, password: PASSWORD.slice(1), userAgent: '', from: from() }).catch(
        () => {},
      );
      times[name].push(performance.now() - started);
    }
  }
  const ratio = Math.min(...times.known) / Math.min(...times.unknown);
  // Without the hash one of them would take a hundredth of the other; a busy machine blurs a factor of two.
  assert.ok(ratio > 0.15 && ratio < 7, `known/unknown ${ratio}`);
});

test('a reset answers the same for every address, and mails accounts only', async () => {
  const { app } = open;
  const { email } = await userWithPassword();
  const before = (await readMails(open)).length;
  await requestPasswordReset(app, { email: 'nobody@example.org', from: from() });
  assert.equal((await readMails(open)).length, before);
  for (let count = 0; count < 5; count += 1) {
    await requestPasswordReset(app, { email, from: from() });
    await app.mailer.settled();
  }
  const mails = await readMails(open);
  assert.equal(mails.length, before + 3, 'three mails an hour, no more');
  await setPassword(app, { token: tokenIn(mails.at(-1)), password: `${PASSWORD}!`, from: from() });
  await signIn(app, { email, password: `${PASSWORD}!`, userAgent: '', from: from() });
});

test('keys are made, listed, shown for the password, replaced and revoked', async () => {
  const { app } = open;
  const { id } = await userWithPassword();
  const principal = { ...principalOf(app, id), ...from() };
  const { key, secret } = await createKey(app, { principal, name: 'desk' });
  assert.match(secret, /^assay_[0-9a-f]{64}$/);
  assert.equal(identify(app, secret, FROM).account.id, id);
  assert.equal(await revealKey(app, { principal, id: key.id, password: PASSWORD }), secret);
  await assert.rejects(
    revealKey(app, { principal, id: key.id, password: 'wrong' }),
    /password of this account/,
  );
  await assert.rejects(revealKey(app, { principal, id: 99, password: PASSWORD }), reason('api_key'));
  const replaced = await replaceKey(app, { principal, id: key.id });
  assert.equal(replaced.key.id, key.id);
  assert.throws(() => identify(app, secret, FROM), reason('key'));
  identify(app, replaced.secret, FROM);
  await revokeKey(app, { principal, id: key.id });
  assert.throws(() => identify(app, replaced.secret, FROM), reason('key'));
  await assert.rejects(revokeKey(app, { principal, id: key.id }), reason('api_key'));
  const next = await createKey(app, { principal, name: 'next' });
  assert.equal(next.key.id, key.id + 1, 'an id never names another key');
  for (let count = 1; count < KEYS_MAX; count += 1) await createKey(app, { principal, name: `k${count}` });
  await assert.rejects(createKey(app, { principal, name: 'one more' }), reason('too_many'));
  await assert.rejects(createKey(app, { principal, name: '' }), reason('bad_field'));
  assert.equal(listKeys(app, { principal }).length, KEYS_MAX);
  const stored = JSON.stringify(
    app.store.read.accounts.apiKeys(id).map((it) => Buffer.from(it.sealed).toString('latin1')),
  );
  assert.equal(stored.includes(next.secret.slice(6)), false);
  const lines = listAudit(app, { principal: open.admin, limit: 100 }).map(({ action }) => action);
  for (const action of ['key.create', 'key.reveal', 'key.replace', 'key.revoke', 'password.refuse']) {
    assert.ok(lines.includes(action), action);
  }
});

test('the last use of a key is noted once a minute, behind the request', async () => {
  const { app, admin } = open;
  const { id } = await addUser(app, admin);
  const { secret } = await createKey(app, { principal: principalOf(app, id), name: 'k' });
  const lastUse = () => app.store.read.accounts.apiKeys(id)[0]?.lastUsedAt ?? null;
  const settle = () => new Promise((resolve) => setTimeout(resolve, 100));
  identify(app, secret, FROM);
  assert.equal(lastUse(), null, 'not in the way of the request');
  await settle();
  const first = lastUse();
  assert.notEqual(first, null);
  identify(app, secret, FROM);
  await settle();
  assert.equal(lastUse(), first);
  open.passMinutes(2);
  identify(app, secret, FROM);
  await settle();
  assert.ok((lastUse() ?? 0) > (first ?? 0));
});

test('the administrator makes keys for others, a partner for its own users', async () => {
  const { app, admin } = open;
  const partner = await addUser(app, admin, { role: 'partner' });
  const other = await addUser(app, admin, { role: 'partner' });
  const user = await addUser(app, principalOf(app, partner.id));
  const made = await createKey(app, { principal: principalOf(app, partner.id), userId: user.id, name: 'k' });
  assert.equal(identify(app, made.secret, FROM).account.id, user.id);
  await assert.rejects(
    revokeKey(app, { principal: principalOf(app, other.id), userId: user.id, id: made.key.id }),
    reason('user'),
  );
  assert.throws(
    () => listKeys(app, { principal: principalOf(app, user.id), userId: other.id }),
    reason('role'),
  );
  await revokeKey(app, { principal: admin, userId: user.id, id: made.key.id });
});

test('the webhook secret stays until it is rotated', async () => {
  const { app, admin } = open;
  const { id } = await addUser(app, admin);
  const principal = principalOf(app, id);
  const [first, same] = await Promise.all([
    webhookSecretOf(app, { principal }),
    webhookSecretOf(app, { principal }),
  ]);
  assert.match(first, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.equal(same, first);
  const next = await rotateWebhookSecret(app, { principal });
  assert.notEqual(next, first);
  assert.equal(await webhookSecretOf(app, { principal }), next);
});

test('the administrator hands out a link if mail does not arrive', async () => {
  const { app, admin } = open;
  const { email } = await addUser(app, admin);
  const { link } = await createPasswordLink(app, { principal: admin, email });
  assert.ok(link.startsWith(`${app.config.publicUrl}/set-password?token=`));
  await setPassword(app, { token: tokenIn(link), password: PASSWORD, from: from() });
  await assert.rejects(
    createPasswordLink(app, { principal: admin, email: 'no@example.org' }),
    reason('user'),
  );
});

test('registration is closed unless the operator opens it', async () => {
  const input = { name: 'N', email: 'n@example.org', password: PASSWORD, termsAccepted: true, from: from() };
  await assert.rejects(register(open.app, input), reason('not_enabled'));
});

test('the first start gives a link that sets the password, unless the settings gave one', async () => {
  {
    await using first = await openServedApp();
    const { app, daemon } = first;
    assert.match(daemon.newKey ?? '', /^assay_/);
    await setPassword(app, { token: tokenIn(daemon.passwordLink ?? ''), password: PASSWORD, from: from() });
    await signIn(app, { email: 'admin@localhost', password: PASSWORD, userAgent: '', from: from() });
  }
  await using other = await openServedApp({ ASSAY_ADMIN_PASSWORD: 'from the settings' });
  assert.equal(other.daemon.passwordLink, null);
  const enter = { email: 'admin@localhost', password: 'from the settings', userAgent: '', from: from() };
  await signIn(other.app, enter);
});
