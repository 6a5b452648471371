/** A copy of the program with a model runtime of its own, into which libraries may be placed; else node_modules is a link. */
import { copyFile, cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CUDA_LIBRARIES } from '../packaging/install-cuda.ts';

const ROOT = join(import.meta.dirname, '..');
const RUNTIME = 'node_modules/onnxruntime-node';
/** Where the runtime looks for the libraries of GPUs. */
export const LIBRARIES_FOLDER = join(RUNTIME, 'bin/napi-v6/linux/x64');
const COMMAND = 'packaging/install-cuda.ts';

/** Copies the program as a release has it, without the script that fetches libraries. Returns the program's folder. */
export async function copyProgram(folder: string): Promise<string> {
  const program = join(folder, 'program');
  for (const part of ['src', 'page']) await cp(join(ROOT, part), join(program, part), { recursive: true });
  await mkdir(join(program, dirname(COMMAND)));
  await copyFile(join(ROOT, COMMAND), join(program, COMMAND));
  await copyFile(join(ROOT, 'package.json'), join(program, 'package.json'));
  await mkdir(join(program, LIBRARIES_FOLDER), { recursive: true });
  for (const name of await readdir(join(ROOT, 'node_modules'))) {
    if (name === 'onnxruntime-node') continue;
    await symlink(join(ROOT, 'node_modules', name), join(program, 'node_modules', name));
  }
  await cp(join(ROOT, RUNTIME, 'dist'), join(program, RUNTIME, 'dist'), { recursive: true });
  await copyFile(join(ROOT, RUNTIME, 'package.json'), join(program, RUNTIME, 'package.json'));
  for (const name of await readdir(join(ROOT, LIBRARIES_FOLDER))) {
    if ((CUDA_LIBRARIES as readonly string[]).includes(name)) continue;
    await copyFile(join(ROOT, LIBRARIES_FOLDER, name), join(program, LIBRARIES_FOLDER, name));
  }
  return program;
}
