/**
 * Watched folders on SMB (Samba) and SFTP servers, mounted by FUSE. Others write on the server, which is away
 * for a minute; each file becomes one record. Needs root, /dev/fuse, samba, rclone, sshfs and
 * openssh-sftp-server. network-folders.ts [smb|sftp]…
 */
import { deepEqual, match } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { credentials } from '@grpc/grpc-js';
import { AssayClient } from '../../src/cli/daemon/client.ts';
import { DoneAction, WatchFolderService } from '../../src/grpc/gen/assay/v1/watch_folder_service_pb.ts';
import { TEST_KEY, TestDaemon } from '../daemon.ts';
import { distinctPicture, KEY_HEADERS } from '../faults/rounds/submissions.ts';
import { writeTinyPacks } from '../interface/packs.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { SERVERS, type ServerKind } from './network-servers.ts';

const FILES = 30;
const AWAY_AFTER = 10;
const AWAY_SECONDS = 60;
const PAUSE_MS = 300;
const FINISHED_SECONDS_MAX = 600;
const { method } = WatchFolderService;

async function ask<T>({ grpc }: TestDaemon, call: (client: AssayClient) => Promise<T>): Promise<T> {
  using client = new AssayClient({ address: grpc, credentials: credentials.createInsecure() }, TEST_KEY);
  return await call(client);
}

async function folderOf(daemon: TestDaemon) {
  const { folders } = await ask(daemon, (client) => client.call(method.listWatchFolders, {}));
  const [folder] = folders;
  if (folder === undefined) throw new Error('the folder is not listed');
  return folder;
}

async function until(what: string, secondsMax: number, look: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + secondsMax * 1000;
  while (performance.now() < deadline) {
    if (await look()) return;
    await delay(1000);
  }
  throw new Error(`${what}: not after ${secondsMax} s`);
}

/** By another client of the server: under another name first, as programs do that know of watchers. */
async function drop(served: string, name: string, content: Uint8Array): Promise<void> {
  await writeFile(join(served, `.${name}.part`), content);
  await rename(join(served, `.${name}.part`), join(served, name));
}

async function recordsByName(daemon: TestDaemon): Promise<Map<string, number>> {
  const response = await fetch(`${daemon.http}/api/classifications`, { headers: KEY_HEADERS });
  const counts = new Map<string, number>();
  for (const { ref_id: name } of (await response.json()) as { ref_id: string }[])
    counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

async function play(kind: ServerKind): Promise<void> {
  await using folder = await makeTemporaryFolder();
  const place = (name: string) => join(folder.path, name);
  for (const name of ['data', 'server/desk', 'roots/share']) await mkdir(place(name), { recursive: true });
  await writeTinyPacks(place('models'));
  await using server = await SERVERS[kind](place('server/desk'), place('roots/share'), folder.path);
  const env = {
    ...{ ASSAY_MODELS_FOLDERS: place('models'), ASSAY_WATCH_ROOTS: place('roots') },
    ASSAY_ANALYSIS_STABILITY: 'false',
  };
  await using daemon = await TestDaemon.start({ folder: place('data'), env });
  await ask(daemon, (client) =>
    client.call(method.addWatchFolder, { path: place('roots/share'), done: DoneAction.SIDECAR }),
  );
  const startedMs = performance.now();
  const names = Array.from({ length: FILES }, (_, index) => `${index}.jpg`);
  let seenAway = '';
  for (const [index, name] of names.entries()) {
    if (index === AWAY_AFTER) {
      await server.stop();
      await delay(AWAY_SECONDS * 1000);
      const { state, reason } = await folderOf(daemon);
      seenAway = `${state} ${reason}`;
      await server.start();
    }
    await drop(place('server/desk'), name, await distinctPicture(index));
    await delay(PAUSE_MS);
  }
  let resumed = 0;
  await until(`${kind}: all finished`, FINISHED_SECONDS_MAX, async () => {
    const { id, finished, failed } = await folderOf(daemon);
    // An administrator does so who does not wait for the next try.
    if (failed > 0) resumed += Number(failed);
    if (failed > 0)
      await ask(daemon, (client) => client.call(method.resumeWatchFolder, { id, retryFailed: true }));
    return Number(finished) === FILES;
  });
  deepEqual(await recordsByName(daemon), new Map(names.toReversed().map((name) => [name, 1])));
  // A client may send what was written some seconds later.
  await until(`${kind}: results on the server, nothing left over`, FINISHED_SECONDS_MAX, async () => {
    const there = await readdir(place('server/desk'));
    return there.length === FILES * 3 && names.every((name) => there.includes(`${name}.assay.json`));
  });
  for (const name of names)
    match(await readFile(place(`server/desk/${name}.assay.json`), 'utf8'), /"identifier"/);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
  process.stdout.write(
    `${kind}: ${FILES} files, each one record, ${seconds} s; ${resumed} taken once more by hand; while away: ${seenAway}\n`,
  );
}

const missing = ['/dev/fuse', '/usr/sbin/smbd', '/usr/bin/rclone', '/usr/bin/sshfs'].filter(
  (path) => !existsSync(path),
);
if (process.getuid?.() !== 0 || missing.length > 0) {
  process.stdout.write(`skipped: root mounts by FUSE; missing here: ${missing.join(', ') || 'root'}\n`);
} else {
  const asked = process.argv.slice(2);
  for (const kind of Object.keys(SERVERS) as ServerKind[])
    if (asked.length === 0 || asked.includes(kind)) await play(kind);
}
