/** The guard in front of addresses: every trick is refused before a connection is made. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pinAddress } from '../../src/app/address.ts';

const NEVER = new AbortController().signal;

const REFUSED = [
  'http://127.0.0.1/a.jpg',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0177.0.0.1/',
  'http://127.1/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:10.0.0.1]/',
  'http://[fd00::1]/',
  'http://[fe80::1]/',
  'http://localhost/',
  'http://10.0.0.1/',
  'http://172.16.0.1/',
  'http://192.168.1.1/',
  'http://169.254.169.254/latest/meta-data',
  'http://0.0.0.0/',
  'http://100.64.0.1/',
  'http://224.0.0.1/',
  'http://user:secret@93.184.216.34/',
  'file:///etc/passwd',
  'ftp://93.184.216.34/a.jpg',
  'gopher://93.184.216.34/',
  'not an address',
];

for (const address of REFUSED) {
  test(`refuses ${address}`, async () => {
    await assert.rejects(pinAddress({ fetchAllowNetworks: [] }, address, NEVER), {
      name: 'AppError',
      reason: 'bad_address',
    });
  });
}

test('pins a public address, and a private one that the operator allows', async () => {
  const open = await pinAddress({ fetchAllowNetworks: [] }, 'https://93.184.216.34/a.jpg', NEVER);
  assert.equal(open.address, '93.184.216.34');
  const allowed = await pinAddress({ fetchAllowNetworks: ['10.0.0.0/8'] }, 'http://10.1.2.3/a.jpg', NEVER);
  assert.equal(allowed.address, '10.1.2.3');
  await assert.rejects(
    pinAddress({ fetchAllowNetworks: ['10.0.0.0/8'] }, 'http://11.0.0.1@10.1.2.3/', NEVER),
  );
});
