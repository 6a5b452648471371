/** Programs of others, had from their registries into a folder of the run, and how they are run. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { TEST_KEY, type TestDaemon } from '../../daemon.ts';

const RUN_MS_MAX = 5 * 60_000;

export interface Workplace {
  folder: string;
  daemon: TestDaemon;
  /** A picture that the box has not seen. */
  picture: string;
}

/** A tool that cannot be had here; the sentence says which and why. */
export class Unavailable extends Error {}

export interface RunOptions {
  cwd?: string;
  env?: Readonly<Record<string, string>>;
  msMax?: number;
}

/** What it printed; throws with what it complained of. Asynchronous, since receivers of the run answer meanwhile. */
export async function run(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: options.msMax ?? RUN_MS_MAX,
  });
  const [out, err, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  if (code !== 0)
    throw new Error(`${command} ${args.join(' ')}: ${code ?? signal}\n${out}${err}`.slice(-4000));
  return out;
}

/** As `run`, for what fetches: a failure means that the tool cannot be had. */
export async function have(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<void> {
  try {
    await run(command, args, options);
  } catch (error) {
    throw new Unavailable(`${command} ${args.join(' ')}: ${String(error).split('\n').at(-1)}`, {
      cause: error,
    });
  }
}

export async function goTool({ folder }: Pick<Workplace, 'folder'>, module: string): Promise<string> {
  const bin = join(folder, 'bin');
  await have('go', ['install', module], { env: { GOBIN: bin, GOFLAGS: '-modcacherw' } });
  return join(bin, module.replace(/@.*$/, '').split('/').at(-1) ?? '');
}

/** The folder of programs of an environment of its own. */
export async function pythonWith(
  { folder }: Workplace,
  name: string,
  ...packages: string[]
): Promise<string> {
  const environment = join(folder, name);
  await have('python3', ['-m', 'venv', environment]);
  await have(join(environment, 'bin', 'pip'), ['install', '--quiet', ...packages]);
  return join(environment, 'bin');
}

/** A folder with these npm packages. */
export async function npmWith({ folder }: Workplace, name: string, ...packages: string[]): Promise<string> {
  const path = join(folder, name);
  await mkdir(path, { recursive: true });
  await writeFile(join(path, 'package.json'), '{ "private": true, "type": "module" }');
  await have('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--silent', ...packages], {
    cwd: path,
  });
  return path;
}

/** A jar of Maven Central. */
export async function jar(group: string, artifact: string, version: string): Promise<string> {
  const named = `-Dartifact=${group}:${artifact}:${version}`;
  await have('mvn', ['--quiet', 'dependency:get', named, '-Dtransitive=false']);
  const folder = join(homedir(), '.m2/repository', group.replaceAll('.', '/'), artifact, version);
  const name = (await readdir(folder)).find((file) => file.endsWith('.jar'));
  if (name === undefined) throw new Unavailable(`${artifact} ${version} is not in ${folder}`);
  return join(folder, name);
}

export function addressesOf({ daemon }: Workplace): Record<string, string> {
  return { ASSAY_URL: daemon.http, ASSAY_ADDRESS: daemon.grpc, ASSAY_API_KEY: TEST_KEY };
}
