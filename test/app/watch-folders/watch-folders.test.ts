/** Watched folders of a whole daemon, over real folders. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFile, mkdir, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { checkWatchedFolders } from '../../../src/app/appliance/doctor/doctor.ts';
import { readRecord } from '../../../src/app/records/record.ts';
import { isTemporaryName } from '../../../src/app/watch-folders/result-names.ts';
import {
  addWatchFolder,
  getWatchFolder,
  listWatchedFiles,
  listWatchFolders,
  pauseWatchFolder,
  removeWatchFolder,
  resumeWatchFolder,
  testWatchFolder,
} from '../../../src/app/watch-folders/watch-folders.ts';
import { DONE_FOLDER, type WatchedFileState } from '../../../src/domain/automation/watch-folder.ts';
import type { WatchFolderView } from '../../../src/domain/contract/watch-folder.ts';
import { makeIdentity } from '../../certificates.ts';
import { runCommand } from '../../cli/run-command.ts';
import { until } from '../../faults/rounds/submissions.ts';
import { makePicture } from '../../interface/media.ts';
import { openService, type Service } from '../../interface/service.ts';
import { makeSigner, signMedia } from '../../signed-media.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../temporary-folder.ts';

let place: TemporaryFolder;
let root: string;
let service: Service;

before(async () => {
  place = await makeTemporaryFolder();
  root = join(place.path, 'share');
  await mkdir(root);
  service = await openService({ ASSAY_WATCH_ROOTS: root });
});
after(async () => {
  await service[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

const appOf = () => service.open.app;
const principal = () => service.open.admin;

async function watchNew(
  name: string,
  fields: Record<string, unknown> = {},
  userId?: number,
): Promise<WatchFolderView> {
  const path = join(root, name);
  await mkdir(path, { recursive: true });
  const { folder } = await addWatchFolder(appOf(), {
    principal: principal(),
    userId,
    fields: { path, ...fields },
  });
  return folder;
}

const show = (id: number): WatchFolderView => getWatchFolder(appOf(), { principal: principal(), id });

function filesOf(id: number, state: WatchedFileState): string[] {
  const files = listWatchedFiles(appOf(), { principal: principal(), id, state, limit: 100 });
  return files.map(({ path }) => path).sort();
}

async function untilShown(
  id: number,
  what: string,
  isSo: (folder: WatchFolderView) => boolean,
): Promise<void> {
  // Looks as soon as possible, as after a notice of the kernel, since waiting shows nothing.
  const waking = setInterval(() => appOf().watching.onChange(), 500);
  try {
    await until(() => isSo(show(id)), what);
  } catch (error) {
    throw new Error(JSON.stringify(show(id)), { cause: error });
  } finally {
    clearInterval(waking);
  }
}

/** Records of any watched folder with these names. */
function recordsNamed(...names: string[]) {
  const records = appOf().store.read.records.list({ accountId: 1, limit: 1000 });
  return records.filter(
    ({ submittedBy, refId }) => submittedBy?.via === 'watch_folder' && names.includes(refId),
  );
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const cases: [name: string, run: () => Promise<void>][] = [];
const holds = (...one: (typeof cases)[number]): number => cases.push(one);

holds(
  'a folder outside of the roots, or over one that is watched, is refused; each change is audited',
  async () => {
    const folder = await watchNew('rules', { options: ['with_nsfw=true'], done: 'leave' });
    deepEqual(folder.options, ['with_nsfw=true']);
    const add = (fields: Record<string, unknown>) =>
      addWatchFolder(appOf(), { principal: principal(), fields });
    await rejects(add({ path: '/etc' }), /expected a folder in one of watch\.roots/);
    await rejects(add({ path: join(root, '..', 'elsewhere') }), /expected a folder in one of watch\.roots/);
    await rejects(add({ path: 'share', done: 'eat', options: ['x=1'] }), /path: .*done: .*options: /);
    await rejects(add({ path: join(root, 'rules', 'below') }), /path: .*holds or lies in/);
    await rejects(add({ path: root }), /path: .*holds or lies in/);
    await pauseWatchFolder(appOf(), { principal: principal(), id: folder.id });
    equal(show(folder.id).state, 'paused');
    await removeWatchFolder(appOf(), { principal: principal(), id: folder.id });
    ok(!listWatchFolders(appOf(), { principal: principal() }).some(({ id }) => id === folder.id));
    const target = String(folder.id);
    const lines = appOf()
      .store.read.audit({ limit: 100 })
      .filter((line) => line.target === target && line.action.startsWith('watch_folder'));
    deepEqual(
      lines.map(({ action }) => action),
      ['watch_folder.remove', 'watch_folder.pause', 'watch_folder.add'],
    );
    deepEqual(lines[2]?.details, {
      ...{ path: join(root, 'rules'), account: '1', done: 'leave', options: '{"with_nsfw":"true"}' },
    });
  },
);

holds('pictures are taken whole; what is no medium, broken, linked or unfinished is not', async () => {
  const folder = await watchNew('mixed');
  const { path, id } = folder;
  const picture = await makePicture();
  const growing = await makePicture();
  await writeFile(join(place.path, 'outside.jpg'), await makePicture());
  await symlink(join(place.path, 'outside.jpg'), join(path, 'link.jpg'));
  await symlink(place.path, join(path, 'link-folder'));
  await mkdir(join(path, 'deep', 'er'), { recursive: true });
  await writeFile(join(path, 'deep', 'er', 'picture.jpg'), picture);
  await writeFile(join(path, 'notes.txt'), 'no picture');
  await writeFile(join(path, 'broken.jpg'), picture.subarray(0, 300));
  await writeFile(join(path, 'half.jpg.part'), picture);
  await writeFile(join(path, '.hidden.jpg'), picture);
  const third = Math.ceil(growing.length / 8);
  for (let at = 0; at < growing.length; at += third) {
    await appendFile(join(path, 'growing.jpg'), growing.subarray(at, at + third));
    await delay(700);
  }
  await untilShown(id, 'two pictures', ({ finished }) => finished === 2);
  deepEqual(filesOf(id, 'done'), ['deep/er/picture.jpg', 'growing.jpg']);
  deepEqual(filesOf(id, 'skipped'), ['notes.txt']);
  deepEqual(filesOf(id, 'failed'), ['broken.jpg']);
  const [failed] = listWatchedFiles(appOf(), { principal: principal(), id, state: 'failed', limit: 1 });
  ok((failed?.reason ?? '').length > 10);
  equal(failed?.retryAt, null);
  const own = recordsNamed('deep/er/picture.jpg', 'growing.jpg');
  deepEqual(own.map(({ hash }) => hash).sort(), [sha256(picture), sha256(growing)].sort());
  deepEqual(own.map(({ refId }) => refId).sort(), ['deep/er/picture.jpg', 'growing.jpg']);
});

holds('results lie beside the original, which stays as it is, and are not taken themselves', async () => {
  const { id, path } = await watchNew('beside', { done: 'sidecar' });
  const picture = await makePicture();
  const name = 'a <b> & "c".jpg';
  await writeFile(join(path, name), picture);
  const past = new Date('2026-01-02T03:04:05Z');
  await utimes(join(path, name), past, past);
  await untilShown(id, 'a result', ({ finished }) => finished === 1);
  // The doctor of another case writes a trial file into this folder for a moment.
  const seen = (await readdir(path)).filter((entry) => !isTemporaryName(entry));
  deepEqual(seen, [name, `${name}.assay.json`, `${name}.assay.xmp`]);
  await until(async () => (await readdir(path)).length === seen.length, 'nothing else to lie there');
  equal(sha256(await readFile(join(path, name))), sha256(picture));
  equal((await stat(join(path, name))).mtimeMs, past.getTime());
  const json = JSON.parse(await readFile(join(path, `${name}.assay.json`), 'utf8'));
  equal(json.sha256, sha256(picture));
  ok(['human', 'artificial'].includes(json.verdict), json.verdict);
  ok(json.reasons.length > 0);
  const xmp = await readFile(join(path, `${name}.assay.xmp`), 'utf8');
  match(xmp, /<assay:name>a &lt;b&gt; &amp; "c"\.jpg<\/assay:name>/);
  ok(xmp.includes(`<assay:sha256>${sha256(picture)}</assay:sha256>`));
  // A file is taken by the second of two looks, two seconds apart.
  const lastAt = Number(show(id).lookedAt);
  await untilShown(id, 'a look at the results', ({ lookedAt }) => Number(lookedAt) > lastAt);
  const seenAt = Number(show(id).lookedAt);
  await untilShown(
    id,
    'a look that would take them',
    ({ lookedAt }) => Number(lookedAt) > seenAt + 2_000_000,
  );
  const { submitted, finished, failed, skipped } = show(id);
  deepEqual({ submitted, finished, failed, skipped }, { submitted: 0, finished: 1, failed: 0, skipped: 0 });
});

holds('the doctor says why results cannot be written, without names of files', async () => {
  const { id, path } = await watchNew('unwritten', { done: 'move' });
  const finding = async () =>
    (await checkWatchedFolders(appOf())).find(({ name }) => name === `watched folder ${id}`);
  await writeFile(join(path, DONE_FOLDER), 'no folder');
  await writeFile(join(path, 'secret-source.jpg'), await makePicture());
  await untilShown(id, 'a refusal', ({ unwritten }) => unwritten === 1);
  const { state = '', found = '' } = (await finding()) ?? {};
  equal(state, 'bad');
  match(found, /the results of 1 file could not be written; the last: .*ENOTDIR/);
  ok(!found.includes('secret-source'));
  await rm(join(path, DONE_FOLDER));
  await resumeWatchFolder(appOf(), { principal: principal(), id, retriesFailed: true });
  await untilShown(id, 'a result', ({ finished, unwritten }) => finished === 1 && unwritten === 0);
  equal((await finding())?.state, 'good');
});

holds(
  'a manifest beside a file is sent with it, waited for while it is written, and moved along',
  async () => {
    const { id, path } = await watchNew('manifests', { done: 'move' });
    const { file, manifest } = await signMedia(
      { change: (builder) => builder.setNoEmbed(true) },
      { signer: makeSigner(makeIdentity({ name: 'Desk authority' })) },
    );
    const third = Math.ceil(manifest.length / 4);
    await appendFile(join(path, 'signed.c2pa'), manifest.subarray(0, third));
    await writeFile(join(path, 'signed.jpg'), file);
    for (let at = third; at < manifest.length; at += third) {
      await delay(1500);
      await appendFile(join(path, 'signed.c2pa'), manifest.subarray(at, at + third));
    }
    await writeFile(join(path, 'wrong.jpg.c2pa'), 'no manifest');
    await writeFile(join(path, 'wrong.jpg'), await makePicture());
    await untilShown(id, 'two ends', ({ finished, failed }) => finished === 1 && failed === 1);
    const [record] = recordsNamed('signed.jpg');
    const { provenance } = readRecord(appOf(), record?.identifier ?? '');
    deepEqual([provenance?.source, provenance?.readings?.unchanged], ['sidecar', 'yes']);
    const moved = await readdir(join(path, DONE_FOLDER));
    deepEqual(moved.toSorted(), [
      'signed.c2pa',
      'signed.jpg',
      'signed.jpg.assay.json',
      'signed.jpg.assay.xmp',
    ]);
    deepEqual((await readdir(path)).toSorted(), [DONE_FOLDER, 'wrong.jpg', 'wrong.jpg.c2pa']);
    deepEqual(filesOf(id, 'skipped'), []);
    const [failed] = listWatchedFiles(appOf(), { principal: principal(), id, state: 'failed', limit: 1 });
    match(failed?.reason ?? '', /manifest: expected a C2PA manifest store/);
  },
);

holds(
  'a test of a folder says what the user can do in it, and what systemd needs; it leaves nothing',
  async () => {
    const path = join(root, 'a folder 100%');
    await mkdir(path);
    const { findings, unitLines } = await testWatchFolder(appOf(), { principal: principal(), path });
    deepEqual(
      findings.map(({ name, good }) => [name, good]),
      [
        ['read', true],
        ['write', true],
        ['move', true],
      ],
    );
    equal(unitLines[0], '[Service]');
    ok(unitLines.includes(`ReadWritePaths="${path.replace('%', '%%')}"`), unitLines.join('\n'));
    deepEqual(await readdir(path), []);
    const absent = await testWatchFolder(appOf(), { principal: principal(), path: join(root, 'absent') });
    deepEqual(absent.findings, [{ name: 'read', good: false, found: 'it is not there' }]);
  },
);

holds(
  'the command line adds, shows, pauses, resumes and removes a folder, and names what failed',
  async () => {
    const path = join(root, 'by-command');
    await mkdir(path);
    await writeFile(join(path, 'broken.jpg'), (await makePicture()).subarray(0, 300));
    const key = service.open.daemon.newKey ?? '';
    const assay = (...argv: string[]) =>
      runCommand({ address: service.grpc, key }, ['watch-folder', ...argv]);
    const added = await assay('add', path, '--done', 'sidecar', '--option', 'with_nsfw=true', '--json');
    equal(added.code, 0, added.err);
    match(added.err, /good {2}write/);
    match(added.err, new RegExp(`ReadWritePaths=${path}`));
    const { id, options } = JSON.parse(added.out);
    deepEqual(options, ['with_nsfw=true']);
    await untilShown(Number(id), 'a failure', ({ failed }) => failed === 1);
    match((await assay('list')).out, new RegExp(`${id} .*watching`));
    match((await assay('show', id)).out, /broken\.jpg .* not by itself/);
    equal((await assay('pause', id)).out, `paused: folder ${id}\n`);
    match((await assay('list')).out, new RegExp(`${id} .*paused`));
    equal((await assay('resume', id, '--failed')).code, 0);
    equal((await assay('test', join(root, 'absent'))).code, 1);
    match((await assay('add', '/etc')).err, /expected a folder in one of watch\.roots/);
    equal((await assay('remove', id)).code, 0);
    match((await assay('show', id)).err, /no such watched folder/);
  },
);

// Most of the time is waiting for files to settle: all folders wait together.
describe('watched folders', { concurrency: true }, () => {
  for (const [name, run] of cases) test(name, run);
});
