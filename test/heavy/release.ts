/** A whole release: made, judged, installed, and started with nothing of the checkout in reach. Exit code 1 on a miss. */
import { equal, match, ok } from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { patternImage } from '../media/pictures.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const KEY = `assay_${'8'.repeat(64)}`;
const READY_TRIES = 600;

function timed<T>(what: string, work: () => T): T {
  const startedAt = performance.now();
  const result = work();
  process.stdout.write(`${what}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
  return result;
}

async function makeKeys(folder: string): Promise<{ secret: string; open: string }> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const [secret, open] = [join(folder, 'release.key'), join(folder, 'release.pub')] as const;
  await writeFile(secret, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  await writeFile(open, publicKey.export({ type: 'spki', format: 'pem' }));
  return { secret, open };
}

/** Returns the unpacked folder. */
async function makeRelease(folder: string, keys: { secret: string; open: string }): Promise<string> {
  const options = ['--allow-dirty', '--form', 'archive', '--key', keys.secret, '--out', folder];
  const args = [join(ROOT, 'packaging', 'main.ts'), ...options];
  process.stdout.write(timed('made', () => execFileSync(process.execPath, args, { encoding: 'utf8' })));
  const archive = (await readdir(folder)).find((name) => name.endsWith('.tar.gz')) ?? '';
  const verify = [join(ROOT, 'systemd', 'verify.sh'), '--key', keys.open, join(folder, archive)];
  match(
    timed('judged', () => execFileSync('sh', verify, { encoding: 'utf8' })),
    /is whole/,
  );
  await mkdir(join(folder, 'unpacked'));
  timed('unpacked', () => execFileSync('tar', ['xf', join(folder, archive), '-C', join(folder, 'unpacked')]));
  const [name = ''] = await readdir(join(folder, 'unpacked'));
  return join(folder, 'unpacked', name);
}

/** Starts the installed program with an environment that knows nothing of this checkout. */
async function start(program: string, data: string) {
  const env = {
    PATH: '/usr/bin:/bin',
    ...{ ASSAY_DATA_DIR: data, ASSAY_ADMIN_API_KEY: KEY },
    ...{ ASSAY_HTTP_LISTEN: '127.0.0.1:0', ASSAY_GRPC_LISTEN: '127.0.0.1:0' },
  };
  const child = spawn(join(program, 'bin', 'assay'), ['serve'], {
    env,
    cwd: data,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    const [, http = '', grpc = ''] = /assay ready http=(\S+) grpc=(\S+)$/.exec(line) ?? [];
    if (http !== '') return { child, exited, http, grpc };
  }
  throw new Error('the installed daemon ended before it served');
}

async function use(program: string, folder: string): Promise<void> {
  const data = join(folder, 'data');
  await mkdir(data);
  const startedAt = performance.now();
  const { child, exited, http, grpc } = await start(program, data);
  try {
    let isReady = false;
    for (let count = 0; !isReady && count < READY_TRIES; count++) {
      isReady = (await fetch(`${http}/readyz`)).status === 200;
      if (!isReady) await delay(200);
    }
    ok(isReady, 'the models did not load');
    process.stdout.write(
      `first start until ready: ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`,
    );
    equal((await fetch(`${http}/`)).status, 200);
    const picture = join(folder, 'picture.png');
    await writeFile(picture, await patternImage(640, 480).png().toBuffer());
    const env = { PATH: '/usr/bin:/bin', ASSAY_ADDRESS: grpc, ASSAY_API_KEY: KEY };
    const run = (...args: string[]) =>
      execFileSync(join(program, 'bin', 'assay'), args, { env, encoding: 'utf8' });
    const record = JSON.parse(timed('classified', () => run('classify', '--json', picture))) as {
      status: string;
    };
    match(record.status, /done/i);
    match(run('models'), /assay-transformer/);
    // Ends with 1, and so throws here, where anything of the box is bad.
    match(
      timed('examined', () => run('doctor')),
      /good\s+model nsfw/,
    );
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
  equal(child.exitCode, 0);
}

const folder = await mkdtemp(join(tmpdir(), 'assay-release-'));
try {
  const keys = await makeKeys(folder);
  const unpacked = await makeRelease(folder, keys);
  const root = join(folder, 'root');
  const install = [join(unpacked, 'systemd', 'install.sh'), '--root', root, '--key', keys.open];
  timed('installed', () => execFileSync('sh', install, { stdio: ['ignore', 'ignore', 'inherit'] }));
  await rm(unpacked, { recursive: true });
  await use(join(root, 'opt', 'assay'), folder);
} finally {
  await rm(folder, { recursive: true, force: true });
}
