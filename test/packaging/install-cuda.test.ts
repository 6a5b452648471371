import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  CUDA_FOLDER,
  CUDA_LIBRARIES,
  CUDA_PACKAGE,
  cudaMajorOf,
  installFromArchive,
} from '../../packaging/install-cuda.ts';
import { writeNugetPackage } from '../nuget-package.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const VERSION = '9.8.7';

async function makeRuntime(folder: string): Promise<string> {
  const runtime = join(folder, 'onnxruntime-node');
  await mkdir(join(runtime, 'bin/napi-v6/linux/x64'), { recursive: true });
  await writeFile(join(runtime, 'package.json'), JSON.stringify({ version: VERSION }));
  return runtime;
}

async function makeArchive(
  folder: string,
  version: string,
  libraries: readonly string[] = CUDA_LIBRARIES,
): Promise<string> {
  const nuspec = `<package><metadata><id>${CUDA_PACKAGE}</id><version>${version}</version></metadata></package>`;
  return await writeNugetPackage(join(folder, 'gpu.nupkg'), {
    [`${CUDA_PACKAGE}.nuspec`]: Buffer.from(nuspec),
    ...Object.fromEntries(
      libraries.map((library) => [`${CUDA_FOLDER}${library}`, Buffer.from(`of ${library}`)]),
    ),
  });
}

test('the libraries of an archive lie beside the runtime', async () => {
  await using folder = await makeTemporaryFolder();
  const runtime = await makeRuntime(folder.path);
  const placed = await installFromArchive(await makeArchive(folder.path, VERSION), runtime);
  assert.deepEqual(
    (await readdir(join(runtime, 'bin/napi-v6/linux/x64'))).sort(),
    [...CUDA_LIBRARIES].sort(),
  );
  for (const [index, path] of placed.entries()) {
    assert.equal(await readFile(path, 'utf8'), `of ${CUDA_LIBRARIES[index]}`);
  }
});

/** A name that the end of the first piece cuts within its number, and that of cuBLAS' other library. */
const PIECE_BYTES = 65_536;
const LINKED = Buffer.concat([
  Buffer.alloc(PIECE_BYTES - 'libcublas.so.1'.length),
  Buffer.from('libcublas.so.13\0libcublasLt.so.13\0'),
]);

for (const [library, major] of [
  [LINKED, '13'],
  [Buffer.from('libcublasLt.so.12\0libcublas.so.12\0'), '12'],
  [Buffer.from('of another maker'), null],
] as const) {
  test(`libraries linked with CUDA ${major ?? 'of no name'} say so`, async () => {
    await using folder = await makeTemporaryFolder();
    const runtime = await makeRuntime(folder.path);
    await writeFile(join(runtime, 'bin/napi-v6/linux/x64', CUDA_LIBRARIES[1]), library);
    assert.equal(await cudaMajorOf(runtime), major);
  });
}

const FAULTS = [
  {
    name: 'of another version',
    make: (folder: string) => makeArchive(folder, '1.2.3'),
    message: 'gpu.nupkg: expected version 9.8.7 as of the runtime, found 1.2.3',
  },
  {
    name: 'without one of the libraries',
    make: (folder: string) => makeArchive(folder, VERSION, CUDA_LIBRARIES.slice(0, 2)),
    message: `gpu.nupkg: expected ${CUDA_FOLDER}${CUDA_LIBRARIES[2]}, found no such file`,
  },
  {
    name: 'of something else',
    make: (folder: string) => writeNugetPackage(join(folder, 'other.nupkg'), {}),
    message: `other.nupkg: expected ${CUDA_PACKAGE} ${VERSION}, found no such package`,
  },
];

for (const { name, make, message } of FAULTS) {
  test(`an archive ${name} is refused, and nothing is placed`, async () => {
    await using folder = await makeTemporaryFolder();
    const runtime = await makeRuntime(folder.path);
    await assert.rejects(installFromArchive(await make(folder.path), runtime), { message });
    assert.deepEqual(await readdir(join(runtime, 'bin/napi-v6/linux/x64')), []);
  });
}

test('a file that is no archive is refused by its name', async () => {
  await using folder = await makeTemporaryFolder();
  const path = join(folder.path, 'noise.nupkg');
  await writeFile(path, 'no zip');
  await assert.rejects(
    installFromArchive(path, await makeRuntime(folder.path)),
    /^Error: noise\.nupkg: expected/,
  );
});

test('package and libraries are those that the installed runtime asks for', () => {
  const metadata = createRequire(import.meta.url)(
    '../../node_modules/onnxruntime-node/script/install-metadata.js',
  ) as {
    manifests: Record<string, Record<string, { package: string; path: string }>>;
    packages: Record<string, { name: string; versions: { version: string }[] }>;
  };
  const manifest = metadata.manifests['linux/x64:cuda12'] ?? {};
  assert.deepEqual(
    Object.values(manifest)
      .map(({ path }) => path)
      .sort(),
    CUDA_LIBRARIES.map((library) => `${CUDA_FOLDER}${library}`).sort(),
  );
  assert.equal(metadata.packages['nuget:linux/x64:cuda12']?.name, CUDA_PACKAGE);
});
