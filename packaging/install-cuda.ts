/**
 * `npm run install:cuda`: places the CUDA and TensorRT libraries beside the model runtime, fetched by the runtime's
 * own script, or out of an archive that was carried to a box without a network. Never part of an install: they are
 * hundreds of megabytes that only a box with an NVIDIA GPU can use.
 */
import { spawnSync } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { openZip } from '../src/evidence/zip-reader.ts';

export const CUDA_PACKAGE = 'Microsoft.ML.OnnxRuntime.Gpu.Linux';
export const CUDA_FOLDER = 'runtimes/linux-x64/native/';
/** The libraries in the order in which they are loaded. */
export const CUDA_LIBRARIES = [
  'libonnxruntime_providers_shared.so',
  'libonnxruntime_providers_cuda.so',
  'libonnxruntime_providers_tensorrt.so',
] as const;
type Archive = Awaited<ReturnType<typeof openZip>>;
type Entry = Parameters<Archive['openReadStreamPromise']>[0];

const LIBRARIES_FOLDER = 'bin/napi-v6/linux/x64';
const DOWNLOADER = 'script/install.js';

const USAGE = `npm run install:cuda -- [--archive FILE]
  without FILE    fetches the libraries from the network, by the script of onnxruntime-node
  --archive FILE  takes them from ${CUDA_PACKAGE}.VERSION.nupkg, fetched elsewhere`;

/**
 * Takes the libraries out of a NuGet package into the runtime's folder, all of them or none.
 * Throws an Error with a sentence where the file is no such package, lacks one, or is of another version.
 */
export async function installFromArchive(archivePath: string, runtimeFolder: string): Promise<string[]> {
  const name = basename(archivePath);
  const archive = await openArchive(archivePath);
  try {
    const entries = new Map<string, Entry>();
    for await (const entry of archive.eachEntry()) entries.set(entry.fileName, entry);
    await checkVersion(archive, entries, name, await versionOf(runtimeFolder));
    const libraries = CUDA_LIBRARIES.map((library) => {
      const entry = entries.get(`${CUDA_FOLDER}${library}`);
      if (entry === undefined)
        throw new Error(`${name}: expected ${CUDA_FOLDER}${library}, found no such file`);
      return { library, entry };
    });
    return await place(archive, libraries, join(runtimeFolder, LIBRARIES_FOLDER));
  } finally {
    archive.close();
  }
}

async function openArchive(path: string): Promise<Archive> {
  // The zip library's own message for a file that is missing does not name it.
  await stat(path);
  try {
    return await openZip(path, { autoClose: false });
  } catch (error) {
    throw new Error(`${basename(path)}: expected a NuGet package (a zip file): ${(error as Error).message}`);
  }
}

async function checkVersion(
  archive: Archive,
  entries: ReadonlyMap<string, Entry>,
  name: string,
  version: string,
): Promise<void> {
  const description = entries.get(`${CUDA_PACKAGE}.nuspec`);
  const nuspec =
    description === undefined ? '' : await text(await archive.openReadStreamPromise(description));
  const found = nuspec.match(/<version>([^<]+)<\/version>/)?.[1];
  if (found === undefined)
    throw new Error(`${name}: expected ${CUDA_PACKAGE} ${version}, found no such package`);
  if (found !== version)
    throw new Error(`${name}: expected version ${version} as of the runtime, found ${found}`);
}

/** All libraries are unpacked before the first is renamed: a runtime with some of them fails later and without a reason. */
async function place(
  archive: Archive,
  libraries: readonly { library: string; entry: Entry }[],
  folder: string,
): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  try {
    for (const { library, entry } of libraries) {
      const target = createWriteStream(join(folder, `${library}.part`));
      await pipeline(await archive.openReadStreamPromise(entry), target);
    }
    for (const { library } of libraries) await rename(join(folder, `${library}.part`), join(folder, library));
  } finally {
    for (const { library } of libraries) await rm(join(folder, `${library}.part`), { force: true });
  }
  return libraries.map(({ library }) => join(folder, library));
}

const CUBLAS = /libcublas\.so\.(\d+)\0/;
/** The overlap is longer than the name that is searched for, which may lie across two pieces of the file. */
const OVERLAP_CHARACTERS = 64;

/**
 * The major version of CUDA that the placed libraries are linked with, which differs between releases of one runtime; null
 * where they name none.
 */
export async function cudaMajorOf(runtimeFolder: string): Promise<string | null> {
  const library = join(runtimeFolder, LIBRARIES_FOLDER, CUDA_LIBRARIES[1]);
  let before = '';
  for await (const piece of createReadStream(library, { encoding: 'latin1' })) {
    const seen = before + (piece as string);
    const major = seen.match(CUBLAS)?.[1];
    if (major !== undefined) return major;
    before = seen.slice(-OVERLAP_CHARACTERS);
  }
  return null;
}

async function versionOf(runtimeFolder: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(runtimeFolder, 'package.json'), 'utf8')) as {
    version: string;
  };
  return version;
}

async function installFromNetwork(runtimeFolder: string): Promise<void> {
  const script = join(runtimeFolder, DOWNLOADER);
  if (!existsSync(script)) {
    const wanted = `${CUDA_PACKAGE}.${await versionOf(runtimeFolder)}.nupkg`;
    throw new Error(`a release fetches nothing: fetch ${wanted} elsewhere and name it with --archive`);
  }
  const { status } = spawnSync(process.execPath, [script, '--onnxruntime-node-install=cuda12'], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error(`the libraries were not fetched; --archive FILE takes them from a file`);
}

async function main(): Promise<void> {
  const options = { archive: { type: 'string' }, help: { type: 'boolean', default: false } } as const;
  const { values } = parseArgs({ options });
  if (values.help) return void process.stdout.write(`${USAGE}\n`);
  const runtimeFolder = join(import.meta.dirname, '../node_modules/onnxruntime-node');
  if (values.archive === undefined) await installFromNetwork(runtimeFolder);
  else await installFromArchive(values.archive, runtimeFolder);
  const major = (await cudaMajorOf(runtimeFolder)) ?? '(of a version that they do not name)';
  process.stdout.write(
    `Placed. Set inference.providers = ["cuda", "cpu"], restart, and look at \`assay doctor\`: CUDA ${major}, cuDNN 9 and the driver must be on the box too.\n`,
  );
}

if (import.meta.main) {
  main().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}
