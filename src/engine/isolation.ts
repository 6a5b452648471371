/**
 * How a decode child is walled in. A decoder that falls to a hostile file should find nothing: no network, no
 * other file of the box, no secret in its environment, little memory. What the machine allows differs, so a
 * trial run at start decides, strongest wall first.
 */
import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { IsolationLevel } from '../worker/protocol.ts';

/** What `detectIsolation` found to work. */
export interface Isolation {
  level: IsolationLevel;
  /** `shell` where `prlimit` is missing: the same bounds by `ulimit`. */
  limiter: 'prlimit' | 'shell';
  /** `unshare` with these flags gives an empty network; null where it is not needed or not allowed. */
  unshareFlags: readonly string[] | null;
}

export interface ChildBounds {
  /** Private writable memory. */
  memoryBytesMax: number;
  /** Largest file that the child may write. */
  fileBytesMax: number;
}

export interface ChildCommand {
  file: string;
  args: string[];
  /** The child's working folder as the daemon sees it. */
  cwd: string;
  env: Record<string, string>;
}

const PROJECT_ROOT = resolve(import.meta.dirname, '../..');
const NODE = realpathSync(process.execPath);
const ENTRY = join(realpathSync(join(PROJECT_ROOT, 'src')), 'worker', 'decode.ts');
/** What the child reads of the daemon's own files; `package.json` says that its sources are modules. */
const RUNTIME_PATHS = ['node_modules', 'package.json', 'src/worker', 'src/domain'];
/** Linux keeps the loader and the libraries here, as folders or as links into /usr. */
const SYSTEM_PATHS = ['/usr', '/lib', '/lib64', '/bin', '/etc/ld.so.cache'];
/** What the driver opens to decode on a GPU; only for an operator who asks for that. */
const GPU_DEVICES = ['/dev/nvidia0', '/dev/nvidiactl', '/dev/nvidia-uvm', '/dev/nvidia-uvm-tools'];
const SLOT_INSIDE = '/slot';
/** So that a child can free a picture when it is done with it: two of the largest do not fit into its bound. */
const NODE_FLAGS = ['--expose-gc'];

/**
 * The whole environment of a decode child, written out: nothing of the daemon's own is passed on. One malloc
 * arena keeps memory flat over thousands of pictures (libraries.md section 1).
 */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LANG: 'C.UTF-8',
  MALLOC_ARENA_MAX: '1',
};

const OPEN_FILES_MAX = 256;
const TRIAL_TIMEOUT_MS = 10_000;
const TRIAL_BOUNDS: ChildBounds = { memoryBytesMax: 1024 ** 3, fileBytesMax: 1024 ** 2 };
const UNSHARE_CHOICES: readonly (readonly string[])[] = [
  ['--net'],
  ['--user', '--map-current-user', '--net'],
];

/** Tries the walls with a real, empty child in `trialFolder`, which is made and removed. */
export async function detectIsolation(trialFolder: string): Promise<Isolation> {
  await mkdir(join(trialFolder, 'in'), { recursive: true });
  await mkdir(join(trialFolder, 'out'), { recursive: true });
  try {
    const limiter = (await succeeds('prlimit', ['--core=0', 'true'])) ? 'prlimit' : 'shell';
    for (const choice of choicesOf(limiter)) if (await isPossible(choice, trialFolder)) return choice;
    return { level: 'limits only', limiter, unshareFlags: null };
  } finally {
    await rm(trialFolder, { recursive: true, force: true });
  }
}

function choicesOf(limiter: Isolation['limiter']): Isolation[] {
  return [
    { level: 'bubblewrap', limiter, unshareFlags: null },
    ...UNSHARE_CHOICES.map(
      (unshareFlags): Isolation => ({ level: 'no network and limits', limiter, unshareFlags }),
    ),
  ];
}

async function isPossible(isolation: Isolation, folder: string): Promise<boolean> {
  const { file, args } = wrap(isolation, folder, TRIAL_BOUNDS, [NODE, '--eval', '0']);
  return await succeeds(file, args);
}

async function succeeds(file: string, args: string[]): Promise<boolean> {
  try {
    await promisify(execFile)(file, args, {
      env: ENVIRONMENT,
      timeout: TRIAL_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    return true;
  } catch {
    return false;
  }
}

/** The command of a decode child whose folder is `slotFolder`, with `in/` and `out/` in it. */
export function decodeCommand(
  isolation: Isolation,
  slotFolder: string,
  bounds: ChildBounds,
  usesGpu = false,
): ChildCommand {
  const devices = usesGpu ? GPU_DEVICES : [];
  const { file, args } = wrap(isolation, slotFolder, bounds, [NODE, ...NODE_FLAGS, ENTRY], devices);
  return { file, args, cwd: slotFolder, env: { ...ENVIRONMENT } };
}

/** Limits outermost: they are inherited, so they hold the walls' own programs too. */
function wrap(
  isolation: Isolation,
  slotFolder: string,
  bounds: ChildBounds,
  command: string[],
  devices: readonly string[] = [],
): { file: string; args: string[] } {
  const walled = [...wallOf(isolation, slotFolder, devices), ...command];
  const [file = '', ...args] = [...limitsOf(isolation.limiter, bounds), ...walled];
  return { file, args };
}

function wallOf(
  { level, unshareFlags }: Isolation,
  slotFolder: string,
  devices: readonly string[],
): string[] {
  if (level === 'bubblewrap') return ['bwrap', ...bubblewrapArgs(slotFolder, devices), '--'];
  return unshareFlags === null ? [] : ['unshare', ...unshareFlags, '--'];
}

function limitsOf(limiter: Isolation['limiter'], { memoryBytesMax, fileBytesMax }: ChildBounds): string[] {
  if (limiter === 'prlimit') {
    const bounds = [`--data=${memoryBytesMax}`, `--fsize=${fileBytesMax}`, `--nofile=${OPEN_FILES_MAX}`];
    return ['prlimit', ...bounds, '--core=0', '--'];
  }
  // A shell counts memory in KiB and files in blocks of 512 bytes.
  const memory = `ulimit -d ${Math.ceil(memoryBytesMax / 1024)}`;
  const file = `ulimit -f ${Math.ceil(fileBytesMax / 512)}`;
  return ['/bin/sh', '-c', `${memory}; ${file}; ulimit -n ${OPEN_FILES_MAX}; ulimit -c 0; exec "$@"`, 'sh'];
}

/** Later mounts lie over earlier ones: /tmp first, since a checkout may lie below it. */
function bubblewrapArgs(slotFolder: string, devices: readonly string[]): string[] {
  const system = SYSTEM_PATHS.flatMap((path) => ['--ro-bind-try', path, path]);
  const runtime = [...RUNTIME_PATHS.map((path) => join(PROJECT_ROOT, path)), NODE].flatMap(bindReadOnly);
  return [
    ...['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--hostname', 'decode'],
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
    ...devices.flatMap((path) => ['--dev-bind-try', path, path]),
    ...system,
    ...runtime,
    ...['--ro-bind', join(slotFolder, 'in'), `${SLOT_INSIDE}/in`],
    ...['--bind', join(slotFolder, 'out'), `${SLOT_INSIDE}/out`],
    ...['--chdir', SLOT_INSIDE],
  ];
}

/** Node resolves links, so a path must exist inside both as it is written and as it resolves. */
function bindReadOnly(path: string): string[] {
  if (!existsSync(path)) return [];
  const real = realpathSync(path);
  const bind = ['--ro-bind', real, real];
  return real === path || dirname(real) === dirname(path) ? bind : [...bind, '--ro-bind', real, path];
}
