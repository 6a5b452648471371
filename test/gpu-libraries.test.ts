/** The program with the libraries of a GPU that this box lacks: absent, or foreign files. Each costs the provider alone. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { CUDA_FOLDER, CUDA_LIBRARIES, CUDA_PACKAGE } from '../packaging/install-cuda.ts';
import type * as Inference from '../src/engine/inference/inference-process.ts';
import type { LoadedPack, PackReport } from '../src/worker/protocol/inference-protocol.ts';
import { writeTinyPack } from './models/tiny-model.ts';
import { writeNugetPackage } from './nuget-package.ts';
import { copyProgram, LIBRARIES_FOLDER } from './program-copy.ts';
import { makeTemporaryFolder, type TemporaryFolder } from './temporary-folder.ts';

const ROOT = join(import.meta.dirname, '..');
const PROVIDERS = ['tensorrt', 'cuda', 'cpu'];

let folder: TemporaryFolder;
let program: string;
let pack: LoadedPack;
before(async () => {
  folder = await makeTemporaryFolder();
  program = await copyProgram(folder.path);
  pack = await writeTinyPack(folder.path);
});
after(async () => await folder[Symbol.asyncDispose]());

/** `npm run install:cuda -- …` of the copy. */
async function installCuda(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const command = [join(program, 'packaging/install-cuda.ts'), ...args];
  return await new Promise((resolve) => {
    execFile(process.execPath, command, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });
}

async function makeArchive(name: string, version: string, library: Buffer): Promise<string> {
  const nuspec = `<package><metadata><id>${CUDA_PACKAGE}</id><version>${version}</version></metadata></package>`;
  return await writeNugetPackage(join(folder.path, name), {
    [`${CUDA_PACKAGE}.nuspec`]: Buffer.from(nuspec),
    ...Object.fromEntries(CUDA_LIBRARIES.map((file) => [`${CUDA_FOLDER}${file}`, library])),
  });
}

interface Tried {
  report: PackReport;
  /** What the child said, in one string. */
  said: string;
}

async function tryProviders(providers: string[]): Promise<Tried> {
  const path = join(program, 'src/engine/inference/inference-process.ts');
  const { InferenceProcess, INFERENCE_DEFAULTS } = (await import(path)) as typeof Inference;
  const said: string[] = [];
  const observer = {
    childReady() {},
    childLost: (_pid: number | undefined, error: Error) => void said.push(`lost: ${error.message}`),
    childSaid: (line: string) => void said.push(line),
  };
  await using child = new InferenceProcess({ ...INFERENCE_DEFAULTS, providers }, [pack], observer);
  const [report] = await child.ready();
  return { report: report ?? assert.fail('no report'), said: said.join('\n') };
}

/** The CPU serves where it may, and where it may not the pack is out of service. */
async function assertPassedOver(why: RegExp): Promise<void> {
  const { report, said } = await tryProviders(PROVIDERS);
  assert.deepEqual([report.provider, report.fault], ['cpu', null]);
  assert.match(report.passedOver.join('\n'), /^tensorrt: .+\ncuda: .+$/);
  assert.match(said, why);
  assert.doesNotMatch(said, /^lost/m, 'no library ended the process');
  const { report: refused } = await tryProviders(['tensorrt', 'cuda']);
  assert.equal(refused.provider, null);
  assert.match(refused.fault ?? '', /^tensorrt: .+; cuda: .+$/);
}

async function runtimeVersion(): Promise<string> {
  const { err } = await installCuda();
  return /\.Linux\.([\d.]+)\.nupkg/.exec(err)?.[1] ?? assert.fail(err);
}

test('without libraries each provider is passed over, and the one that is missing is named', async () => {
  await assertPassedOver(/libonnxruntime_providers_shared\.so: cannot open shared object file/);
});

test('a program that fetches nothing says what to fetch, and an archive of another version places nothing', async () => {
  const { code, err } = await installCuda();
  assert.equal(code, 1);
  assert.match(
    err,
    /^a release fetches nothing: fetch Microsoft\.ML\.OnnxRuntime\.Gpu\.Linux\.[\d.]+\.nupkg elsewhere/,
  );
  const other = await installCuda('--archive', await makeArchive('other.nupkg', '0.0.1', Buffer.from('x')));
  assert.equal(other.code, 1);
  assert.match(other.err, /^other\.nupkg: expected version [\d.]+ as of the runtime, found 0\.0\.1$/m);
  const names = await readdir(join(program, LIBRARIES_FOLDER));
  assert.ok(!names.some((name) => name.includes('providers')), names.join());
});

test('files of an archive that are no libraries cost the providers only', async () => {
  const archive = await makeArchive('gpu.nupkg', await runtimeVersion(), Buffer.from('no library'));
  const { code, out, err } = await installCuda('--archive', archive);
  assert.equal(code, 0, err);
  assert.match(out, /^Placed\./);
  await assertPassedOver(/libonnxruntime_providers_shared\.so: file too short/);
});

test('foreign libraries that load cost the providers only', async () => {
  const [library] = globSync('node_modules/@msgpackr-extract/*linux-x64/*.node', { cwd: ROOT });
  for (const name of CUDA_LIBRARIES)
    await copyFile(join(ROOT, library ?? assert.fail()), join(program, LIBRARIES_FOLDER, name));
  await assertPassedOver(/undefined symbol/);
});
