/** Sends files through ClassifyMedia, each until its record has ended, as the command line does. */
import { credentials } from '@grpc/grpc-js';
import { AssayClient } from '../src/cli/daemon/client.ts';
import type { MediaHeaderInit } from '../src/cli/daemon/upload.ts';
import { Status, type StepTime } from '../src/grpc/gen/assay/v1/classification_pb.ts';
import { ClassificationService } from '../src/grpc/gen/assay/v1/classification_service_pb.ts';
import { TEST_KEY, type TestDaemon } from '../test/daemon.ts';
import { inParallel } from './in-parallel.ts';
import { timeWork, type WorkTime } from './timed-work.ts';

const CHUNK_BYTES = 256 * 1024;

export interface ClassifiedMedia extends WorkTime {
  filesPerSecond: number;
  /** Seconds from the first byte of each file to its ended record. */
  fileSeconds: number[];
  /** The step times of each file. */
  stepTimes: StepTime[][];
}

export async function classifyMedia(
  daemon: TestDaemon,
  files: readonly Buffer[],
  { hands, header }: { hands: number; header: MediaHeaderInit },
): Promise<ClassifiedMedia> {
  using client = new AssayClient(
    { address: daemon.grpc, credentials: credentials.createInsecure() },
    TEST_KEY,
  );
  const stepTimes: StepTime[][] = [];
  const fileSeconds: number[] = [];
  const time = await timeWork(daemon.process.pid ?? 0, () =>
    inParallel(files, hands, async (bytes, index) => {
      const startedAt = performance.now();
      stepTimes[index] = await classifyOne(client, bytes, { ...header, name: `${index}` });
      fileSeconds[index] = (performance.now() - startedAt) / 1000;
    }),
  );
  return { ...time, filesPerSecond: files.length / time.seconds, fileSeconds, stepTimes };
}

async function classifyOne(client: AssayClient, bytes: Buffer, header: MediaHeaderInit): Promise<StepTime[]> {
  const call = client.openDuplex(ClassificationService.method.classifyMedia);
  call.write({ payload: { case: 'header', value: header } });
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    call.write({ payload: { case: 'chunk', value: bytes.subarray(start, start + CHUNK_BYTES) } });
  }
  call.write({ payload: { case: 'commit', value: { sizeBytes: BigInt(bytes.length) } } });
  call.end();
  let status: Status = Status.UNSPECIFIED;
  let stepTimes: StepTime[] = [];
  for await (const { update } of call) {
    if (update.case === 'classification') ({ status, stepTimes } = update.value);
  }
  if (status !== Status.DONE) throw new Error(`${header.name} ended with status ${status}`);
  return stepTimes;
}
