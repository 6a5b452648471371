/** Mail as a real SMTP server receives it, and as files where none is set up. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { pino } from 'pino';
import { SMTPServer } from 'smtp-server';
import { type Mail, Mailer } from '../../../src/app/accounts/mail.ts';
import { sendCreationEmail } from '../../../src/app/accounts/users.ts';
import { checkMail } from '../../../src/app/appliance/doctor/doctor.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';
import { addUser, openApp, tokenIn } from '../open-app.ts';

const log = pino({ level: 'silent' });
const mail: Mail = {
  to: { name: 'Ada "the" Rossi, <x@y.org>', address: 'ada@example.org' },
  subject: 'Perché no?',
  text: 'Una riga lunga è ancora una riga, e un punto solo:\n.\nfine\n',
};

interface TestServer extends AsyncDisposable {
  url: string;
  received: { from: string; to: string[]; message: string }[];
}

/** `refusals` mails are turned away for now before one is taken. */
async function openSmtpServer({ refusals = 0, password = 'geheim' } = {}): Promise<TestServer> {
  const received: TestServer['received'] = [];
  let left = refusals;
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth(auth, _session, done) {
      if (auth.username === 'assay' && auth.password === password) done(null, { user: 'assay' });
      else done(new Error('wrong'));
    },
    async onData(stream, session, done) {
      const message = await text(stream);
      left -= 1;
      if (left >= 0) {
        done(Object.assign(new Error('later'), { responseCode: 451 }));
        return;
      }
      const { mailFrom, rcptTo } = session.envelope;
      received.push({
        from: mailFrom === false ? '' : mailFrom.address,
        to: rcptTo.map(({ address }) => address),
        message,
      });
      done();
    },
  });
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const address = listening.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `smtp://assay:geheim@127.0.0.1:${address.port}`,
    received,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(resolve)),
  };
}

function config(folder: string, smtpUrl: string | null, retryDelaysMs: number[] = []) {
  return { smtpUrl, from: 'Assay <assay@example.org>', language: 'en', folder, retryDelaysMs } as const;
}

test('the creation mail reaches the SMTP server of the settings, with a link that works', async () => {
  await using server = await openSmtpServer();
  await using open = await openApp({
    ASSAY_MAIL_SMTP_URL: server.url,
    ASSAY_MAIL_FROM: 'Desk <desk@example.org>',
  });
  const user = await addUser(open.app, open.admin, { name: 'Ada Rossi', email: 'ada@example.org' });
  const { sent, file } = await sendCreationEmail(open.app, { principal: open.admin, id: user.id });
  assert.deepEqual([sent, file, open.app.mailer.folder], [true, null, null]);
  const [first] = server.received;
  assert.deepEqual([first?.from, first?.to], ['desk@example.org', ['ada@example.org']]);
  assert.match(first?.message ?? '', /^From: Desk <desk@example\.org>\r$/m);
  assert.match(first?.message ?? '', /^Subject: Your Assay account\r$/m);
  assert.equal(tokenIn(first?.message).length, 43);
});

test('doctor tries the mail server, and says where mail lies if none is set', async () => {
  await using server = await openSmtpServer();
  await using other = await openSmtpServer({ password: 'another' });
  for (const [url, state, found] of [
    [server.url, 'good', /answers and lets Assay in/],
    [other.url, 'bad', /refuses: .*535/],
    ['', 'notice', /mail is not sent; 0 lie in \/.*mail$/],
  ] as const) {
    await using open = await openApp({ ASSAY_MAIL_SMTP_URL: url });
    const [finding] = await checkMail(open.app);
    assert.equal(finding?.state, state);
    assert.match(finding?.found ?? '', found);
  }
  assert.deepEqual(server.received, [], 'nothing is sent to try it');
});

test('an absent mail server is reported to the partner as 503', async () => {
  await using server = await openSmtpServer({ password: 'another' });
  await using open = await openApp({ ASSAY_MAIL_SMTP_URL: server.url });
  const user = await addUser(open.app, open.admin);
  await assert.rejects(sendCreationEmail(open.app, { principal: open.admin, id: user.id }), {
    reason: 'mail',
    message: 'the mail could not be sent; the log of the appliance says why',
  });
});

test('a posted mail is tried again until the server takes it', async () => {
  await using folder = await makeTemporaryFolder();
  await using server = await openSmtpServer({ refusals: 2 });
  await using mailer = new Mailer(config(folder.path, server.url, [10, 10, 10]), log);
  mailer.post(mail);
  await mailer.settled();
  assert.equal(server.received.length, 1);
  const [{ to, message } = { to: [], message: '' }] = server.received;
  assert.deepEqual(to, ['ada@example.org'], 'a name is never an address');
  assert.match(message, /^Subject: =\?UTF-8\?/m);
});

test('an end of the daemon does not wait for a mail server', async () => {
  await using folder = await makeTemporaryFolder();
  const started = performance.now();
  {
    await using mailer = new Mailer(config(folder.path, 'smtp://127.0.0.1:1', [60_000]), log);
    mailer.post(mail);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.ok(performance.now() - started < 10_000);
});

test('without a server mails are files that only the owner reads, the newest thousand', async () => {
  await using folder = await makeTemporaryFolder();
  const mails = join(folder.path, 'mail');
  await mkdir(mails);
  for (let count = 0; count < 1005; count += 1) {
    await writeFile(join(mails, `2020-01-01T00-00-00-${String(count).padStart(4, '0')}.eml`), '');
  }
  await using mailer = new Mailer(config(mails, null), log);
  await mailer.send(mail);
  const names = (await readdir(mails)).sort();
  assert.equal(names.length, 1000);
  assert.equal(names[0], '2020-01-01T00-00-00-0006.eml');
  const newest = join(mails, names.at(-1) ?? '');
  assert.equal((await stat(newest)).mode & 0o777, 0o600);
  assert.match(await readFile(newest, 'utf8'), /^From: Assay <assay@example\.org>$/m);
});
