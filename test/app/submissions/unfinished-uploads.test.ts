import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { createKey } from '../../../src/app/accounts/keys.ts';
import type { Principal } from '../../../src/app/callers/principal.ts';
import { submitUpload } from '../../../src/app/submissions/submit-upload.ts';
import {
  appendUpload,
  beginUpload,
  finishUpload,
  queryUpload,
  readUpload,
  sweepUploads,
} from '../../../src/app/submissions/unfinished-uploads.ts';
import { receiveMedia } from '../../../src/app/submissions/uploads.ts';
import { AppError, type Reason } from '../../../src/domain/errors.ts';
import { addUser, openServedApp, principalOf, type ServedApp } from '../open-app.ts';

const NEVER = new AbortController().signal;
const UPLOAD_ID = 'an-upload-of-a-test';
const MIB = 1024 ** 2;
const DAY_MINUTES = 24 * 60;

const withReason = (reason: Reason) => (error: unknown) =>
  error instanceof AppError && error.reason === reason;

async function* pieces(count: number, bytes = MIB): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < count; index++) yield Buffer.alloc(bytes, index);
}

async function* thenBreak(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* source;
  throw new Error('the connection broke');
}

/** Stays silent after its last chunk, as a dead connection does. */
async function* thenSilence(
  source: AsyncIterable<Uint8Array>,
  onSilence: () => void,
): AsyncGenerator<Uint8Array> {
  yield* source;
  onSilence();
  await new Promise(() => {});
}

async function begin({ app }: ServedApp, principal: Principal, uploadId = UPLOAD_ID, sizeBytes = 8 * MIB) {
  await beginUpload(app, { principal, uploadId, field: 'size', name: 'a.mp4', sizeBytes });
}

let room: ServedApp;

before(async () => {
  room = await openServedApp();
});

afterEach(async () => {
  const { unfinishedUploads } = room.app.store;
  for (const upload of unfinishedUploads.list()) await unfinishedUploads.remove(upload);
});

after(() => room[Symbol.asyncDispose]());

const filesOf = ({ folder }: ServedApp): Promise<string[]> => readdir(join(folder, 'partial'));

test('bytes that came before the break are kept, and continued', async () => {
  const { app, admin: principal } = room;
  await begin(room, principal);
  const upload = { principal, uploadId: UPLOAD_ID, field: 'chunk' };
  await rejects(appendUpload(app, { ...upload, bytes: thenBreak(pieces(3)) }, NEVER), /broke/);
  equal((await queryUpload(app, upload)).committedBytes, 3 * MIB);
  equal(await appendUpload(app, { ...upload, bytes: pieces(5) }, NEVER), 8 * MIB);
  await using media = await finishUpload(app, upload, NEVER);
  equal(media.sizeBytes, 8 * MIB);
  const expected = Buffer.concat([
    ...(await Array.fromAsync(pieces(3))),
    ...(await Array.fromAsync(pieces(5))),
  ]);
  await using whole = await receiveMedia(
    app,
    {
      principal,
      field: 'f',
      name: 'b',
      bytes: (async function* () {
        yield expected;
      })(),
    },
    NEVER,
  );
  equal(media.hash, whole.hash);
});

test('querying the offset ends a dead stream', async () => {
  const { app, admin: principal } = room;
  await begin(room, principal);
  const upload = { principal, uploadId: UPLOAD_ID, field: 'chunk' };
  const { promise: silence, resolve } = Promise.withResolvers<void>();
  const bytes = thenSilence(pieces(2), resolve);
  const dead = rejects(appendUpload(app, { ...upload, bytes }, NEVER), withReason('cancelled'));
  await silence;
  equal((await queryUpload(app, upload)).committedBytes, 2 * MIB);
  await dead;
});

test('an upload larger than announced is refused', async () => {
  const { app, admin: principal } = room;
  await begin(room, principal, UPLOAD_ID, 2 * MIB);
  const upload = { principal, uploadId: UPLOAD_ID, field: 'chunk' };
  await rejects(appendUpload(app, { ...upload, bytes: pieces(3) }, NEVER), /chunk: expected 2097152 bytes/);
  await rejects(
    beginUpload(app, { ...upload, field: 'size', name: '', sizeBytes: 0 }),
    withReason('bad_field'),
  );
  const tooLarge = { ...upload, field: 'size', name: '', sizeBytes: 100, bytesMax: 99 };
  await rejects(beginUpload(app, tooLarge), withReason('too_large'));
});

test('another account finds nothing', async () => {
  const { app, admin } = room;
  const other = principalOf(app, (await addUser(app, admin)).id);
  await begin(room, admin);
  const foreign = { principal: other, uploadId: UPLOAD_ID, field: 'chunk' };
  await rejects(queryUpload(app, foreign), withReason('upload'));
  await rejects(appendUpload(app, { ...foreign, bytes: pieces(1) }, NEVER), withReason('upload'));
  await begin(room, other);
  await appendUpload(app, { ...foreign, bytes: thenBreak(pieces(1)) }, NEVER).catch(() => undefined);
  equal(readUpload(app, { principal: admin, uploadId: UPLOAD_ID }).committedBytes, 0);
});

test('over tus another key finds nothing, and errors are JSON', async () => {
  const { app, admin, url } = room;
  const other = principalOf(app, (await addUser(app, admin)).id);
  const keys = await Promise.all(
    [admin, other].map((principal) => createKey(app, { principal, name: 'tus' })),
  );
  const headersOf = (index: number) => ({ 'x-api-key': keys[index]?.secret ?? '', 'tus-resumable': '1.0.0' });
  const [own, foreign] = [headersOf(0), headersOf(1)] as const;
  const metadata = `filename ${Buffer.from('a.mp4').toString('base64')},kind ${Buffer.from('video').toString('base64')}`;
  const begun = await fetch(`${url}/files`, {
    method: 'POST',
    headers: { ...own, 'upload-length': '100', 'upload-metadata': metadata },
  });
  equal(begun.status, 201);
  const address = new URL(begun.headers.get('location') ?? '', url);
  for (const [headers, status] of [
    [own, 200],
    [foreign, 404],
    [{ 'tus-resumable': '1.0.0' }, 401],
  ] as const) {
    equal((await fetch(address, { method: 'HEAD', headers })).status, status);
  }
  const patch = { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' };
  const refused = await fetch(address, { method: 'PATCH', headers: { ...foreign, ...patch }, body: 'x' });
  equal(refused.status, 404);
  deepEqual(Object.keys((await refused.json()) as object), ['error']);
  const taken = await fetch(address, { method: 'PATCH', headers: { ...own, ...patch }, body: 'some bytes' });
  deepEqual([taken.status, taken.headers.get('upload-offset')], [204, '10']);
  const tooBig = { ...own, 'upload-length': String(20 * 1024 ** 3), 'upload-metadata': metadata };
  equal((await fetch(`${url}/files`, { method: 'POST', headers: tooBig })).status, 413);
  const badOption = {
    ...own,
    'upload-length': '9',
    'upload-metadata': `${metadata},frames ${Buffer.from('7').toString('base64')}`,
  };
  const bad = await fetch(`${url}/files`, { method: 'POST', headers: badOption });
  deepEqual([bad.status, await bad.json()], [400, { error: 'frames: expected 5, 10 or 30, found "7"' }]);
  equal((await fetch(address, { method: 'DELETE', headers: foreign })).status, 404);
  equal((await fetch(address, { method: 'DELETE', headers: own })).status, 204);
  deepEqual(await filesOf(room), []);
});

test('an upload that no one continues is deleted in its time', async () => {
  await using room = await openServedApp();
  const { app, admin: principal } = room;
  await begin(room, principal);
  room.passMinutes(DAY_MINUTES - 1);
  equal(await sweepUploads(app, app.config.unfinishedUploadMs), 0);
  room.passMinutes(2);
  await rejects(queryUpload(app, { principal, uploadId: UPLOAD_ID }), withReason('upload'));
  equal(await sweepUploads(app, app.config.unfinishedUploadMs), 1);
  deepEqual(await filesOf(room), []);
});

test('an account has only so many', async () => {
  const { principal } = { principal: room.admin };
  for (let index = 0; index < 128; index++) await begin(room, principal, `upload-number-${index}`, 1);
  await rejects(begin(room, principal, 'upload-number-128', 1), withReason('too_many'));
  await begin(room, principal, 'upload-number-5', 2);
});

test('a refusal that passes keeps the bytes, a final one does not', async () => {
  const { app, admin: principal } = room;
  const upload = { principal, uploadId: UPLOAD_ID, field: 'chunk' };
  await begin(room, principal, UPLOAD_ID, MIB);
  await appendUpload(app, { ...upload, bytes: pieces(1) }, NEVER);
  // The bytes are no medium.
  await rejects(submitUpload(app, upload), AppError);
  deepEqual(await filesOf(room), []);
  await begin(room, principal, UPLOAD_ID, MIB);
  await appendUpload(app, { ...upload, bytes: pieces(1) }, NEVER);
  {
    await using media = await finishUpload(app, upload, NEVER);
    await media.noteEnd?.({ error: new AppError('queue_full', 'a test') });
  }
  equal(readUpload(app, upload).committedBytes, MIB);
  equal((await filesOf(room)).length, 2);
});

test('a disk that runs full while bytes come in leaves nothing', async () => {
  const { admin: principal } = room;
  const free = await room.app.store.freeBytes();
  // The bound holds at the begin, and is broken by the upload itself.
  const app = { ...room.app, config: { ...room.app.config, diskFreeBytesMin: free - 24 * MIB } };
  const bytes = () => pieces(200);
  await rejects(
    receiveMedia(app, { principal, field: 'f', name: 'a', bytes: bytes() }, NEVER),
    withReason('disk_full'),
  );
  deepEqual(await readdir(join(room.folder, 'uploads')), []);
  await beginUpload(app, { principal, uploadId: UPLOAD_ID, field: 's', name: 'a', sizeBytes: MIB });
  const [upload] = app.store.unfinishedUploads.list();
  ok(upload);
  upload.sizeBytes = 200 * MIB;
  await rejects(
    appendUpload(app, { principal, uploadId: UPLOAD_ID, field: 'c', bytes: bytes() }, NEVER),
    withReason('disk_full'),
  );
  deepEqual(await filesOf(room), []);
});
