/** One upload of 2 GB by REST, gRPC and tus, the latter two killed at 60 % and continued: memory must not grow. */
import { once } from 'node:events';
import { createReadStream, globSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { TestDaemon } from '../daemon.ts';
import { uploadFiles } from '../faults/rounds/data-folder.ts';
import { KEY_HEADERS, until } from '../faults/rounds/submissions.ts';
import { type BigFile, writeBigVideo } from '../media/big-media.ts';
import { GrpcUploader, sendByTus } from '../resumable-clients.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { megabytes, memoryOf } from './measure.ts';
import { numberArgument } from './random.ts';

const UPLOAD_BYTES = numberArgument('bytes', 2 * 1024 ** 3);
const STOP_AT = Math.floor(0.6 * UPLOAD_BYTES);
const GROWTH_BYTES_MAX = 100e6;
const SAMPLE_MS = 50;
const KILL_TIMEOUT_MS = 300_000;
const UPLOAD_ID = 'a-heavy-upload-that-is-killed';

const rows: Record<string, unknown> = {};

function miss(sentence: string): void {
  process.stderr.write(`missed: ${sentence}\n`);
  process.exitCode = 1;
}

/** The work's answer, and in the table how long it took and what the daemon's memory did. */
async function measure<T>(
  name: string,
  daemon: TestDaemon,
  bytes: number,
  work: () => Promise<T>,
): Promise<T> {
  const before = memoryOf(daemon);
  let peak = before;
  const sampling = setInterval(() => {
    peak = Math.max(peak, memoryOf(daemon));
  }, SAMPLE_MS);
  const startedAt = performance.now();
  try {
    return await work();
  } finally {
    clearInterval(sampling);
    const rate = `${(bytes / 1e6 / ((performance.now() - startedAt) / 1000)).toFixed(0)} MB/s`;
    rows[name] = { before: megabytes(before), grew: megabytes(peak - before), rate };
    if (peak - before > GROWTH_BYTES_MAX) miss(`${name} grew by ${megabytes(peak - before)}`);
  }
}

async function sendByRest({ http }: TestDaemon, file: BigFile): Promise<string> {
  const head = '--big\r\nContent-Disposition: form-data; name="video"; filename="a.mp4"\r\n\r\n';
  const end = '\r\n--big--\r\n';
  const type = { 'content-type': 'multipart/form-data; boundary=big' };
  const headers = { ...KEY_HEADERS, ...type, 'content-length': head.length + file.sizeBytes + end.length };
  const call = request(`${http}/api/classification_video`, { method: 'POST', headers });
  const answered = once(call, 'response');
  call.write(head);
  for await (const chunk of createReadStream(file.path, { highWaterMark: 256 * 1024 })) {
    if (!call.write(chunk)) await once(call, 'drain');
  }
  call.end(end);
  const [response] = await answered;
  return (await text(response)).trim();
}

async function expectHash(
  { http }: TestDaemon,
  name: string,
  identifier: string,
  file: BigFile,
): Promise<void> {
  const response = await fetch(`${http}/api/classification_video/${identifier}`, { headers: KEY_HEADERS });
  const { hash } = (await response.json()) as { hash?: string };
  if (hash !== file.sha256) miss(`${name}: the hash is ${hash}, not ${file.sha256}`);
  await until(() => uploadFiles(`${folder.path}/data`).length === 0, 'the temporary file to be gone');
}

/** Resolves once the note of the gRPC upload says that so much is safe. */
async function untilSafe(bytes: number): Promise<void> {
  const safe = () =>
    globSync('partial/*.json', { cwd: data }).some((note) => {
      const { committedBytes, uploadId } = JSON.parse(readFileSync(join(data, note), 'utf8'));
      return uploadId === UPLOAD_ID && committedBytes >= bytes;
    });
  await until(safe, `${megabytes(bytes)} to be safe`, KILL_TIMEOUT_MS);
}

await using folder = await makeTemporaryFolder();
const data = join(folder.path, 'data');
const inFolder = (name: string) =>
  writeBigVideo(join(folder.path, name), UPLOAD_BYTES, `${name} ${Date.now()}`);
const files = { rest: await inFolder('rest'), grpc: await inFolder('grpc'), tus: await inFolder('tus') };
let tusUrl: Promise<string>;
{
  await using daemon = await TestDaemon.start({ folder: data });
  const identifier = await measure('REST', daemon, UPLOAD_BYTES, () => sendByRest(daemon, files.rest));
  await expectHash(daemon, 'REST', identifier, files.rest);
  using uploader = new GrpcUploader(daemon.grpc);
  const begun = sendByTus({ origin: daemon.http, file: files.tus, stopAt: STOP_AT });
  await measure('tus, first 60 %', daemon, STOP_AT, () => begun);
  tusUrl = begun.then(({ url }) => new URL(url).pathname);
  await measure('gRPC, first 60 %', daemon, STOP_AT, async () => {
    const going = uploader.send({ file: files.grpc, uploadId: UPLOAD_ID });
    await untilSafe(STOP_AT);
    void going.catch(() => undefined);
  });
  await daemon.kill('SIGKILL');
}
{
  await using daemon = await TestDaemon.start({ folder: data });
  using uploader = new GrpcUploader(daemon.grpc);
  const offset = await uploader.committed(UPLOAD_ID);
  const record = await measure('gRPC, the rest', daemon, UPLOAD_BYTES - offset, () =>
    uploader.send({ file: files.grpc, uploadId: UPLOAD_ID, offset }),
  );
  if (record === null || record instanceof Error) miss(`gRPC: ${record}`);
  else await expectHash(daemon, 'gRPC', record.identifier, files.grpc);
  const url = `${daemon.http}${await tusUrl}`;
  const end = await measure('tus, the rest', daemon, UPLOAD_BYTES - STOP_AT, () =>
    sendByTus({ origin: daemon.http, file: files.tus, url }),
  );
  if (end.startedAt < STOP_AT / 2) miss(`tus began at ${end.startedAt}`);
  await expectHash(daemon, 'tus', end.identifier ?? '', files.tus);
}
console.table(rows);
