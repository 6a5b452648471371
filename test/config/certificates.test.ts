import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadSettings } from '../../src/config/settings.ts';
import { SettingsError } from '../../src/config/settings-error.ts';
import { makeIdentity } from '../certificates.ts';

const authority = makeIdentity({ name: 'Authority' });
const server = makeIdentity({ name: 'box', issuer: authority });
const other = makeIdentity({ name: 'other' });

const FILES: Readonly<Record<string, string>> = {
  'ca.pem': authority.cert,
  'two.pem': authority.cert + other.cert,
  'server.pem': server.cert + authority.cert,
  'server.key': server.key,
  'other.key': other.key,
  'half.pem': authority.cert + server.cert.slice(0, -40),
  'rubbish.pem': '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
  'text.pem': 'no certificate at all',
};

function load(env: Record<string, string>) {
  const readFile = (path: string) => {
    const text = FILES[path];
    if (text !== undefined) return text;
    throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
  };
  return loadSettings({ argv: [], env, readFile });
}

const TLS = { ASSAY_TLS_CERT_FILE: 'server.pem', ASSAY_TLS_KEY_FILE: 'server.key' };
const EXPOSED = { ASSAY_HTTP_LISTEN: '0.0.0.0:8480', ASSAY_GRPC_LISTEN: '0.0.0.0:8481' };

test('with certificate and key a listener may be off loopback', () => {
  const { tls, app } = load({ ...TLS, ...EXPOSED, ASSAY_TLS_CLIENT_CA_FILE: 'two.pem' });
  assert.deepEqual(tls, { certFile: 'server.pem', keyFile: 'server.key', clientCaFile: 'two.pem' });
  assert.match(app.publicUrl, /^https:/);
});

const CASES: { name: string; env: Record<string, string>; faults: RegExp[] }[] = [
  {
    name: 'another key than the certificate’s',
    env: { ...TLS, ASSAY_TLS_KEY_FILE: 'other.key' },
    faults: [
      /^tls\.key_file \(ASSAY_TLS_KEY_FILE\): expected the private key of the certificate in tls\.cert_file/,
    ],
  },
  {
    name: 'a key that is none',
    env: { ...TLS, ASSAY_TLS_KEY_FILE: 'text.pem' },
    faults: [/^tls\.key_file .*expected a private key in PEM without a passphrase, found none in text\.pem$/],
  },
  {
    name: 'a certificate without its key',
    env: { ASSAY_TLS_CERT_FILE: 'server.pem' },
    faults: [/^tls\.key_file \(default\): expected both tls\.cert_file and tls\.key_file/],
  },
  {
    name: 'issuers of clients without TLS',
    env: { ASSAY_TLS_CLIENT_CA_FILE: 'ca.pem' },
    faults: [/^tls\.cert_file \(default\): expected both/],
  },
  {
    name: 'trust anchors of which one is broken',
    env: { ASSAY_PROVENANCE_TRUST_ANCHORS_FILE: 'half.pem' },
    faults: [/^provenance\.trust_anchors_file .*certificate 2 of half\.pem cannot be read$/],
  },
  {
    name: 'trust anchors that are rubbish, absent, or no certificates',
    env: { ASSAY_PROVENANCE_TRUST_ANCHORS_FILE: 'rubbish.pem' },
    faults: [/certificate 1 of rubbish\.pem cannot be read$/],
  },
  {
    name: 'trust anchors that are not there',
    env: { ASSAY_PROVENANCE_TRUST_ANCHORS_FILE: 'nowhere.pem' },
    faults: [/expected a readable PEM file, found nowhere\.pem: ENOENT$/],
  },
  {
    name: 'backups within what they back up',
    env: { ASSAY_BACKUP_DIR: './data/backups' },
    faults: [
      /^backup\.dir \(ASSAY_BACKUP_DIR\): expected a folder outside of data_dir, found "\.\/data\/backups"$/,
    ],
  },
];

for (const { name, env, faults } of CASES) {
  test(`faulty settings: ${name}`, () => {
    assert.throws(
      () => load(env),
      (error: unknown) => {
        assert.ok(error instanceof SettingsError);
        const shown = error.message
          .split('\n')
          .slice(1)
          .map((line) => line.trim());
        assert.equal(shown.length, faults.length, error.message);
        for (const [index, fault] of faults.entries()) assert.match(shown[index] ?? '', fault);
        return true;
      },
    );
  });
}
