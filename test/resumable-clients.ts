/** Clients that can be stopped half-way and go on: over gRPC with an upload id, and tus-js-client. */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';

import { credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { Upload, type UploadOptions } from 'tus-js-client';
import type { Classification } from '../src/grpc/gen/assay/v1/classification_pb.ts';
import {
  ClassificationService,
  type QueryUploadResponse,
} from '../src/grpc/gen/assay/v1/classification_service_pb.ts';
import { MediaKind } from '../src/grpc/gen/assay/v1/media_pb.ts';
import { TEST_KEY } from './daemon.ts';
import type { BigFile } from './media/big-media.ts';
import { openServiceClient, type ServiceClient } from './service-client.ts';

const CHUNK_BYTES = 256 * 1024;

export interface GrpcTry {
  file: BigFile;
  uploadId: string;
  offset?: number;
  /** Cancels the call once so many bytes of the file are sent. */
  stopAt?: number;
  sha256?: string;
}

export class GrpcUploader implements Disposable {
  readonly #client: ServiceClient<typeof ClassificationService>;
  readonly #metadata = new Metadata();

  constructor(address: string, key = TEST_KEY) {
    this.#client = openServiceClient(ClassificationService, address, credentials.createInsecure());
    this.#metadata.set('x-api-key', key);
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }

  /** The record, or the error that the call ended with; null where it was stopped. */
  async send({
    file,
    uploadId,
    offset = 0,
    stopAt,
    sha256 = file.sha256,
  }: GrpcTry): Promise<Classification | Error | null> {
    const { promise, resolve } = Promise.withResolvers<Classification | Error>();
    const gone = new AbortController();
    const call = this.#client.submitMedia(this.#metadata, {}, (error, answer) => {
      gone.abort();
      resolve(error ?? answer?.classification ?? new Error('no record'));
    });
    call.on('error', () => {});
    const sizeBytes = BigInt(file.sizeBytes);
    const header = { name: 'big.mp4', kind: MediaKind.VIDEO, sizeBytes, uploadId, offset: BigInt(offset) };
    const end = stopAt ?? file.sizeBytes;
    try {
      call.write({ payload: { case: 'header', value: header } });
      if (end > offset) {
        const pieces = createReadStream(file.path, {
          start: offset,
          end: end - 1,
          highWaterMark: CHUNK_BYTES,
        });
        for await (const value of pieces) {
          if (!call.write({ payload: { case: 'chunk', value } }))
            await once(call, 'drain', { signal: gone.signal });
        }
      }
      if (stopAt !== undefined) {
        call.cancel();
        await promise;
        return null;
      }
      call.write({ payload: { case: 'commit', value: { sizeBytes, sha256 } } });
      call.end();
    } catch (error) {
      if (!gone.signal.aborted) throw error;
    }
    return await promise;
  }

  query(uploadId: string): Promise<QueryUploadResponse | ServiceError> {
    const { promise, resolve, reject } = Promise.withResolvers<QueryUploadResponse | ServiceError>();
    this.#client.queryUpload({ uploadId }, this.#metadata, {}, (error, answer) => {
      if (error !== null) resolve(error);
      else if (answer !== undefined) resolve(answer);
      else reject(new Error('no answer'));
    });
    return promise;
  }

  /** The bytes that are safe; fails where the upload is unknown. */
  async committed(uploadId: string): Promise<number> {
    const answer = await this.query(uploadId);
    if (answer instanceof Error) throw answer;
    return Number(answer.committedBytes);
  }
}

export interface TusTry {
  origin: string;
  file: BigFile;
  /** Address of an upload to continue. */
  url?: string;
  /** Stops once so many bytes were sent. */
  stopAt?: number;
  key?: string;
  options?: Partial<UploadOptions>;
}

export interface TusEnd {
  url: string;
  /** Null where it was stopped. */
  identifier: string | null;
  /** Where the first piece of this try began. */
  startedAt: number;
}

export async function sendByTus({
  origin,
  file,
  url,
  stopAt,
  key = TEST_KEY,
  options,
}: TusTry): Promise<TusEnd> {
  const { promise, resolve, reject } = Promise.withResolvers<string | null>();
  let startedAt = -1;
  // The library reads files by such a stream on Node, which its types do not say.
  const source: unknown = createReadStream(file.path);
  const upload = new Upload(source as Upload['file'], {
    endpoint: `${origin}/files`,
    uploadSize: file.sizeBytes,
    headers: { 'x-api-key': key },
    metadata: { filename: 'big.mp4', kind: 'video', ref_id: 'by tus' },
    retryDelays: null,
    ...(url === undefined ? {} : { uploadUrl: url }),
    onProgress(sent) {
      if (startedAt < 0) startedAt = sent;
      if (stopAt === undefined || sent < stopAt) return;
      upload.abort().then(() => resolve(null), reject);
    },
    onSuccess: ({ lastResponse }) => resolve(lastResponse.getHeader('assay-identifier') ?? ''),
    onError: reject,
    ...options,
  });
  upload.start();
  const identifier = await promise;
  return { url: upload.url ?? '', identifier, startedAt };
}
