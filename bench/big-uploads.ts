/** Uploads of a gigabyte, against Assay or the bare servers alike; each answers with the upload's speed in MB/s. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { AssayClient } from '../src/cli/daemon/client.ts';
import type { Classification } from '../src/grpc/gen/assay/v1/classification_pb.ts';
import { ClassificationService } from '../src/grpc/gen/assay/v1/classification_service_pb.ts';
import { MediaKind } from '../src/grpc/gen/assay/v1/media_pb.ts';
import { TEST_KEY } from '../test/daemon.ts';
import type { BigMedia } from './big-media.ts';

const BOUNDARY = 'assay-bench-boundary';
const MB = 1_000_000;
const WAIT_MS = 100;

export interface TimedUpload {
  speed: number;
  /** The identifier, if Assay answers. */
  identifier: string;
}

export async function uploadByRest(origin: string, media: BigMedia): Promise<TimedUpload> {
  const head = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="video"; filename="bench.mp4"\r\n\r\n`;
  const end = `\r\n--${BOUNDARY}--\r\n`;
  const startedAt = performance.now();
  const outgoing = request(`${origin}/api/classification_video`, {
    method: 'POST',
    headers: {
      'x-api-key': TEST_KEY,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      'content-length': head.length + media.sizeBytes + end.length,
    },
  });
  const answered = once(outgoing, 'response');
  outgoing.write(head);
  for (const chunk of media.chunks()) if (!outgoing.write(chunk)) await once(outgoing, 'drain');
  outgoing.end(end);
  const [response] = (await answered) as [IncomingMessage];
  const identifier = (await text(response)).trim();
  if (response.statusCode !== 200) throw new Error(`an upload was answered: ${identifier}`);
  return { speed: speedOf(media, startedAt), identifier };
}

export async function uploadByGrpc(client: AssayClient, media: BigMedia): Promise<TimedUpload> {
  const startedAt = performance.now();
  const { call, answer } = client.openUpload(ClassificationService.method.submitMedia);
  const sizeBytes = BigInt(media.sizeBytes);
  const header = { name: 'bench.mp4', kind: MediaKind.VIDEO, sizeBytes };
  call.write({ payload: { case: 'header', value: header } });
  for (const value of media.chunks()) {
    if (!call.write({ payload: { case: 'chunk', value } })) await once(call, 'drain');
  }
  call.write({ payload: { case: 'commit', value: { sizeBytes } } });
  call.end();
  const { classification } = await answer;
  return { speed: speedOf(media, startedAt), identifier: (classification as Classification).identifier };
}

function speedOf({ sizeBytes }: BigMedia, startedAt: number): number {
  return sizeBytes / MB / ((performance.now() - startedAt) / 1000);
}

/** Its analysis would take the cores from the next upload, and its bytes the disk. */
export async function forget(client: AssayClient, { identifier }: TimedUpload): Promise<void> {
  const { method } = ClassificationService;
  for await (const _ of client.receive(method.watchClassification, { identifier }));
  await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  await client.call(method.deleteClassification, { identifier });
}
