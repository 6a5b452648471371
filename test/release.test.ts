/** What a release carries, and how a box judges it; the whole archive is made and started by test/heavy/release.ts. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';
import { writeArchive } from '../packaging/archive.ts';
import { filesOfPackage, readInstalled, shippedPackages } from '../packaging/packages.ts';
import { signFile } from '../packaging/signature.ts';
import { writeSums } from '../packaging/stage.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

const ROOT = join(import.meta.dirname, '..');
const VERIFY = join(ROOT, 'systemd', 'verify.sh');
const packages = shippedPackages(await readInstalled(ROOT), ROOT);

function importedPackages(): string[] {
  const names = new Set<string>();
  for (const file of globSync('src/**/*.{ts,tsx}', { cwd: ROOT })) {
    for (const { fileName } of ts.preProcessFile(readFileSync(join(ROOT, file), 'utf8')).importedFiles) {
      const [scope = '', name = ''] = fileName.split('/');
      if (fileName.startsWith('.') || fileName.startsWith('node:')) continue;
      names.add(scope.startsWith('@') ? `${scope}/${name}` : scope);
    }
  }
  return [...names].sort();
}

test('every package that the program imports ships', () => {
  const imported = importedPackages();
  ok(imported.includes('lmdb') && imported.includes('@grpc/grpc-js') && imported.length > 20);
  deepEqual(
    imported.filter((name) => !packages.includes(`node_modules/${name}`)),
    [],
  );
});

test('no development package ships, and nothing of another platform', async () => {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  const never = [...Object.keys(devDependencies), '@tensorflow/tfjs', 'onnxruntime-web'].filter(
    // What a package that ships needs as well.
    (name) => !['ajv', '@types/node'].includes(name),
  );
  deepEqual(
    never.filter((name) => packages.includes(`node_modules/${name}`)),
    [],
  );
  const runtime = await filesOfPackage(ROOT, 'node_modules/onnxruntime-node');
  ok(runtime.includes('bin/napi-v6/linux/x64/onnxruntime_binding.node'));
  deepEqual(
    runtime.filter((file) => /win32|darwin|arm64/.test(file)),
    [],
  );
});

test('an install brings no browser runtime of models', () => {
  const { packages: locked } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, object>;
  };
  const unused = Object.keys(locked).filter((path) =>
    /node_modules\/(?:@tensorflow\/[^/]+|onnxruntime-web)$/.test(path),
  );
  deepEqual(unused, []);
});

async function writeRelease(folder: string): Promise<string> {
  const release = join(folder, 'assay-1');
  await mkdir(join(release, 'src'), { recursive: true });
  await writeFile(join(release, 'src', 'main.ts'), 'one\n');
  await writeFile(join(release, 'README.md'), 'two\n');
  await writeSums(release);
  return release;
}

test('the same folder makes the same archive', async () => {
  await using folder = await makeTemporaryFolder();
  const release = await writeRelease(folder.path);
  const [first, second] = [join(folder.path, '1.tar.gz'), join(folder.path, '2.tar.gz')] as const;
  await writeArchive(release, first, 1_000_000_000);
  // Written again: other times of change, another order on the disk.
  await rm(release, { recursive: true });
  await writeRelease(folder.path);
  await writeArchive(release, second, 1_000_000_000);
  ok((await readFile(first)).equals(await readFile(second)));
  await writeFile(join(release, 'README.md'), 'three\n');
  await writeArchive(release, second, 1_000_000_000);
  equal((await readFile(first)).equals(await readFile(second)), false);
});

const skip = existsSync('/usr/bin/openssl') ? false : 'openssl is not on this machine';

function verify(...args: string[]): { status: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync('sh', [VERIFY, ...args], { encoding: 'utf8' });
  return { status, text: `${stdout}${stderr}` };
}

test('a box accepts only what is whole and signed', { skip }, async () => {
  await using folder = await makeTemporaryFolder();
  const release = await writeRelease(folder.path);
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const own = join(folder.path, 'own.pub');
  const foreign = join(folder.path, 'foreign.pub');
  await writeFile(own, publicKey.export({ type: 'spki', format: 'pem' }));
  const other = generateKeyPairSync('ed25519').publicKey;
  await writeFile(foreign, other.export({ type: 'spki', format: 'pem' }));

  match(verify('--require-signature', release).text, /it is not signed/);
  match(verify('--key', own, release).text, /it is not signed/);
  await signFile(join(release, 'SHA256SUMS'), privateKey);
  const whole = verify('--key', own, release);
  equal(whole.status, 0, whole.text);
  match(whole.text, /signed by .*own\.pub\n2 files are whole/);
  match(verify('--key', foreign, release).text, /the signature is not by/);
  equal(verify('--key', foreign, release).status, 1);

  await writeFile(join(release, 'src', 'planted.ts'), 'bad');
  match(verify('--key', own, release).text, /not on its list: src\/planted\.ts/);
  await rm(join(release, 'src', 'planted.ts'));
  await writeFile(join(release, 'src', 'main.ts'), 'bad\n');
  match(verify('--key', own, release).text, /it is damaged/);
  // A forger who repairs the list as well has no signature for it.
  await writeSums(release);
  await rm(join(release, 'SHA256SUMS.sig'), { force: true });
  equal(verify('--key', own, release).status, 1);
});

test('a release without the key that it must have is not begun', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(ROOT, 'packaging', 'main.ts'), ...args], { encoding: 'utf8', env: {} });
  const none = run('--require-signature');
  equal(none.status, 1);
  match(none.stderr, /name a key with --key/);
  const wrong = run('--key', join(ROOT, 'package.json'));
  equal(wrong.status, 1);
  match(wrong.stderr, /expected a private key in PEM/);
});
