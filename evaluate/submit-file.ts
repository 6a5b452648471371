/** Sends one file through the running daemon, as any client does, and hands back the record of its end. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { AssayClient } from '../src/cli/daemon/client.ts';
import { CliFailure, EXIT_CODES, toFailure } from '../src/cli/terminal/failure.ts';
import type { Classification } from '../src/grpc/gen/assay/v1/classification_pb.ts';
import { ClassificationService } from '../src/grpc/gen/assay/v1/classification_service_pb.ts';
import type { MediaHeaderSchema } from '../src/grpc/gen/assay/v1/media_pb.ts';

export interface Submission {
  header: MessageInitShape<typeof MediaHeaderSchema>;
  bytes: Buffer;
  interrupted: AbortSignal;
}

const CHUNK_BYTES = 256 * 1024;
/** A busy daemon is asked again so often, after growing pauses. */
const ATTEMPTS_MAX = 10;
const PAUSE_SECONDS_MIN = 0.5;
const PAUSE_SECONDS_MAX = 30;

/** Throws a CliFailure if the daemon refuses the file, cannot be reached or stays busy. */
export async function submitFile(client: AssayClient, submission: Submission): Promise<Classification> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await submitOnce(client, submission);
    } catch (error) {
      const wait = error instanceof CliFailure ? error.retryAfterSeconds : null;
      if (wait === null || attempt === ATTEMPTS_MAX) throw error;
      const seconds = Math.min(PAUSE_SECONDS_MAX, Math.max(PAUSE_SECONDS_MIN, wait) * attempt);
      await sleep(seconds * 1000, undefined, { signal: submission.interrupted });
    }
  }
}

async function submitOnce(
  client: AssayClient,
  { header, bytes, interrupted }: Submission,
): Promise<Classification> {
  const call = client.openDuplex(ClassificationService.method.classifyMedia);
  const cancel = () => call.cancel();
  interrupted.addEventListener('abort', cancel, { once: true });
  call.write({ payload: { case: 'header', value: header } });
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    call.write({ payload: { case: 'chunk', value: bytes.subarray(start, start + CHUNK_BYTES) } });
  }
  call.write({ payload: { case: 'commit', value: { sizeBytes: BigInt(bytes.length) } } });
  call.end();
  try {
    let record: Classification | null = null;
    for await (const { update } of call) if (update.case === 'classification') record = update.value;
    if (record !== null) return record;
    throw new CliFailure('the daemon sent no record', EXIT_CODES.someFailed);
  } catch (error) {
    throw toFailure(error, client.address);
  } finally {
    interrupted.removeEventListener('abort', cancel);
  }
}

export async function removeRecord(client: AssayClient, identifier: string): Promise<void> {
  await client.call(ClassificationService.method.deleteClassification, { identifier });
}
