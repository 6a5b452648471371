/** Sends a file or standard input and hashes it in one pass; if it shrinks or grows meanwhile, what was sent is committed. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { addAbortSignal, type Readable, type Writable } from 'node:stream';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ClassifyMediaRequestSchema } from '../../grpc/gen/assay/v1/classification_service_pb.ts';
import type { MediaHeaderSchema } from '../../grpc/gen/assay/v1/media_pb.ts';
import type { AddressSource, FileSource, StdinSource } from './media-files.ts';
import type { ResumePoint } from './resume.ts';

/** The size that the interface recommends: larger chunks hold more memory per upload, smaller ones cost more calls. */
const CHUNK_BYTES = 256 * 1024;

export type MediaHeaderInit = Exclude<MessageInitShape<typeof MediaHeaderSchema>, { $typeName: string }>;
type MediaMessage = MessageInitShape<typeof ClassifyMediaRequestSchema>;

export interface UploadTarget {
  /** Takes the messages of any of the three upload calls: their fields are the same. The sender waits whenever it is full. */
  call: Writable;
  onSent: (sentBytes: number) => void;
}

/** Resolves when the commit is written. The signal must abort when the call ends early, or the sender waits in vain. */
export async function sendMedia(
  source: FileSource | StdinSource | AddressSource,
  header: MediaHeaderInit,
  target: UploadTarget,
  options: { stdin: Readable; signal: AbortSignal; resume?: Pick<ResumePoint, 'uploadId' | 'offset'> },
): Promise<void> {
  const { signal, resume = { uploadId: '', offset: 0 } } = options;
  const send = async (message: MediaMessage) => {
    signal.throwIfAborted();
    if (!target.call.write(message)) await once(target.call, 'drain', { signal });
  };
  const hash = createHash('sha256');
  if (source.type === 'address') {
    await send({ payload: { case: 'header', value: header } });
    await send({ payload: { case: 'commit', value: {} } });
    target.call.end();
    return;
  }
  let sentBytes = 0;
  const sizeBytes = source.type === 'file' ? BigInt(source.sizeBytes) : 0n;
  const { uploadId, offset } = resume;
  const value = { ...header, name: source.name, sizeBytes, uploadId, offset: BigInt(offset) };
  await send({ payload: { case: 'header', value } });
  for await (const bytes of readChunks(source, options.stdin, signal)) {
    // Bytes that the daemon has already are only hashed: the commit names the hash of the whole file.
    hash.update(bytes);
    const known = Math.min(bytes.length, Math.max(0, offset - sentBytes));
    sentBytes += bytes.length;
    if (known === bytes.length) continue;
    await send({ payload: { case: 'chunk', value: bytes.subarray(known) } });
    target.onSent(sentBytes);
  }
  await send({
    payload: { case: 'commit', value: { sizeBytes: BigInt(sentBytes), sha256: hash.digest('hex') } },
  });
  target.call.end();
}

async function* readChunks(
  source: FileSource | StdinSource,
  stdin: Readable,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const stream =
    source.type === 'file'
      ? createReadStream(source.file, { highWaterMark: CHUNK_BYTES, signal })
      : addAbortSignal(signal, stdin);
  for await (const bytes of stream) {
    // A pipe yields pieces of any size; a message must stay small.
    for (let start = 0; start < bytes.length; start += CHUNK_BYTES)
      yield bytes.subarray(start, start + CHUNK_BYTES);
  }
}
