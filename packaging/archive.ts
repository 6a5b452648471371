/** A folder as one file, the same bytes each time: sorted names, one time, no owner; compressed by this Node's zlib. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, stat, utimes } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** Level 9 takes three times as long for one hundredth. */
const GZIP_LEVEL = 6;

/** Writes `target` (tar.gz) with the folder's last name in front of each path. Throws where tar complains. */
export async function writeArchive(folder: string, target: string, at: number): Promise<void> {
  const args = [
    ...['--create', '--format=gnu', '--sort=name', '--hard-dereference', `--mtime=@${at}`],
    ...['--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX'],
    ...['--directory', dirname(folder), basename(folder)],
  ];
  const tar = spawn('tar', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(tar, 'exit');
  await pipeline(tar.stdout, createGzip({ level: GZIP_LEVEL }), createWriteStream(target));
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`tar ended with ${code}`);
}

/** Copies the files of `folder` into `target`, which is made, with the times and rights that an archive gives them. */
export async function copyNormalised(folder: string, target: string, at: number): Promise<void> {
  await mkdir(target, { recursive: true });
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const { parentPath, name } of entries.filter((entry) => entry.isFile())) {
    const from = join(parentPath, name);
    const to = join(target, relative(folder, from));
    await mkdir(dirname(to), { recursive: true });
    await copyFile(from, to);
    await chmod(to, ((await stat(from)).mode & 0o111) === 0 ? 0o644 : 0o755);
    await utimes(to, at, at);
  }
}
