/** Sends pictures through ClassifyMedia, each until its record has ended, as the command line does. */
import { availableParallelism } from 'node:os';
import { credentials } from '@grpc/grpc-js';
import { AssayClient } from '../src/cli/client.ts';
import { Status } from '../src/grpc/gen/assay/v1/classification_pb.ts';
import { ClassificationService } from '../src/grpc/gen/assay/v1/classification_service_pb.ts';
import { TEST_KEY, type TestDaemon } from '../test/daemon.ts';
import { inParallel } from './in-parallel.ts';

/** Twice the analyses that run at once, so that the queue never runs dry. */
const UPLOADS = 4 * availableParallelism();
const CHUNK_BYTES = 256 * 1024;

/** Pictures per second. */
export async function classifyPhotos(daemon: TestDaemon, photos: readonly Buffer[]): Promise<number> {
  using client = new AssayClient(
    { address: daemon.grpc, credentials: credentials.createInsecure() },
    TEST_KEY,
  );
  const startedAt = performance.now();
  await inParallel(photos, UPLOADS, (photo, index) => classifyPhoto(client, photo, `${index}.jpg`));
  return photos.length / ((performance.now() - startedAt) / 1000);
}

async function classifyPhoto(client: AssayClient, photo: Buffer, name: string): Promise<void> {
  const call = client.openDuplex(ClassificationService.method.classifyMedia);
  call.write({ payload: { case: 'header', value: { name } } });
  for (let start = 0; start < photo.length; start += CHUNK_BYTES) {
    call.write({ payload: { case: 'chunk', value: photo.subarray(start, start + CHUNK_BYTES) } });
  }
  call.write({ payload: { case: 'commit', value: { sizeBytes: BigInt(photo.length) } } });
  call.end();
  let status: Status = Status.UNSPECIFIED;
  for await (const { update } of call) if (update.case === 'classification') status = update.value.status;
  if (status !== Status.DONE) throw new Error(`${name} ended with status ${status}`);
}
