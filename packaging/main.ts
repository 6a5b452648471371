/**
 * `npm run release`: a signed archive, and the same as a package of Debian, from which a box without a network installs Assay
 * (docs/release.md).
 */
import type { KeyObject } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { hashFile } from '../src/engine/packs/installed-packs.ts';
import { writeArchive } from './archive.ts';
import { writePackage } from './debian/package.ts';
import { writeImage } from './image/image.ts';
import { publicKeyOf, readSigningKey, signFile } from './signature.ts';
import { identify, type ReleaseIdentity, SUMS_FILE, stageRelease } from './stage.ts';

const ROOT = join(import.meta.dirname, '..');
/** A package must name a maintainer; a releaser for others sets its own name. */
const MAINTAINER = 'The releaser of Assay <assay@example.org>';

const USAGE = `npm run release -- [--form FORM]… [--key FILE] [--require-signature] [--maintainer TEXT] [--allow-dirty] [--out FOLDER]
  --form FORM          archive (tar.gz), deb or image (OCI; needs root, mmdebstrap, umoci and skopeo); may be repeated
                       (archive and deb)
  --key FILE           Ed25519 private key (PEM) that signs; also ASSAY_RELEASE_KEY names it
  --require-signature  nothing without a key
  --maintainer TEXT    who answers for the package: Name <mail@example.org>; also ASSAY_RELEASE_MAINTAINER
  --allow-dirty        take a tree that differs from its commit
  --out FOLDER         where it goes (release)`;

interface Making {
  /** The staged folder. */
  folder: string;
  /** The folder for intermediate files; it is removed at the end. */
  work: string;
  out: string;
  identity: ReleaseIdentity;
  maintainer: string;
}

/** Each function returns the path of its file. */
const FORMS = {
  archive: async ({ folder, out, identity }: Making) => {
    const dirty = identity.isDirty ? '-dirty' : '';
    const archive = join(out, `assay-${identity.version}${dirty}-linux-x64.tar.gz`);
    await writeArchive(folder, archive, identity.at);
    return archive;
  },
  deb: async ({ folder, work, out, identity, maintainer }: Making) => {
    const root = join(work, 'deb');
    await mkdir(root);
    return await writePackage({ release: folder, identity, maintainer, root, out });
  },
  image: async ({ folder, work, out, identity }: Making) => {
    const place = join(work, 'image');
    await mkdir(place);
    return await writeImage({ release: folder, identity, work: place, out });
  },
} as const;
type Form = keyof typeof FORMS;
/** These forms need neither root nor a mirror. */
const FORMS_DEFAULT: readonly Form[] = ['archive', 'deb'];

async function main(argv: string[]): Promise<void> {
  const { values } = parseArgs({
    args: argv,
    options: {
      key: { type: 'string' },
      form: { type: 'string', multiple: true, default: [...FORMS_DEFAULT] },
      maintainer: { type: 'string', default: process.env.ASSAY_RELEASE_MAINTAINER ?? MAINTAINER },
      out: { type: 'string', default: join(ROOT, 'release') },
      'require-signature': { type: 'boolean', default: false },
      'allow-dirty': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void process.stdout.write(`${USAGE}\n`);
  const forms = values.form.map(parseForm);
  if (!/^[^<>\n]+ <[^<>@\s]+@[^<>@\s]+>$/.test(values.maintainer))
    throw new Error(
      `--maintainer: expected Name <mail@example.org>, found ${JSON.stringify(values.maintainer)}`,
    );
  const keyPath = values.key ?? process.env.ASSAY_RELEASE_KEY;
  if (values['require-signature'] && keyPath === undefined)
    throw new Error('--require-signature: name a key with --key or ASSAY_RELEASE_KEY');
  const key = keyPath === undefined ? null : await readSigningKey(keyPath);
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const identity = identify(ROOT, version, values['allow-dirty']);
  const out = resolve(values.out);
  await mkdir(out, { recursive: true });
  const work = await mkdtemp(join(out, '.stage-'));
  try {
    await make(forms, key, { work, out, identity, maintainer: values.maintainer });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function parseForm(name: string): Form {
  const form = (Object.keys(FORMS) as Form[]).find((known) => known === name);
  if (form === undefined)
    throw new Error(`--form: expected ${Object.keys(FORMS).join(' or ')}, found ${JSON.stringify(name)}`);
  return form;
}

async function make(
  forms: readonly Form[],
  key: KeyObject | null,
  making: Omit<Making, 'folder'>,
): Promise<void> {
  let startedAt = performance.now();
  const lap = () => {
    const seconds = (performance.now() - startedAt) / 1000;
    startedAt = performance.now();
    return seconds.toFixed(0);
  };
  const folder = join(making.work, `assay-${making.identity.version}`);
  await mkdir(folder);
  await stageRelease(ROOT, folder, making.identity);
  if (key !== null) await signFile(join(folder, SUMS_FILE), key);
  process.stdout.write(`${await describe(folder)}, ${lap()} s\n`);
  for (const form of new Set(forms)) {
    const path = await FORMS[form]({ ...making, folder });
    const sums = `${path}.sha256`;
    const sha256 = await hashFile(path);
    await writeFile(sums, `${sha256}  ${basename(path)}\n`);
    await rm(`${sums}.sig`, { force: true });
    if (key !== null) await signFile(sums, key);
    process.stdout.write(
      `${path}\n  ${megabytes((await stat(path)).size)}, ${lap()} s\n  sha256 ${sha256}\n`,
    );
  }
  process.stdout.write(
    key === null
      ? 'UNSIGNED: nobody can tell who made it. --key FILE signs (openssl genpkey -algorithm ed25519 -out FILE)\n'
      : `signed; boxes verify with this public key:\n${publicKeyOf(key)}`,
  );
}

async function describe(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  let bytes = 0;
  for (const { parentPath, name } of files) bytes += (await stat(join(parentPath, name))).size;
  return `${files.length} files, ${megabytes(bytes)}`;
}

function megabytes(count: number): string {
  return `${(count / 1e6).toFixed(1)} MB`;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`release: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
