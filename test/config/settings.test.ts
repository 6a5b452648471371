import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { loadSettings } from '../../src/config/settings.ts';
import { SettingsError } from '../../src/config/settings-error.ts';
import { toHttp } from '../../src/config/slices.ts';
import { HttpServer } from '../../src/port/server.ts';

interface Case {
  name: string;
  toml?: string;
  env?: Record<string, string>;
  argv?: string[];
  /** All faults, in order. */
  faults: RegExp[];
}

function load(input: { toml?: string; env?: Record<string, string>; argv?: string[] }) {
  const argv = input.argv ?? (input.toml === undefined ? [] : ['--config', '/etc/assay.toml']);
  const readFile = (path: string) => {
    if (path === '/etc/assay.toml' && input.toml !== undefined) return input.toml;
    throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
  };
  return loadSettings({ argv, env: input.env ?? {}, readFile });
}

const NKEY = { ASSAY_NATS_NKEY_SEED: `SU${'A'.repeat(56)}` };

const CASES: readonly Case[] = [
  {
    name: 'several faults in the file and in variables are all listed',
    toml: '[queue]\nmax = 0\n\n[log]\nlevel = "loud"\n',
    env: { ASSAY_UPLOADS_MAX: 'many' },
    faults: [
      /^log\.level \(assay\.toml line 5\): expected one of trace, .*silent, found "loud"$/,
      /^uploads\.max \(ASSAY_UPLOADS_MAX\): expected a whole number from 1 to 100000, found "many"$/,
      /^queue\.max \(assay\.toml line 2\): expected a whole number from 1 to 10000000, found 0$/,
    ],
  },
  {
    name: 'an unknown key names the nearest one',
    toml: '[http]\nlistn = "127.0.0.1:1"\n',
    faults: [/^http\.listn \(assay\.toml line 2\): expected a known setting, .*did you mean http\.listen\?/],
  },
  {
    name: 'a key in the wrong table names the right one',
    toml: 'batch_max = 4\n',
    faults: [/^batch_max \(assay\.toml line 1\): .*did you mean inference\.batch_max\?/],
  },
  {
    name: 'a file that is no TOML says where',
    toml: 'a = 1\nb = [\n',
    faults: [/^the file \(assay\.toml line \d\): expected TOML, found /],
  },
  {
    name: 'a file that is not there',
    argv: ['--config', '/nowhere.toml'],
    faults: [/^the file \(--config\): expected a readable file, found \/nowhere\.toml: ENOENT$/],
  },
  {
    name: 'a listener off loopback needs a proxy',
    env: { ASSAY_HTTP_LISTEN: '0.0.0.0:8480' },
    faults: [
      /^http\.listen \(ASSAY_HTTP_LISTEN\): expected a loopback address, or tls\.cert_file .*, or behind_proxy = true .*clear text/,
    ],
  },
  {
    name: 'a NATS server off loopback in clear text',
    env: { ...NKEY, ASSAY_NATS_SERVERS: 'nats://127.0.0.1:4222,nats://broker.example.org:4222' },
    faults: [/^nats\.servers \(ASSAY_NATS_SERVERS\): expected tls:\/\/ for each address that is no loopback/],
  },
  {
    name: 'a NATS server off loopback in clear text, by an address of IPv6',
    env: { ...NKEY, ASSAY_NATS_SERVERS: 'nats://[2001:db8::1]:4222' },
    faults: [/^nats\.servers \(ASSAY_NATS_SERVERS\): expected tls:\/\//],
  },
  {
    name: 'a NATS server without a key',
    env: { ASSAY_NATS_SERVERS: 'tls://broker.example.org:4222' },
    faults: [/^nats\.nkey_seed .*: expected the seed of .*, or nats\.allow_unauthenticated = true/],
  },
  {
    name: 'two listeners on one port',
    env: { ASSAY_GRPC_LISTEN: '127.0.0.1:8480' },
    faults: [/^grpc\.listen \(ASSAY_GRPC_LISTEN\): expected another port than http\.listen/],
  },
  {
    name: 'a GPU that is required and not named',
    env: { ASSAY_ACCELERATOR_REQUIRE: 'gpu' },
    faults: [/^inference\.providers .*expected tensorrt, cuda or webgpu, since accelerator\.require is gpu/],
  },
  {
    name: 'a GPU that is named and must not be used',
    env: { ASSAY_ACCELERATOR_REQUIRE: 'cpu', ASSAY_INFERENCE_PROVIDERS: 'cuda,cpu' },
    faults: [
      /^inference\.providers .*expected cpu alone, since accelerator\.require is cpu, found "cuda, cpu"$/,
    ],
  },
  {
    name: 'half precision where no provider has it',
    env: { ASSAY_INFERENCE_PRECISION: 'half_where_exact', ASSAY_INFERENCE_PROVIDERS: 'tensorrt,cpu' },
    faults: [
      /^inference\.precision \(ASSAY_INFERENCE_PRECISION\): expected full, since inference\.providers names neither cuda nor webgpu, found "half_where_exact"$/,
    ],
  },
  {
    name: 'a prefix that a proxy would put before every address',
    env: { ASSAY_PUBLIC_URL: 'https://news.example.org/assay' },
    faults: [/^public_url .*without a path, found "https:\/\/news\.example\.org\/assay"$/],
  },
  {
    name: 'sizes, networks, addresses and lists',
    env: {
      ASSAY_DISK_FREE_MIN: '1GB',
      ASSAY_FETCH_ALLOW_NETWORKS: '10.0.0.0/8,10.1',
      ASSAY_PUBLIC_URL: 'assay.example.org',
      ASSAY_INFERENCE_PROVIDERS: 'cuda,gpu',
    },
    faults: [
      /^public_url \(ASSAY_PUBLIC_URL\): expected an address like https:\S+, without a path/,
      /^disk_free_min .*expected a size in bytes or like 512MiB/,
      /^fetch\.allow_networks .*networks like 10\.0\.0\.0\/8, found "10\.0\.0\.0\/8,10\.1"$/,
      /^inference\.providers .*tensorrt, cuda, webgpu, cpu, found "cuda,gpu"$/,
    ],
  },
  {
    name: 'a wrong secret is not shown',
    env: { ASSAY_ADMIN_PASSWORD: 'hunter2' },
    faults: [/^admin\.password \(ASSAY_ADMIN_PASSWORD\): expected 12 to 256 characters, found 7 characters$/],
  },
  {
    name: 'a mistyped variable names the nearest one; a foreign one with our prefix is left alone',
    env: { ASSAY_LOG_LEVL: 'debug', ASSAY_SERVICE_HOST: '10.0.0.1' },
    faults: [/^ASSAY_LOG_LEVL \(variable\): .*did you mean ASSAY_LOG_LEVEL\?/],
  },
  {
    name: 'the wrong type, in an inline table and over several lines',
    toml: 'decode = { slots = "two", isolation = 1 }\nhttp.allowed_hosts = [\n  "a",\n  3,\n]\n',
    faults: [
      /^http\.allowed_hosts \(assay\.toml line 2\)/,
      /^decode\.slots \(assay\.toml line 1\): .*found "two"$/,
      /^decode\.isolation \(assay\.toml line 1\): expected one of auto, require, any, found 1$/,
    ],
  },
  {
    name: 'an argument that is none',
    argv: ['--port', '80'],
    faults: [/^argument \(command line\): expected --config FILE, found --port$/, /found 80$/],
  },
  {
    name: 'trust anchors that cannot be read',
    env: { ASSAY_PROVENANCE_TRUST_ANCHORS_FILE: '/nowhere.pem' },
    faults: [/^provenance\.trust_anchors_file .*expected a readable PEM file, found \/nowhere\.pem: ENOENT$/],
  },
];

for (const { name, faults, ...input } of CASES) {
  test(`faulty settings: ${name}`, () => {
    assert.throws(
      () => load(input),
      (error) => {
        assert(error instanceof SettingsError);
        const lines = error.message
          .split('\n')
          .slice(1)
          .map((line) => line.trim());
        assert.equal(lines.length, faults.length, error.message);
        for (const [index, fault] of faults.entries()) assert.match(lines[index] ?? '', fault);
        return true;
      },
    );
  });
}

test('without any setting the documented defaults hold', () => {
  const settings = load({});
  assert.deepEqual(settings.http.listen, { host: '127.0.0.1', port: 8480 });
  assert.deepEqual(settings.grpc.listen, { host: '127.0.0.1', port: 8481 });
  assert.equal(settings.app.publicUrl, 'http://127.0.0.1:8480');
  assert.equal(settings.http.publicUrl, null);
  assert.equal(settings.app.diskFreeBytesMin, 2 ** 30);
  assert.equal(settings.admin.email, 'admin@localhost');
  assert.equal(settings.trustAnchorsPem, '');
  assert(Object.isFrozen(settings.engine.inference.providers));
});

test('a variable wins over the file, and the origins say so', () => {
  const settings = load({
    toml: 'disk_free_min = "2GiB"\n[http]\nlisten = "[::1]:0"\n[queue]\nmax = 5\n',
    env: { ASSAY_QUEUE_MAX: '7', ASSAY_LOG_LEVEL: '' },
  });
  assert.equal(settings.engine.queueMax, 7);
  assert.equal(settings.app.diskFreeBytesMin, 2 ** 31);
  assert.deepEqual(settings.http.listen, { host: '::1', port: 0 });
  const http = toHttp(settings, null);
  assert.equal(http.publicUrl, 'http://[::1]:0');
  assert.equal(new HttpServer(http).url, 'http://[::1]:0');
  const origin = (key: string) => settings.origins.find((row) => row.key === key)?.origin;
  assert.equal(origin('queue.max'), 'ASSAY_QUEUE_MAX');
  assert.equal(origin('http.listen'), 'assay.toml line 3');
  assert.equal(origin('log.level'), 'default');
});

test('NATS servers are taken by TLS, on loopback, and without a key if a setting allows it', () => {
  const accepted = [
    { ...NKEY, ASSAY_NATS_SERVERS: 'tls://broker.example.org:4222' },
    { ...NKEY, ASSAY_NATS_SERVERS: 'nats://127.0.0.1:4222,nats://localhost,nats://[::1]:4222' },
    { ASSAY_NATS_ALLOW_UNAUTHENTICATED: 'true', ASSAY_NATS_SERVERS: 'nats://127.0.0.1:4222' },
  ];
  for (const env of accepted) assert.ok(load({ env }).nats !== null);
});

test('a listener off loopback is accepted behind a proxy', () => {
  const settings = load({ env: { ASSAY_HTTP_LISTEN: '0.0.0.0:80', ASSAY_BEHIND_PROXY: 'true' } });
  assert.equal(settings.http.listen.host, '0.0.0.0');
});

test('a named GPU is given larger batches and more analyses at once, unless they are set', () => {
  const loadsOf = (env: Record<string, string>) => {
    const { inference, analysesMax } = load({ env }).engine;
    return [inference.batchMax, analysesMax / availableParallelism()];
  };
  const env = { ASSAY_INFERENCE_PROVIDERS: 'cuda,cpu' };
  assert.deepEqual(loadsOf({}), [8, 2]);
  assert.deepEqual(loadsOf(env), [32, 4]);
  const set = { ASSAY_INFERENCE_BATCH_MAX: '5', ASSAY_QUEUE_RUNNING_MAX: `${availableParallelism()}` };
  assert.deepEqual(loadsOf({ ...env, ...set }), [5, 1]);
});

test('models get what GPU drivers read of the environment, and no secret', () => {
  const env = {
    ASSAY_ADMIN_API_KEY: 'k'.repeat(40),
    CUDA_VISIBLE_DEVICES: '1',
    LD_LIBRARY_PATH: '/opt/cuda/lib',
  };
  const { environment } = load({ env }).engine.inference;
  assert.deepEqual(environment, { CUDA_VISIBLE_DEVICES: '1', LD_LIBRARY_PATH: '/opt/cuda/lib' });
});

test('secrets never print', () => {
  const key = 'correct-horse-battery';
  const settings = load({ env: { ASSAY_ADMIN_API_KEY: key } });
  assert.equal(settings.admin.apiKey?.reveal(), key);
  for (const printed of [
    JSON.stringify(settings),
    inspect(settings, { depth: 9 }),
    `${settings.admin.apiKey}`,
  ]) {
    assert(!printed.includes(key));
  }
});
