/** Continues an upload after the connection or the daemon went away. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClassificationService } from '../../grpc/gen/assay/v1/classification_service_pb.ts';
import { CliFailure, isBrokenConnection, isUnknownUpload } from '../terminal/failure.ts';
import type { AssayClient } from './client.ts';
import type { AddressSource, FileSource, StdinSource } from './media-files.ts';

/** A smaller file is sent again faster than the daemon is asked how much it has. */
const RESUMABLE_BYTES_MIN = 16 * 1024 ** 2;
/** Tries without a single new byte: about a minute, in which a daemon is restarted or a cable plugged in again. */
const TRIES_MAX = 8;
const WAIT_MS = 500;
const WAIT_MS_MAX = 15_000;

export interface ResumePoint {
  /** Empty: the upload cannot be continued. */
  uploadId: string;
  offset: number;
  /** The record, if the daemon has accepted the file already; else empty. */
  identifier: string;
}

const FROM_START: ResumePoint = { uploadId: '', offset: 0, identifier: '' };

/** The upload of one file, over all its tries. */
export class ResumableUpload {
  readonly #client: AssayClient;
  readonly #uploadId: string;
  #hasReached = false;

  constructor(client: AssayClient, source: FileSource | StdinSource | AddressSource) {
    this.#client = client;
    const isResumable = source.type === 'file' && source.sizeBytes >= RESUMABLE_BYTES_MIN;
    this.#uploadId = isResumable ? randomUUID() : '';
  }

  /** Repeats the attempt while the connection breaks and some of the file gets through. */
  async run<T>(interrupted: AbortSignal, attempt: (point: ResumePoint) => Promise<T>): Promise<T> {
    let offset = -1;
    for (let tries = 1; ; tries += 1) {
      try {
        const point = await this.#locate();
        if (point.offset > offset) tries = 1;
        offset = Math.max(offset, point.offset);
        return await attempt(point);
      } catch (error) {
        const isWorthIt = this.#hasReached && tries < TRIES_MAX && !interrupted.aborted;
        if (!isWorthIt || !isBrokenConnection(error)) throw error;
        await pause(tries, interrupted, error);
      }
    }
  }

  async #locate(): Promise<ResumePoint> {
    const uploadId = this.#uploadId;
    if (uploadId === '') return FROM_START;
    try {
      const answer = await this.#client.call(ClassificationService.method.queryUpload, { uploadId });
      this.#hasReached = true;
      return { uploadId, offset: Number(answer.committedBytes), identifier: answer.identifier };
    } catch (error) {
      if (!isUnknownUpload(error)) throw error;
      this.#hasReached = true;
      return { ...FROM_START, uploadId };
    }
  }
}

async function pause(tries: number, interrupted: AbortSignal, error: unknown): Promise<void> {
  const waitMs = Math.min(WAIT_MS_MAX, WAIT_MS * 2 ** (tries - 1));
  await sleep(waitMs, undefined, { signal: interrupted }).catch(() => {
    throw error instanceof CliFailure ? error : new CliFailure('interrupted', 1, { cause: error });
  });
}
