/** Servers of files on loopback, mounted by FUSE; each can go away and come back, as a server does that is started anew. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export type ServerKind = 'smb' | 'sftp';

export interface FileServer extends AsyncDisposable {
  stop(): Promise<void>;
  start(): Promise<void>;
}

const SMB_PORT = 14450;
const SFTP_PORT = 14460;
const SFTP_SERVER = '/usr/lib/openssh/sftp-server';
const MOUNT_SECONDS_MAX = 30;

async function awaitMount(mountPoint: string): Promise<void> {
  const { dev } = await stat(join(mountPoint, '..'));
  for (let tries = 0; tries < MOUNT_SECONDS_MAX * 10; tries++) {
    if ((await stat(mountPoint).catch(() => ({ dev }))).dev !== dev) return;
    await delay(100);
  }
  throw new Error(`${mountPoint} is not mounted after ${MOUNT_SECONDS_MAX} s`);
}

async function end(child: ChildProcess | null): Promise<void> {
  if (child === null || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

function smbConfig(served: string, own: string): string {
  const folders = ['private dir', 'lock directory', 'state directory', 'cache directory', 'pid directory'];
  return [
    ...['[global]', 'server role = standalone server', `smb ports = ${SMB_PORT}`, 'interfaces = 127.0.0.1/8'],
    ...[
      'bind interfaces only = yes',
      'map to guest = Bad User',
      'guest account = root',
      'disable spoolss = yes',
    ],
    ...folders.map((name) => `${name} = ${own}`),
    ...[`ncalrpc dir = ${own}/ncalrpc`, `log file = ${own}/log`],
    ...['[share]', `path = ${served}`, 'read only = no', 'guest ok = yes', 'force user = root', ''],
  ].join('\n');
}

/**
 * Samba, and rclone's client of it: no hard links (it answers EIO), and files reach the server five seconds after they were closed.
 * A folder of the share: on the share itself rclone 1.60 makes one that is called by a wide full stop. Sent at once, a file that is
 * renamed while it is sent keeps its old name there.
 */
async function smb(served: string, mountPoint: string, folder: string): Promise<FileServer> {
  const own = join(folder, 'samba');
  await mkdir(own);
  const config = join(own, 'smb.conf');
  await writeFile(config, smbConfig(dirname(served), own));
  let server: ChildProcess | null = null;
  const stop = async () => {
    // Its children hold the connections; they are of its own group.
    if (server?.pid !== undefined) process.kill(-server.pid, 'SIGKILL');
    await end(server);
    server = null;
  };
  const start = async () => {
    const args = ['--foreground', '--no-process-group', `--configfile=${config}`];
    server = spawn('smbd', args, { stdio: 'ignore', detached: true });
    await once(server, 'spawn');
    await delay(2000);
  };
  await start();
  const remote = `:smb,host=127.0.0.1,port=${SMB_PORT},user=guest:share/${basename(served)}`;
  const options = ['--vfs-cache-mode', 'writes', '--dir-cache-time', '1s'];
  const client = spawn('rclone', ['mount', remote, mountPoint, ...options], { stdio: 'ignore' });
  await awaitMount(mountPoint);
  return { stop, start, [Symbol.asyncDispose]: async () => await close(mountPoint, client, stop) };
}

/** OpenSSH's server of files behind a port, and sshfs, which finds it again. */
async function sftp(served: string, mountPoint: string): Promise<FileServer> {
  const open = new Map<Socket, ChildProcess>();
  let listener: Server | null = null;
  const stop = async () => {
    listener?.close();
    for (const [socket, server] of open) {
      socket.destroy();
      await end(server);
    }
    open.clear();
  };
  const start = async () => {
    listener = createServer((socket) => {
      const server = spawn(SFTP_SERVER, { stdio: ['pipe', 'pipe', 'ignore'] });
      open.set(socket, server);
      socket.on('error', () => {});
      server.stdin.on('error', () => {});
      socket.pipe(server.stdin);
      server.stdout.pipe(socket);
    }).listen(SFTP_PORT, '127.0.0.1');
    await once(listener, 'listening');
  };
  await start();
  const options = [`directport=${SFTP_PORT}`, 'reconnect', 'dir_cache=no', 'auto_cache'].join();
  const client = spawn('sshfs', ['-f', '-o', options, `127.0.0.1:${served}`, mountPoint], {
    stdio: 'ignore',
  });
  await awaitMount(mountPoint);
  return { stop, start, [Symbol.asyncDispose]: async () => await close(mountPoint, client, stop) };
}

async function close(mountPoint: string, client: ChildProcess, stop: () => Promise<void>): Promise<void> {
  execFileSync('umount', ['--lazy', mountPoint]);
  await end(client);
  await stop();
}

export const SERVERS: Readonly<
  Record<ServerKind, (served: string, mountPoint: string, folder: string) => Promise<FileServer>>
> = { sftp, smb };
