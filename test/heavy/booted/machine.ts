/** Debian or Ubuntu by qemu with a kernel of its own, commanded by ssh. Needs root, qemu-system-x86, mke2fs and ssh. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, copyFileSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Ran } from '../package/chroot.ts';
import { BRIDGE, NETWORK } from './network.ts';

export const MACHINE_ADDRESS = `${NETWORK}.3`;
const TAP = 'assaytap';
const MAC = '52:54:00:a5:5a:01';
const DISK_BYTES = 8 * 1024 ** 3;
const MEMORY_MIB = 4096;
const BOOT_SECONDS_MAX = 900;
const RUN_MS_MAX = 10 * 60_000;
const POLL_MS = 1000;

/** What a system needs besides, so that it can be started here. */
export const STARTED_BY_QEMU = ['initramfs-tools', 'openssh-server'];

export class Machine implements AsyncDisposable {
  readonly #folder: string;
  readonly #kernel: string;
  readonly #initrd: string;
  #qemu: ChildProcess | null = null;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#kernel = join(folder, 'vmlinuz');
    this.#initrd = join(folder, 'initrd.img');
  }

  /** Writes the system on a disk. The folder `system` is changed, and not needed afterwards. */
  static async make(folder: string, system: string): Promise<Machine> {
    const machine = new Machine(folder);
    for (const [name, place] of [
      ['vmlinuz-', machine.#kernel],
      ['initrd.img-', machine.#initrd],
    ] as const) {
      const found = readdirSync(join(system, 'boot')).find((file) => file.startsWith(name));
      if (found === undefined) throw new Error(`${system}/boot: expected ${name}*, found none`);
      copyFileSync(join(system, 'boot', found), place);
    }
    await machine.#layNetwork(system);
    await machine.#layKey(system);
    const disk = join(folder, 'disk.img');
    execFileSync('truncate', ['--size', String(DISK_BYTES), disk]);
    execFileSync('mke2fs', ['-q', '-t', 'ext4', '-m', '0', '-d', system, disk]);
    return machine;
  }

  async #layNetwork(system: string): Promise<void> {
    const nic = `[Match]\nMACAddress=${MAC}\n[Network]\nAddress=${MACHINE_ADDRESS}/24\n`;
    await mkdir(join(system, 'etc/systemd/network'), { recursive: true });
    await writeFile(join(system, 'etc/systemd/network/10-only.network'), nic);
    await writeFile(join(system, 'etc/hostname'), 'machine\n');
    await writeFile(join(system, 'etc/hosts'), '127.0.0.1 localhost machine\n');
    await writeFile(join(system, 'etc/fstab'), '/dev/vda / ext4 defaults 0 1\n');
    execFileSync('chroot', [system, 'systemctl', 'enable', 'systemd-networkd', 'ssh'], { stdio: 'ignore' });
  }

  async #layKey(system: string): Promise<void> {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(this.#folder, 'key')]);
    await mkdir(join(system, 'root/.ssh'), { recursive: true, mode: 0o700 });
    copyFileSync(join(this.#folder, 'key.pub'), join(system, 'root/.ssh/authorized_keys'));
  }

  /** Until systemd says that it runs, be it degraded. */
  async boot(): Promise<void> {
    const output = openSync(join(this.#folder, 'console.log'), 'a');
    const args = ['-accel', 'tcg,thread=multi', '-cpu', 'max', '-smp', '2', '-m', String(MEMORY_MIB)];
    args.push('-nographic', '-no-reboot', '-kernel', this.#kernel, '-initrd', this.#initrd);
    args.push('-append', 'root=/dev/vda rw console=ttyS0 panic=-1 quiet');
    args.push('-drive', `file=${join(this.#folder, 'disk.img')},format=raw,if=virtio`);
    args.push('-netdev', `tap,id=net,ifname=${TAP},script=no,downscript=no`);
    args.push('-device', `virtio-net-pci,netdev=net,mac=${MAC}`, '-device', 'virtio-rng-pci');
    this.#qemu = spawn('qemu-system-x86_64', args, { stdio: ['ignore', output, output] });
    closeSync(output);
    await once(this.#qemu, 'spawn');
    await this.#plugIn();
    const deadline = performance.now() + BOOT_SECONDS_MAX * 1000;
    let state = '';
    while (performance.now() < deadline) {
      state = this.run('systemctl is-system-running').text.trim();
      if (/^(?:running|degraded)$/m.test(state)) return;
      await delay(POLL_MS);
    }
    const shown = readFileSync(join(this.#folder, 'console.log'), 'utf8').slice(-3000);
    throw new Error(`not booted after ${BOOT_SECONDS_MAX} s (${state}):\n${shown}`);
  }

  /** qemu makes the tap, and takes it away when it ends. */
  async #plugIn(): Promise<void> {
    for (let tries = 0; tries < 100; tries++) {
      const plugged = spawnSync('ip', ['link', 'set', TAP, 'master', BRIDGE, 'up'], { stdio: 'ignore' });
      if (plugged.status === 0) return;
      await delay(100);
    }
    throw new Error(`${TAP} did not appear: qemu has ended, or the device is of another qemu`);
  }

  /** A shell line as the machine's root. */
  run(line: string): Ran {
    const options = ['BatchMode=yes', 'StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null'];
    options.push('LogLevel=ERROR', 'ConnectTimeout=30', 'ControlMaster=auto', 'ControlPersist=300');
    options.push(`ControlPath=${join(this.#folder, 'ssh')}`);
    const args = ['-n', '-i', join(this.#folder, 'key'), ...options.flatMap((option) => ['-o', option])];
    const { status, stdout, stderr } = spawnSync('ssh', [...args, `root@${MACHINE_ADDRESS}`, line], {
      encoding: 'utf8',
      timeout: RUN_MS_MAX,
    });
    return { status, text: `${stdout}${stderr}` };
  }

  /** As `run`, of a line that must end well. */
  must(line: string): string {
    const { status, text } = this.run(line);
    if (status !== 0) throw new Error(`${line}: ${status}\n${text.slice(-4000)}`);
    return text;
  }

  /** No process is asked. The machine can be booted again. */
  async cutPower(): Promise<void> {
    const qemu = this.#qemu;
    if (qemu === null) return;
    const ended = new Promise((resolve) => qemu.once('exit', resolve));
    qemu.kill('SIGKILL');
    if (qemu.exitCode === null && qemu.signalCode === null) await ended;
    this.#qemu = null;
    // Its connection is to a kernel that is gone.
    const control = ['-o', `ControlPath=${join(this.#folder, 'ssh')}`, '-O', 'exit', MACHINE_ADDRESS];
    spawnSync('ssh', control, { stdio: 'ignore' });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cutPower();
  }
}
