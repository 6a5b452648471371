/** The guard in front of addresses: every trick is refused before a connection is made. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AddressRule,
  assertDeliverable,
  nameOfAddress,
  pinAddress,
} from '../../src/machinery/address.ts';

const NEVER = new AbortController().signal;

function rule(options: Partial<AddressRule> = {}): AddressRule {
  return { field: 'file_url', allowNetworks: [], ...options };
}

const REFUSED = [
  // Every way to write the loopback address of IPv4.
  'http://127.0.0.1/a.jpg',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://017700000001/',
  'http://127.1/',
  'http://127.0.0.1./',
  'http://%31%32%37.0.0.1/',
  'http://①②⑦.0.0.1/',
  'http://127。0。0。1/',
  'http:127.0.0.1',
  'http:\\\\127.0.0.1\\',
  'http://127.0.0.1:80\\@93.184.216.34/',
  // IPv6, and IPv4 inside it.
  'http://[::1]/',
  'http://[::]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[0:0:0:0:0:ffff:127.0.0.1]/',
  'http://[::ffff:10.0.0.1]/',
  'http://[::127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[2002:7f00:1::]/',
  'http://[fd00::1]/',
  'http://[fe80::1]/',
  'http://[fe80::1%25eth0]/',
  'http://[fec0::1]/',
  'http://[ff02::1]/',
  'http://[4000::1]/',
  // Names of the box itself.
  'http://localhost/',
  'http://localhost./',
  'http://LOCALHOST:8480/',
  // Networks that are no one's business.
  'http://10.0.0.1/',
  'http://172.16.0.1/',
  'http://192.168.1.1/',
  'http://169.254.169.254/latest/meta-data',
  'http://0.0.0.0/',
  'http://0/',
  'http://100.64.0.1/',
  'http://198.18.0.1/',
  'http://224.0.0.1/',
  'http://255.255.255.255/',
  // What is no plain address.
  'http://user:secret@93.184.216.34/',
  'http://user@93.184.216.34/',
  'http://93.184.216.34:0/',
  'http://93.184.216.34:65536/',
  'http://256.256.256.256/',
  'file:///etc/passwd',
  'ftp://93.184.216.34/a.jpg',
  'gopher://93.184.216.34/',
  'data:image/png;base64,AA==',
  'blob:http://93.184.216.34/1',
  '//93.184.216.34/a.jpg',
  '/a.jpg',
  'not an address',
];

for (const address of REFUSED) {
  test(`refuses ${address}`, async () => {
    await assert.rejects(pinAddress(rule(), address, NEVER), { name: 'AppError', reason: 'bad_address' });
    const webhook = rule({ field: 'webhook_url' });
    // A name without an answer is let through for later; every other trick is refused at once.
    if (!address.toLowerCase().includes('localhost')) {
      await assert.rejects(assertDeliverable(webhook, address, NEVER), { reason: 'bad_address' });
    }
  });
}

async function placesOf(options: Partial<AddressRule>, address: string): Promise<string[]> {
  const { places } = await pinAddress(rule(options), address, NEVER);
  return places.map((place) => `${place.family} ${place.address}`);
}

test('pins a public address, and a private one that the operator allows', async () => {
  assert.deepEqual(await placesOf({}, 'https://93.184.216.34/a.jpg'), ['4 93.184.216.34']);
  assert.deepEqual(await placesOf({}, 'https://[2606:4700::1111]/a.jpg'), ['6 2606:4700::1111']);
  const allowNetworks = ['10.0.0.0/8'];
  assert.deepEqual(await placesOf({ allowNetworks }, 'http://10.1.2.3/a.jpg'), ['4 10.1.2.3']);
  assert.deepEqual(await placesOf({ allowNetworks }, 'http://[::ffff:10.1.2.3]/'), ['6 ::ffff:a01:203']);
  for (const address of ['http://11.0.0.1@10.1.2.3/', 'http://192.168.1.1/', 'http://[fd00::1]/']) {
    await assert.rejects(pinAddress(rule({ allowNetworks }), address, NEVER), { reason: 'bad_address' });
  }
});

test('every answer of the resolver is judged', async () => {
  const answers = (...addresses: string[]) => ({ resolve: async () => addresses });
  assert.deepEqual(await placesOf(answers('93.184.216.34', '2606:4700::1111'), 'http://desk.example/'), [
    '4 93.184.216.34',
    '6 2606:4700::1111',
  ]);
  const tricks = [
    ['127.0.0.1'],
    ['93.184.216.34', '10.0.0.1'],
    ['93.184.216.34', '::ffff:169.254.169.254'],
    [],
  ];
  for (const addresses of tricks) {
    await assert.rejects(pinAddress(rule(answers(...addresses)), 'http://desk.example/', NEVER), {
      reason: 'bad_address',
    });
  }
  const internal = { ...answers('::1', '127.0.0.1'), allowNetworks: ['127.0.0.0/8'] };
  assert.deepEqual(
    await placesOf(internal, 'http://desk.internal/'),
    ['4 127.0.0.1'],
    'only what is allowed',
  );
  const mixed = rule({
    ...answers('93.184.216.34', '127.0.0.1', '10.0.0.1'),
    allowNetworks: ['127.0.0.0/8'],
  });
  await assert.rejects(pinAddress(mixed, 'http://desk.internal/', NEVER), { reason: 'bad_address' });
});

test('a changing answer is judged anew each time, and pinned in between', async () => {
  const answers = [['93.184.216.34'], ['127.0.0.1']];
  const changing = rule({ resolve: async () => answers.shift() ?? [] });
  const { places } = await pinAddress(changing, 'http://desk.example/', NEVER);
  assert.deepEqual(places, [{ address: '93.184.216.34', family: 4 }]);
  await assert.rejects(pinAddress(changing, 'http://desk.example/', NEVER), {
    message: 'file_url: the address leads to the loopback range, which may not be fetched from',
  });
});

test('a name without an answer is refused to fetch from, and left for later to deliver to', async () => {
  const resolve = async () => {
    throw Object.assign(new Error('no'), { code: 'ENOTFOUND' });
  };
  await assert.rejects(pinAddress(rule({ resolve }), 'http://desk.example/', NEVER), {
    reason: 'bad_address',
    message: 'file_url: the host desk.example cannot be resolved (ENOTFOUND)',
  });
  await assertDeliverable(rule({ field: 'webhook_url', resolve }), 'http://desk.example/', NEVER);
});

test('a resolver that hangs holds no one', async () => {
  const resolve = () => new Promise<string[]>(() => {});
  const signal = AbortSignal.timeout(20);
  await assert.rejects(pinAddress(rule({ resolve }), 'http://desk.example/', signal), {
    name: 'TimeoutError',
  });
});

test('the name of an address is its last segment, whatever is in it', () => {
  const names: [string, string][] = [
    ['https://desk.example/a/photo%20one.jpg?size=2', 'photo one.jpg'],
    ['https://desk.example/%E0%A4%A.jpg', '%E0%A4%A.jpg'],
    ['https://desk.example/', ''],
  ];
  for (const [address, name] of names) assert.equal(nameOfAddress(new URL(address)), name);
});
