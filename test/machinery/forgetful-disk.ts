/** A disk whose power can be cut: it then has what was flushed, and nothing else. Needs root, mke2fs and perl. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/** FS_IOC_SHUTDOWN with "no flush": the file system forgets what was not written, as at a power cut. */
const FORGET = '$how = pack("L", 2); open(F, "<", $ARGV[0]) && ioctl(F, 0x8004587d, $how) || die $!';
const NEEDED = ['/usr/sbin/mke2fs', '/usr/bin/perl', '/dev/loop-control'];

/** A sentence if this machine or this user can have none. */
export function missingForDisks(): string | false {
  if (process.getuid?.() !== 0) return 'only root mounts a disk';
  const missing = NEEDED.filter((path) => !existsSync(path));
  return missing.length > 0 && `${missing.join(', ')} not on this machine`;
}

export function forgetUnflushed(mountPoint: string): void {
  execFileSync('perl', ['-e', FORGET, mountPoint]);
}

export class ForgetfulDisk implements Disposable {
  /** Where it is mounted. */
  readonly path: string;
  #image: string;

  private constructor(folder: string) {
    this.path = join(folder, 'disk');
    this.#image = join(folder, 'disk.img');
  }

  static async make(folder: string, bytes: number): Promise<ForgetfulDisk> {
    const disk = new ForgetfulDisk(folder);
    await mkdir(disk.path);
    execFileSync('truncate', ['--size', String(bytes), disk.#image]);
    execFileSync('mke2fs', ['-q', '-t', 'ext4', disk.#image]);
    disk.#mount();
    return disk;
  }

  #mount(): void {
    execFileSync('mount', ['-o', 'loop', this.#image, this.path]);
  }

  /** Goes on with a copy of what reached the disk: a process with own mounts may hold the file system that was shut down. */
  cutPower(): void {
    forgetUnflushed(this.path);
    execFileSync('umount', [this.path]);
    const copy = `${this.#image}.cut`;
    copyFileSync(this.#image, copy);
    this.#image = copy;
    this.#mount();
  }

  [Symbol.dispose](): void {
    execFileSync('umount', [this.path]);
  }
}
