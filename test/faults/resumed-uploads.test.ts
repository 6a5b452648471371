import { deepEqual, equal, ok } from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TestDaemon } from '../daemon.ts';
import { writeBigVideo } from '../media/big-media.ts';
import { GrpcUploader, sendByTus } from '../resumable-clients.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { KEY_HEADERS, until } from './rounds/submissions.ts';

const SIZE_BYTES = 96 * 1024 ** 2;
const STOP_AT = Math.floor(0.6 * SIZE_BYTES);
/** More than the buffers of the connection hold. */
const EARLY = 24 * 1024 ** 2 + 1;
const UPLOAD_ID = 'desk-7/2026-11-21/interview.mp4';
const WRONG_ID = 'desk-7/2026-11-21/wrong.mp4';

/** What lies in the data folder of uploads that are not whole: bytes, and the notes beside them. */
function partialFiles(folder: string): { bytes: string[]; notes: string[] } {
  const all = globSync('partial/*', { cwd: folder });
  return {
    bytes: all.filter((name) => !name.endsWith('.json')),
    notes: all.filter((name) => name.endsWith('.json')),
  };
}

/** The largest mark of safety that a note in the folder has. */
function markIn(folder: string): number {
  const { notes } = partialFiles(folder);
  return Math.max(
    0,
    ...notes.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).committedBytes),
  );
}

async function hashOf({ http }: TestDaemon, identifier: string): Promise<string> {
  const response = await fetch(`${http}/api/classification_video/${identifier}`, { headers: KEY_HEADERS });
  return ((await response.json()) as { hash: string }).hash;
}

test('over gRPC an upload goes on after a break and a kill of the daemon', async (context) => {
  await using folder = await makeTemporaryFolder();
  const data = join(folder.path, 'data');
  const file = await writeBigVideo(join(folder.path, 'a.mp4'), SIZE_BYTES, 'over gRPC');
  let committed: number;
  {
    await using first = await TestDaemon.start({ models: 'tiny', folder: data });
    using uploader = new GrpcUploader(first.grpc);
    equal(await uploader.send({ file, uploadId: UPLOAD_ID, stopAt: EARLY }), null);
    const broken = await uploader.committed(UPLOAD_ID);
    ok(broken > 0 && broken <= EARLY, `kept ${broken} of what was sent`);
    const going = uploader.send({ file, uploadId: UPLOAD_ID, offset: broken, stopAt: STOP_AT });
    await until(() => markIn(data) > broken, 'the mark of safety to move');
    await first.kill('SIGKILL');
    await going;
    committed = markIn(data);
  }
  await using second = await TestDaemon.start({ models: 'tiny', folder: data });
  using uploader = new GrpcUploader(second.grpc);
  equal(await uploader.committed(UPLOAD_ID), committed);
  const wrongOffset = await uploader.send({ file, uploadId: UPLOAD_ID, offset: committed + 1 });
  ok(
    wrongOffset instanceof Error && /header.offset: expected/.test(wrongOffset.message),
    String(wrongOffset),
  );
  const record = await uploader.send({ file, uploadId: UPLOAD_ID, offset: committed });
  ok(record !== null && !(record instanceof Error), String(record));
  equal(record.hash, file.sha256);
  const answer = await uploader.query(UPLOAD_ID);
  ok(!(answer instanceof Error));
  equal(answer.identifier, record.identifier);
  deepEqual(partialFiles(data).bytes, []);
  const { notes } = partialFiles(data);
  await context.test('over gRPC wrong bytes are thrown away', async () => {
    const wrong = await writeBigVideo(join(folder.path, 'b.mp4'), 4 * 1024 ** 2, 'wrong hash');
    const refused = await uploader.send({ file: wrong, uploadId: WRONG_ID, sha256: '0'.repeat(64) });
    ok(refused instanceof Error && /commit.sha256: does not match/.test(refused.message), String(refused));
    deepEqual(partialFiles(data), { bytes: [], notes });
    const unknown = await uploader.query(WRONG_ID);
    ok(unknown instanceof Error && /no such upload/.test(unknown.message));
  });
});

test('over tus an upload goes on after a break and a kill of the daemon', async () => {
  await using folder = await makeTemporaryFolder();
  const data = join(folder.path, 'data');
  const file = await writeBigVideo(join(folder.path, 'a.mp4'), SIZE_BYTES, 'over tus');
  let url: string;
  let committed: number;
  {
    await using first = await TestDaemon.start({ models: 'tiny', folder: data });
    const stopped = await sendByTus({ origin: first.http, file, stopAt: STOP_AT });
    equal(stopped.identifier, null);
    url = new URL(stopped.url).pathname;
    await until(async () => (await offsetOf(first, url)) > 0, 'the pieces to be kept');
    await first.kill('SIGKILL');
    committed = markIn(data);
    ok(committed > 0 && committed < SIZE_BYTES, `kept ${committed}`);
  }
  await using second = await TestDaemon.start({ models: 'tiny', folder: data });
  equal(await offsetOf(second, url), committed);
  const whole = await sendByTus({ origin: second.http, file, url: `${second.http}${url}` });
  ok(whole.startedAt >= committed, `began at ${whole.startedAt}, not at ${committed}`);
  ok(whole.identifier !== null && whole.identifier !== '', 'no identifier');
  equal(await hashOf(second, whole.identifier), file.sha256);
  const status = await fetch(`${second.http}${url}`, { headers: KEY_HEADERS });
  const { identifier, offset, length } = (await status.json()) as Record<string, unknown>;
  deepEqual(
    { identifier, offset, length },
    { identifier: whole.identifier, offset: SIZE_BYTES, length: SIZE_BYTES },
  );
  deepEqual(partialFiles(data).bytes, []);
});

async function offsetOf({ http }: TestDaemon, path: string): Promise<number> {
  const headers = { ...KEY_HEADERS, 'tus-resumable': '1.0.0' };
  const response = await fetch(`${http}${path}`, { method: 'HEAD', headers });
  return Number(response.headers.get('upload-offset'));
}
