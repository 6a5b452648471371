/** A box that systemd booted: Debian or Ubuntu in systemd-nspawn, with a disk that keeps only what was flushed. Needs root. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { forgetUnflushed } from '../../machinery/forgetful-disk.ts';
import type { Ran } from '../package/chroot.ts';
import { BRIDGE, NETWORK } from './network.ts';

export const DATA_FOLDER = '/var/lib/assay';
export const BOX_ADDRESS = `${NETWORK}.2`;
const BOOT_SECONDS_MAX = 120;
const RUN_MS_MAX = 10 * 60_000;
const POLL_MS = 250;
const RELEASE_SECONDS_MAX = 60;
const INSIDE = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8', DEBIAN_FRONTEND: 'noninteractive' };
const REBOOT_ASKED = 133;
/** Mounted in the box's own namespace: mounted for this machine, later boxes would keep the disk after its power was cut. */
const MOUNTED = ['--mount', '--', 'sh', '-c', 'mount -o loop "$1" "$2" && shift 2 && exec "$@"', 'sh'];

export interface BoxOrder {
  /** An empty folder. */
  folder: string;
  /** A bare system with systemd, which stays as it is. */
  base: string;
  dataBytes: number;
  name?: string;
  address?: string;
  /** Where the box has its disk; the daemon's place unless named. */
  dataFolder?: string;
}

export class Box implements AsyncDisposable {
  readonly name: string;
  readonly address: string;
  readonly system: string;
  readonly #dataFolder: string;
  readonly #mountPoint: string;
  readonly #image: string;
  readonly #console: string;
  #nspawn: ChildProcess | null = null;

  private constructor({ folder, name = 'box', address = BOX_ADDRESS, dataFolder = DATA_FOLDER }: BoxOrder) {
    this.name = name;
    this.address = address;
    this.system = join(folder, 'system');
    this.#dataFolder = dataFolder;
    this.#mountPoint = join(folder, 'data');
    this.#image = join(folder, 'data.img');
    this.#console = join(folder, 'console.log');
  }

  static async make(order: BoxOrder): Promise<Box> {
    const box = new Box(order);
    execFileSync('cp', ['-a', '--no-target-directory', order.base, box.system]);
    await mkdir(box.#mountPoint);
    const nic = `[Match]\nName=host0\n[Network]\nAddress=${box.address}/24\n`;
    await writeFile(join(box.system, 'etc/systemd/network/10-host0.network'), nic);
    await writeFile(join(box.system, 'etc/hostname'), `${box.name}\n`);
    await writeFile(join(box.system, 'etc/hosts'), `127.0.0.1 localhost ${box.name}\n`);
    execFileSync('chroot', [box.system, 'systemctl', 'enable', 'systemd-networkd'], { stdio: 'ignore' });
    execFileSync('truncate', ['--size', String(order.dataBytes), box.#image]);
    execFileSync('mke2fs', ['-q', '-t', 'ext4', '-m', '0', box.#image]);
    return box;
  }

  /** The disk as this machine sees it while the box runs. */
  get data(): string {
    return `/proc/${this.#nspawn?.pid}/root${this.#mountPoint}`;
  }

  /** Until systemd says that it runs, be it degraded. */
  async boot(): Promise<void> {
    await this.#awaitReleased();
    const place = ['--directory', this.system, `--bind=${this.#mountPoint}:${this.#dataFolder}`];
    const rest = ['--quiet', '--register=no', '--keep-unit', '--boot', '--console=pipe'];
    const output = openSync(this.#console, 'a');
    const args = [...rest, `--network-bridge=${BRIDGE}`, `--machine=assay-${this.name}`, ...place];
    const command = [...MOUNTED, this.#image, this.#mountPoint, 'systemd-nspawn', ...args];
    this.#nspawn = spawn('unshare', command, { stdio: ['ignore', output, output] });
    closeSync(output);
    await this.#awaitBooted();
  }

  async #awaitBooted(): Promise<void> {
    const deadline = performance.now() + BOOT_SECONDS_MAX * 1000;
    let state = '';
    while (performance.now() < deadline) {
      if (this.#leader() !== null) {
        state = this.run('systemctl is-system-running').text.trim();
        if (state === 'running' || state === 'degraded') return;
      }
      await delay(POLL_MS);
    }
    const said = readFileSync(this.#console, 'utf8').slice(-3000);
    throw new Error(`not booted after ${BOOT_SECONDS_MAX} s (${state}):\n${said}`);
  }

  /** The box's first process; another one after a reboot. */
  #leader(): number | null {
    const pid = this.#nspawn?.pid;
    if (pid === undefined) return null;
    try {
      // Until then its child is the one that mounts the disk, and a line for the box would be run on this machine.
      if (readFileSync(`/proc/${pid}/comm`, 'utf8') !== 'systemd-nspawn\n') return null;
      const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
      return first === undefined || first === '' ? null : Number(first);
    } catch {
      return null;
    }
  }

  /** A shell line as the box's root. */
  run(line: string, environment: Readonly<Record<string, string>> = {}): Ran {
    const command = this.#commandFor(line);
    if (command === null) return { status: null, text: 'the box does not run' };
    const options = { env: { ...INSIDE, ...environment }, encoding: 'utf8', timeout: RUN_MS_MAX } as const;
    const { status, stdout, stderr } = spawnSync('nsenter', command, options);
    return { status, text: `${stdout}${stderr}` };
  }

  /** As `run`, while other things go on. */
  async runBeside(line: string): Promise<Ran> {
    const command = this.#commandFor(line);
    if (command === null) return { status: null, text: 'the box does not run' };
    const child = spawn('nsenter', command, {
      env: INSIDE,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: RUN_MS_MAX,
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part: Buffer) => {
        text += part.toString();
      });
    const [status] = await once(child, 'close');
    return { status: status as number | null, text };
  }

  #commandFor(line: string): string[] | null {
    const leader = this.#leader();
    return leader === null ? null : ['--target', String(leader), '--all', '--', '/bin/sh', '-c', line];
  }

  /** As `run`, of a line that must end well. */
  must(line: string, environment: Readonly<Record<string, string>> = {}): string {
    const { status, text } = this.run(line, environment);
    if (status !== 0) throw new Error(`${line}: ${status}\n${text.slice(-4000)}`);
    return text;
  }

  /** By the box's own systemd; nspawn leaves the booting to its caller, and says so by its exit code. */
  async reboot(): Promise<void> {
    const nspawn = this.#nspawn;
    if (nspawn === null) throw new Error('the box does not run');
    const ended = once(nspawn, 'exit');
    this.run('systemctl reboot');
    const [code] = await ended;
    if (code !== REBOOT_ASKED) throw new Error(`the box ended with ${code}, not by a reboot`);
    await this.boot();
  }

  /** Nothing is flushed, no process is asked. The box can be booted again. */
  async cutPower(): Promise<void> {
    forgetUnflushed(this.data);
    await this.#end();
  }

  /** A namespace that is not gone yet keeps the disk, and a mount beside it would find it still without power. */
  async #awaitReleased(): Promise<void> {
    const deadline = performance.now() + RELEASE_SECONDS_MAX * 1000;
    while (execFileSync('losetup', ['--associated', this.#image], { encoding: 'utf8' }) !== '') {
      if (performance.now() > deadline) throw new Error(`${this.#image} is still mounted somewhere`);
      await delay(POLL_MS);
    }
  }

  async #end(): Promise<void> {
    const nspawn = this.#nspawn;
    const leader = this.#leader();
    if (nspawn === null) return;
    const ended = new Promise((resolve) => nspawn.once('exit', resolve));
    // With its first process the kernel ends all others of the box; nspawn follows.
    if (leader !== null) process.kill(leader, 'SIGKILL');
    const timer = setTimeout(() => nspawn.kill('SIGKILL'), 10_000);
    if (nspawn.exitCode === null && nspawn.signalCode === null) await ended;
    clearTimeout(timer);
    this.#nspawn = null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
  }
}
