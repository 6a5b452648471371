/** `npm run release`: a signed archive from which a box without a network installs Assay (docs/install.md). */
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { hashFile } from '../src/engine/decode/hash-file.ts';
import { writeArchive } from './archive.ts';
import { publicKeyOf, readSigningKey, signFile } from './signature.ts';
import { identify, SUMS_FILE, stageRelease } from './stage.ts';

const ROOT = join(import.meta.dirname, '..');

const USAGE = `npm run release -- [--key FILE] [--require-signature] [--allow-dirty] [--out FOLDER]
  --key FILE           Ed25519 private key (PEM) that signs; also ASSAY_RELEASE_KEY names it
  --require-signature  no archive without a key
  --allow-dirty        take a tree that differs from its commit
  --out FOLDER         where the archive goes (release)`;

async function main(argv: string[]): Promise<void> {
  const { values } = parseArgs({
    args: argv,
    options: {
      key: { type: 'string' },
      out: { type: 'string', default: join(ROOT, 'release') },
      'require-signature': { type: 'boolean', default: false },
      'allow-dirty': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void process.stdout.write(`${USAGE}\n`);
  const keyPath = values.key ?? process.env.ASSAY_RELEASE_KEY;
  if (values['require-signature'] && keyPath === undefined)
    throw new Error('--require-signature: name a key with --key or ASSAY_RELEASE_KEY');
  const startedAt = performance.now();
  const key = keyPath === undefined ? null : await readSigningKey(keyPath);
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const identity = identify(ROOT, version, values['allow-dirty']);
  const out = resolve(values.out);
  await mkdir(out, { recursive: true });
  const stage = await mkdtemp(join(out, '.stage-'));
  try {
    const folder = join(stage, `assay-${version}`);
    await mkdir(folder);
    await stageRelease(ROOT, folder, identity);
    if (key !== null) await signFile(join(folder, SUMS_FILE), key);
    const archive = join(out, `assay-${version}${identity.isDirty ? '-dirty' : ''}-linux-x64.tar.gz`);
    await writeArchive(folder, archive, identity.at);
    const sums = `${archive}.sha256`;
    const sha256 = await hashFile(archive);
    await writeFile(sums, `${sha256}  ${basename(archive)}\n`);
    await rm(`${sums}.sig`, { force: true });
    if (key !== null) await signFile(sums, key);
    await tell({ folder, archive, sha256, seconds: (performance.now() - startedAt) / 1000 });
    process.stdout.write(
      key === null
        ? 'UNSIGNED: nobody can tell who made it. --key FILE signs (openssl genpkey -algorithm ed25519 -out FILE)\n'
        : `signed; boxes verify with this public key:\n${publicKeyOf(key)}`,
    );
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

interface Made {
  folder: string;
  archive: string;
  sha256: string;
  seconds: number;
}

async function tell({ folder, archive, sha256, seconds }: Made): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  let bytes = 0;
  for (const { parentPath, name } of files) bytes += (await stat(join(parentPath, name))).size;
  const packed = (await stat(archive)).size;
  const megabytes = (count: number) => `${(count / 1e6).toFixed(1)} MB`;
  process.stdout.write(
    `${archive}\n  ${files.length} files, ${megabytes(bytes)}, packed ${megabytes(packed)}, ${seconds.toFixed(0)} s\n` +
      `  sha256 ${sha256}\n`,
  );
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`release: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
