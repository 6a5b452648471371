import { deepEqual, equal, match } from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { TestDaemon } from '../daemon.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { jobInputs, uploadFiles } from './rounds/data-folder.ts';
import {
  awaitEnds,
  distinctPicture,
  KEY_HEADERS,
  postPicture,
  statusOf,
  submitPicture,
  until,
} from './rounds/submissions.ts';

const MIB = 1024 ** 2;

/** Sends the head of a form and the first of the announced bytes, and then nothing. */
async function beginUpload({ http }: TestDaemon, announcedBytes: number, sentBytes: number) {
  const { hostname, port, host } = new URL(http);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  await once(socket, 'connect');
  const part =
    '--cut\r\nContent-Disposition: form-data; name="image"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\n';
  socket.write(
    `POST /api/classification HTTP/1.1\r\nHost: ${host}\r\nX-Api-Key: ${KEY_HEADERS['x-api-key']}\r\n` +
      `Content-Type: multipart/form-data; boundary=cut\r\nContent-Length: ${announcedBytes}\r\n\r\n${part}`,
  );
  socket.write(Buffer.alloc(sentBytes, 0x55));
  return socket;
}

test('an upload that breaks off leaves no file and no record', async () => {
  await using daemon = await TestDaemon.start({ models: 'tiny' });
  for (const isReset of [true, false]) {
    const socket = await beginUpload(daemon, 8 * MIB, MIB);
    await until(() => uploadFiles(daemon.folder).length === 1, 'the upload to be under way');
    if (isReset) socket.resetAndDestroy();
    else socket.destroy();
    await until(() => uploadFiles(daemon.folder).length === 0, 'the temporary file to be removed', 5000);
  }
  const list = await fetch(`${daemon.http}/api/classifications`, { headers: KEY_HEADERS });
  deepEqual(await list.json(), []);
  deepEqual(jobInputs(daemon.folder), []);
});

test('below the free-space guard work is refused and reads go on', async () => {
  await using folder = await makeTemporaryFolder();
  let identifier: string;
  {
    await using roomy = await TestDaemon.start({ models: 'tiny', folder: folder.path });
    identifier = await submitPicture(roomy, await distinctPicture(1));
    await awaitEnds(roomy, [identifier]);
  }
  const env = { ASSAY_DISK_FREE_MIN: String(Number.MAX_SAFE_INTEGER) };
  await using full = await TestDaemon.start({ models: 'tiny', folder: folder.path, env });
  const refused = await postPicture(full, await distinctPicture(2));
  equal(refused.status, 503);
  match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  match(await refused.text(), /disk is full/);
  deepEqual(uploadFiles(folder.path), []);
  equal(await statusOf(full, identifier), 'done');
  equal((await fetch(`${full.http}/api/user/credits`, { headers: KEY_HEADERS })).status, 200);
  equal((await fetch(`${full.http}/livez`)).status, 200);
});
