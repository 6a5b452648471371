/** Lays a release out as a folder: what is tracked of the program, the packages it needs, the page, the papers. */
import { execFileSync } from 'node:child_process';
import { copyFile, link, mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { codeOf } from '../src/domain/error-code.ts';
import { hashFile } from '../src/engine/packs/installed-packs.ts';
import { openBundle } from '../src/port/page-bundle.ts';
import { writeBillOfMaterials } from './bill-of-materials.ts';
import { assertLocked, filesOfPackage, readInstalled, shippedPackages } from './packages.ts';
import { bundleProgram } from './program-bundle.ts';

export const SUMS_FILE = 'SHA256SUMS';
export const BILL_FILE = 'sbom.cdx.json';
export const RELEASE_FILE = 'release.json';

/** These parts of the repository ship; tests, benches and the training of models do not. */
const PARTS = [
  ...[
    'bin',
    'docs',
    'examples',
    'models',
    'trust',
    'page',
    'proto',
    'schema',
    'src',
    'systemd',
    'packaging/install-cuda.ts',
    'packaging/apparmor',
    'packaging/image/health-check.ts',
    'packaging/image/compose.yaml',
    'packaging/image/compose.gpu.yaml',
  ],
  ...['package.json', 'package-lock.json', '.npmrc', 'assay.example.toml', 'tsconfig.json'],
  ...['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'LICENSE'],
] as const;
const STAYS = ['models/training/', 'examples/demo/make.ts'];

export interface ReleaseIdentity {
  version: string;
  /** 40 hex digits. */
  commit: string;
  /** Time of the commit, seconds since 1970; every file gets it, so that a commit always makes the same bytes. */
  at: number;
  /** Whether files differ from the commit. */
  isDirty: boolean;
}

/** Throws where the tree differs from its commit, unless that is allowed: such a release cannot be made again. */
export function identify(root: string, version: string, allowDirty: boolean): ReleaseIdentity {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const changed = git('status', '--porcelain', '--', ...PARTS);
  if (changed !== '' && !allowDirty) {
    throw new Error(`the tree differs from its commit (--allow-dirty takes it as it is):\n${changed}`);
  }
  const [commit = '', at = ''] = git('log', '-1', '--format=%H %ct').split(' ');
  return { version, commit, at: Number(at), isDirty: changed !== '' };
}

/** Files of the repository that ship, tracked ones and, of a changed tree, new ones too. */
export function ownFiles(root: string): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...PARTS];
  const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return [...new Set(listed.split('\0'))].filter(
    (path) => path !== '' && !STAYS.some((start) => path.startsWith(start)),
  );
}

/** Fills `folder`, which must be there and empty. */
export async function stageRelease(root: string, folder: string, identity: ReleaseIdentity): Promise<void> {
  for (const path of ownFiles(root)) {
    // The file is copied: a hard link would change with the file after it was hashed.
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await copyFile(join(root, path), join(folder, path));
  }
  const installed = await readInstalled(root);
  const packages = shippedPackages(installed, root);
  await assertLocked(root, installed, packages);
  for (const path of packages) {
    for (const file of await filesOfPackage(root, path))
      await place(join(root, path, file), join(folder, path, file));
  }
  await bundleProgram({ root, out: join(folder, 'build'), isBound: false });
  await openBundle({
    cacheFolder: join(folder, 'page-bundle'),
    onNotKept: (error) => {
      throw error;
    },
  });
  await writeBillOfMaterials({ root, packages, path: join(folder, BILL_FILE), at: identity.at });
  await writeFile(join(folder, RELEASE_FILE), `${JSON.stringify(identity, null, 2)}\n`);
  await writeSums(folder);
}

/** A second name where the disk allows it: hundreds of megabytes need not be written twice. */
async function place(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  try {
    await link(from, to);
  } catch (error) {
    if (!['EXDEV', 'EPERM', 'EMLINK'].includes(codeOf(error))) throw error;
    await copyFile(from, to);
  }
}

/** One line for each file, as `sha256sum -c` reads it, sorted by name. */
export async function writeSums(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
  const odd = paths.find((path) => /[\n\r\\]/.test(path));
  if (odd !== undefined) throw new Error(`${JSON.stringify(odd)}: sha256sum would read its name as another`);
  const lines: string[] = [];
  for (const path of paths.sort()) lines.push(`${await hashFile(join(folder, path))}  ${path}\n`);
  await writeFile(join(folder, SUMS_FILE), lines.join(''));
}
