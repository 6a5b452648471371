import { equal, match, ok, throws } from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { loadSettings } from '../../src/config/settings.ts';

const KEY = 'a-key-from-a-file';
const PASSWORD = 'a password from a file';
const PEM = { type: 'pkcs8', format: 'pem' } as const;
const SEED = `SU${'A'.repeat(56)}`;
const SIGNING_KEY = String(generateKeyPairSync('ed25519').privateKey.export(PEM));
const FILES: Readonly<Record<string, string>> = {
  '/secrets/key': `${KEY}\n`,
  '/secrets/password': PASSWORD,
  '/secrets/short': 'short',
  '/run/credentials/assay.service/admin.api_key': `${KEY}\n`,
  '/run/credentials/assay.service/mail.smtp_url': 'smtp://assay:hidden@mail.example.org:587',
  '/run/credentials/assay.service/evidence.signing_key': SIGNING_KEY,
  '/run/credentials/assay.service/nats.nkey_seed': SEED,
  '/secrets/ec': String(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export(PEM)),
  '/etc/assay.toml': '[admin]\napi_key_file = "/secrets/key"\npassword_file = "/secrets/password"\n',
  '/etc/wrong.toml': '[admin]\napi_key_file = 7\n',
};

function load(env: Record<string, string>, config?: string) {
  const readFile = (path: string) => {
    const text = FILES[path];
    if (text === undefined) throw Object.assign(new Error('gone'), { code: 'ENOENT' });
    return text;
  };
  return loadSettings({ argv: config === undefined ? [] : ['--config', config], env, readFile });
}

test('a setting or a variable names the file of a secret', () => {
  const { admin, origins } = load({}, '/etc/assay.toml');
  equal(admin.apiKey?.reveal(), KEY);
  equal(admin.password?.reveal(), PASSWORD);
  const shown = origins.find(({ key }) => key === 'admin.api_key');
  equal(shown?.value, '(hidden)');
  equal(shown?.origin, 'assay.toml line 2, /secrets/key');
  equal(load({ ASSAY_ADMIN_API_KEY_FILE: '/secrets/key' }).admin.apiKey?.reveal(), KEY);
});

test('the secret itself wins over its file', () => {
  const env = { ASSAY_ADMIN_API_KEY: 'the-key-itself', ASSAY_ADMIN_API_KEY_FILE: '/secrets/key' };
  equal(load(env).admin.apiKey?.reveal(), 'the-key-itself');
});

test('a credential that systemd loads is found by its setting’s name; others are not set', () => {
  const { admin, mail } = load({ CREDENTIALS_DIRECTORY: '/run/credentials/assay.service' });
  equal(admin.apiKey?.reveal(), KEY);
  equal(mail.smtpUrl?.reveal(), 'smtp://assay:hidden@mail.example.org:587');
  equal(admin.password, null);
});

test('a broker’s key is a credential as the worker’s unit loads it, and a faulty one is not shown', () => {
  const servers = { ASSAY_NATS_SERVERS: 'nats://127.0.0.1:4222', ASSAY_WORKERS_LISTEN: '127.0.0.1:0' };
  const { nats } = load({ ...servers, CREDENTIALS_DIRECTORY: '/run/credentials/assay.service' });
  equal(nats?.nkeySeed?.reveal(), SEED);
  throws(
    () => load({ ...servers, ASSAY_NATS_NKEY_SEED: 'a-seed-that-is-wrong' }),
    (error: Error) => /nats\.nkey_seed .* found 20 characters/.test(error.message),
  );
});

test('faults name the file, and never what it holds', () => {
  throws(
    () => load({ ASSAY_ADMIN_PASSWORD_FILE: '/secrets/none' }),
    /admin\.password_file \(ASSAY_ADMIN_PASSWORD_FILE\): expected a readable file .*, found \/secrets\/none: ENOENT/,
  );
  throws(
    () => load({}, '/etc/wrong.toml'),
    /admin\.api_key_file \(wrong\.toml line 2\): expected a path, found 7/,
  );
  throws(
    () => load({ ASSAY_ADMIN_PASSWORD_FILE: '/secrets/short' }),
    (error: Error) => {
      match(
        error.message,
        /admin\.password \(.*\/secrets\/short\): expected 12 to 256 characters, found 5 characters/,
      );
      ok(!error.message.includes('found short'));
      return true;
    },
  );
});

test('the signing key of evidence is taken from a file with its line breaks, and another kind of key is refused', () => {
  const { evidence } = load({ CREDENTIALS_DIRECTORY: '/run/credentials/assay.service' });
  equal(`${evidence.signingKey?.reveal()}\n`, SIGNING_KEY);
  throws(
    () => load({ ASSAY_EVIDENCE_SIGNING_KEY_FILE: '/secrets/ec' }),
    /evidence\.signing_key \(.*\/secrets\/ec\): expected an Ed25519 private key .*, found a key of type ec/,
  );
  throws(
    () => load({ ASSAY_EVIDENCE_SIGNING_KEY_FILE: '/secrets/key' }),
    /evidence\.signing_key .*found no private key in PEM/,
  );
});
