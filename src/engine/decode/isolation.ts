/** A hijacked decoder shall find no network, no other file, no secret; a trial at start chooses the strongest wall. */
import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { BUNDLE_FOLDER, childEntry, PROGRAM_FOLDER } from '../../machinery/program-folder.ts';
import { NICENESS } from '../children/lower-priority.ts';
import { askForLandlock, type FileRules, filterCommand, type KernelFilter } from './kernel-filter.ts';

/** What isolates a decode child, strongest first. */
export const ISOLATION_LEVELS = ['bubblewrap', 'no network and limits', 'no network', 'limits only'] as const;
export type IsolationLevel = (typeof ISOLATION_LEVELS)[number];

export interface Isolation {
  level: IsolationLevel;
  /** `shell` if `prlimit` is missing: the same bounds by `ulimit`. */
  limiter: 'prlimit' | 'shell';
  /** `unshare` with these flags gives an empty network; null if it is not needed or not allowed. */
  unshareFlags: readonly string[] | null;
  /** Covered by a mount of the child's own, except for its slot; null if bubblewrap does that or nothing can. */
  coveredFolder: string | null;
  /** Applied inside the wall; null if the kernel gives none. */
  kernel: KernelFilter | null;
}

/** The reach of a child that was taken over, and so of the person who sent the file. */
export const REACHES = ['its slot', 'files outside the data folder', 'the data folder'] as const;
export type Reach = (typeof REACHES)[number];

export function reachOf({ level, coveredFolder, kernel }: Isolation): Reach {
  if (level === 'bubblewrap' || (kernel !== null && kernel.landlock > 0)) return 'its slot';
  return coveredFolder === null ? 'the data folder' : 'files outside the data folder';
}

/** The operator's wish; `any` lets root's decoders run even if they reach more than their slot. */
export type IsolationWish = 'auto' | 'require' | 'any';

/** Why decoders must not run so, with the remedy; null if they may. */
export function faultOfIsolation(found: Isolation, wish: IsolationWish, isRoot: boolean): string | null {
  const here = `decoders cannot be isolated here (${describeIsolation(found)})`;
  if (wish === 'require' && found.level !== 'bubblewrap')
    return `${here}: install bubblewrap and allow user namespaces, or set decode.isolation to "auto"`;
  if (wish !== 'auto' || !isRoot || reachOf(found) === 'its slot') return null;
  const ways =
    'install bubblewrap (apt-get install bubblewrap), run Assay as a user of its own, or use a kernel with Landlock (Linux 5.13) and Perl';
  return `${here}, and root's files would be in reach: ${ways}; decode.isolation = "any" runs them all the same`;
}

/** For people: the wall, the kernel's filters, and the remaining reach. */
export function describeIsolation(isolation: Isolation): string {
  const { level, kernel } = isolation;
  const landlock = kernel !== null && kernel.landlock > 0 ? `Landlock ${kernel.landlock}` : 'no Landlock';
  const calls = kernel === null ? 'no seccomp' : 'seccomp';
  return `${level}, ${landlock}, ${calls}; a fallen decoder reaches ${reachOf(isolation)}`;
}

/** Whether a child that was taken over can reach the file behind a hard link; it then gets a copy. */
export function reachesOriginals({ level, coveredFolder }: Isolation): boolean {
  return level !== 'bubblewrap' && coveredFolder === null;
}

export interface ChildBounds {
  /** Private writable memory. */
  memoryBytesMax: number;
  fileBytesMax: number;
}

export interface DecodeProgram {
  usesGpu?: boolean | undefined;
  /** The program that runs in place of Node's; a test plays a compromised decoder. */
  program?: readonly string[] | undefined;
}

export interface ChildCommand {
  file: string;
  args: string[];
  /** The child's working folder, as the daemon sees it. */
  cwd: string;
  env: Record<string, string>;
}

const NODE = realpathSync(process.execPath);
const { flags: ENTRY_FLAGS, path: ENTRY_PATH } = childEntry('decode');
const ENTRY = realpathSync(ENTRY_PATH);
const PROGRAM: readonly string[] = [...ENTRY_FLAGS, ENTRY];
/** The daemon's own files that the child reads; `package.json` marks its sources as modules. */
const RUNTIME_PATHS = [
  ...['node_modules', 'package.json'],
  ...(BUNDLE_FOLDER === null ? ['src/worker', 'src/domain'] : [relative(PROGRAM_FOLDER, BUNDLE_FOLDER)]),
];
/** Linux keeps the loader and the libraries here, as folders or as links into /usr. */
const SYSTEM_PATHS = ['/usr', '/lib', '/lib64', '/bin', '/etc/ld.so.cache'];
/** Node reads it at its start, and ends if it exists and cannot be read. */
const OPENSSL_SETTINGS = '/etc/ssl/openssl.cnf';
/** Opened by the driver to decode on a GPU; only if an operator asks for that. */
const GPU_DEVICES = ['/dev/nvidia0', '/dev/nvidiactl', '/dev/nvidia-uvm', '/dev/nvidia-uvm-tools'];
const RANDOM_DEVICES = ['/dev/random', '/dev/urandom'];
const SLOT_INSIDE = '/slot';
const TEMPORARY_INSIDE = '/tmp';
/**
 * The first lets a child free a picture when it is done with it: two of the largest exceed its memory. With a small young
 * generation (MiB) it returns pixels sooner: the daemon and its children peak 60 MiB lower.
 */
const NODE_FLAGS = ['--expose-gc', '--max-semi-space-size=2'];

/**
 * The whole environment of a decode child, written out: nothing of the daemon's own is passed on. One malloc
 * arena keeps memory flat over thousands of pictures. The C library asks for large pages if the box has them for those who
 * ask: twelve megapixels are 9,000 small ones, and the first touch of each stops the decoder.
 */
const ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LANG: 'C.UTF-8',
  MALLOC_ARENA_MAX: '1',
  GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1',
};

/**
 * Lays an empty folder over the data folder ($1) and brings back the slot ($2) alone, with `in/` read-only. The slot is
 * reached through the working folder, as its path leads into the cover by then; `-c` keeps mount from resolving it.
 * Without capabilities the child cannot lift the cover, and in a namespace that it makes itself the mounts are locked.
 */
const COVER_SCRIPT = `
set -e
cd "$2"
mount -t tmpfs -o size=64k,mode=700 tmpfs "$1"
mkdir -p "$2"
mount -c --bind . "$2"
cd "$2"
mount --bind in in
mount -o remount,bind,ro in
shift 2
exec setpriv --bounding-set=-all --inh-caps=-all --no-new-privs -- "$@"`;

/** Applied first: niceness passes to what a process starts, and would miss a decoder behind a wall already going up. */
const NICE: readonly string[] = ['nice', '-n', String(NICENESS)];
const OPEN_FILES_MAX = 256;
const TRIAL_TIMEOUT_MS = 10_000;
const TRIAL_BOUNDS: ChildBounds = { memoryBytesMax: 1024 ** 3, fileBytesMax: 1024 ** 2 };
/** Disks that the box unmounts go for the child too: one that it held could be neither removed nor mounted afresh. */
const OWN_MOUNTS = ['--mount', '--propagation', 'slave'];
/** Mounting needs a user that is root in its own namespace, which a root of the box has already. */
const COVER_FLAGS: readonly (readonly string[])[] = [
  ['--user', '--map-root-user', '--net', ...OWN_MOUNTS],
  ['--net', ...OWN_MOUNTS],
];
const NETWORK_FLAGS: readonly (readonly string[])[] = [['--net'], ['--user', '--map-current-user', '--net']];

/** What was found to work does not change while this process runs. */
let detected: Isolation | undefined;

/** Tried once a process: a trial starts five others. */
export async function detectIsolation(trialFolder: string, dataFolder: string): Promise<Isolation> {
  detected ??= await firstOf(findIsolations(trialFolder, dataFolder));
  return { ...detected, coveredFolder: detected.coveredFolder && realpathSync(dataFolder) };
}

async function firstOf(isolations: AsyncIterable<Isolation>): Promise<Isolation> {
  for await (const isolation of isolations) return isolation;
  throw new Error('bounds without a wall are always possible');
}

/** All that works here, strongest first, tried with an empty child in `trialFolder`, which is made and removed. */
export async function* findIsolations(
  trialFolder: string,
  dataFolder: string,
): AsyncGenerator<Isolation, undefined, undefined> {
  await mkdir(join(trialFolder, 'in'), { recursive: true });
  await mkdir(join(trialFolder, 'out'), { recursive: true });
  try {
    const limiter = (await succeeds('prlimit', ['--core=0', 'true'])) ? 'prlimit' : 'shell';
    const kernel = await findKernelFilter(trialFolder);
    for (const choice of choicesOf({ limiter, kernel }, realpathSync(dataFolder))) {
      if (await isPossible(choice, trialFolder)) yield choice;
    }
    yield { level: 'limits only', limiter, unshareFlags: null, coveredFolder: null, kernel };
  } finally {
    await rm(trialFolder, { recursive: true, force: true });
  }
}

async function findKernelFilter(folder: string): Promise<KernelFilter | null> {
  const [file = '', ...args] = askForLandlock(fileRules('limits only'));
  const said = await outputOf(file, args, folder);
  return said === null ? null : { landlock: Math.max(0, Number(said)) };
}

function choicesOf(found: Pick<Isolation, 'limiter' | 'kernel'>, coveredFolder: string): Isolation[] {
  const bare = { ...found, unshareFlags: null, coveredFolder: null };
  return [
    { ...bare, level: 'bubblewrap' },
    ...COVER_FLAGS.map(
      (unshareFlags): Isolation => ({
        ...found,
        level: 'no network and limits',
        unshareFlags,
        coveredFolder,
      }),
    ),
    ...NETWORK_FLAGS.map((unshareFlags): Isolation => ({ ...bare, level: 'no network', unshareFlags })),
  ];
}

/** Whether a child would start: the cover of the data folder must not hide the program. */
async function isPossible(isolation: Isolation, folder: string): Promise<boolean> {
  const look = `require('node:fs').accessSync(${JSON.stringify(ENTRY)})`;
  const { file, args } = wrap(isolation, folder, TRIAL_BOUNDS, [NODE, '--eval', look]);
  return (await outputOf(file, args, folder)) !== null;
}

async function succeeds(file: string, args: string[]): Promise<boolean> {
  return (await outputOf(file, args, '/')) !== null;
}

/** Null if it fails. */
async function outputOf(file: string, args: string[], cwd: string): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)(file, args, {
      cwd,
      env: ENVIRONMENT,
      timeout: TRIAL_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    return stdout;
  } catch {
    return null;
  }
}

export function decodeCommand(
  isolation: Isolation,
  slotFolder: string,
  bounds: ChildBounds,
  { usesGpu = false, program = PROGRAM }: DecodeProgram = {},
): ChildCommand {
  const devices = usesGpu ? GPU_DEVICES : [];
  const { file, args } = wrap(isolation, slotFolder, bounds, [NODE, ...NODE_FLAGS, ...program], devices);
  const env = {
    ...ENVIRONMENT,
    TMPDIR: isolation.level === 'bubblewrap' ? TEMPORARY_INSIDE : join(slotFolder, 'out'),
  };
  return { file, args, cwd: slotFolder, env };
}

/** Niceness and limits outermost: they are inherited, so they hold the walls' own programs too. */
function wrap(
  isolation: Isolation,
  slotFolder: string,
  bounds: ChildBounds,
  command: string[],
  devices: readonly string[] = [],
): { file: string; args: string[] } {
  const { level, kernel } = isolation;
  const filter = kernel === null ? [] : filterCommand(fileRules(level));
  const walled = [...wallOf(isolation, slotFolder, devices), ...filter, ...command];
  const [file = '', ...args] = [...limitsOf(isolation.limiter, bounds), ...walled];
  return { file, args };
}

function wallOf(
  { level, unshareFlags, coveredFolder }: Isolation,
  slotFolder: string,
  devices: readonly string[],
): string[] {
  if (level === 'bubblewrap') return ['bwrap', ...bubblewrapArgs(slotFolder, devices), '--'];
  if (unshareFlags === null) return [];
  const unshare = ['unshare', ...unshareFlags, '--'];
  if (coveredFolder === null) return unshare;
  return [...unshare, '/bin/sh', '-c', COVER_SCRIPT, 'sh', coveredFolder, realpathSync(slotFolder)];
}

/** The same view as bubblewrap's, so that decoders do not depend on one of the two; the working folder is the slot. */
function fileRules(level: IsolationLevel): FileRules {
  return {
    read: [...SYSTEM_PATHS, OPENSSL_SETTINGS, ...RANDOM_DEVICES, ...runtimePaths(), 'in'],
    write: level === 'bubblewrap' ? ['out', TEMPORARY_INSIDE] : ['out'],
    device: ['/dev/null'],
  };
}

const runtimePaths = (): string[] => [...RUNTIME_PATHS.map((path) => join(PROGRAM_FOLDER, path)), NODE];

function limitsOf(limiter: Isolation['limiter'], { memoryBytesMax, fileBytesMax }: ChildBounds): string[] {
  if (limiter === 'prlimit') {
    const bounds = [`--data=${memoryBytesMax}`, `--fsize=${fileBytesMax}`, `--nofile=${OPEN_FILES_MAX}`];
    return [...NICE, 'prlimit', ...bounds, '--core=0', '--'];
  }
  // A shell counts memory in KiB and files in blocks of 512 bytes.
  const memory = `ulimit -d ${Math.ceil(memoryBytesMax / 1024)}`;
  const file = `ulimit -f ${Math.ceil(fileBytesMax / 512)}`;
  return [
    '/bin/sh',
    '-c',
    `${memory}; ${file}; ulimit -n ${OPEN_FILES_MAX}; ulimit -c 0; exec ${NICE.join(' ')} "$@"`,
    'sh',
  ];
}

/**
 * Later mounts lie over earlier ones: /tmp first, since a checkout may lie below it. There is no /proc: the kernel gives a fresh one only to
 * who sees the whole of the outer one, and the unit would have to leave that open. Only a GPU's driver reads there. A name of its own would
 * cost the unit the right to set one.
 */
function bubblewrapArgs(slotFolder: string, devices: readonly string[]): string[] {
  const system = SYSTEM_PATHS.flatMap((path) => ['--ro-bind-try', path, path]);
  const runtime = runtimePaths().flatMap(bindReadOnly);
  return [
    ...['--unshare-user-try', '--unshare-pid', '--unshare-net', '--unshare-ipc'],
    ...[
      '--die-with-parent',
      '--new-session',
      '--cap-drop',
      'ALL',
      '--dev',
      '/dev',
      '--tmpfs',
      TEMPORARY_INSIDE,
    ],
    ...(devices.length > 0 ? ['--proc', '/proc'] : []),
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
