/**
 * Receiving media: one pass over the bytes, at most `uploadsMax` at once (the others wait, their senders held by
 * backpressure), under the largest limit of any kind. What the form says is judged later.
 */
import { AppError, badField } from '../domain/errors.ts';
import { NAME_CHARACTERS_MAX, VIDEO_BYTES_MAX } from '../domain/limits.ts';
import type { TemporaryBlob } from '../store/blobs.ts';
import { BlobTooLargeError, isDiskFull } from '../store/media-writer.ts';
import type { App } from './app.ts';
import { Turnstile } from './turnstile.ts';

export interface ReceivedMedia extends TemporaryBlob, AsyncDisposable {
  name: string;
  /** Of an upload that can be continued: told which record it became, or why none, before it is disposed. */
  noteOutcome?: (outcome: UploadOutcome) => Promise<void>;
}

export type UploadOutcome = { identifier: string } | { error: unknown };

export interface ReceiveInput {
  /** The form field, for errors. */
  field: string;
  name: string;
  bytes: AsyncIterable<Uint8Array>;
  /** The caller's own bound where it knows the kind already. */
  bytesMax?: number | undefined;
}

const turnstiles = new WeakMap<App, Turnstile>();

/** Waits for one of the `uploadsMax` places; disposing the turn gives it back. */
export async function enterUploads(app: App, signal: AbortSignal): Promise<Disposable> {
  const turnstile = turnstiles.get(app) ?? new Turnstile(app.config.uploadsMax);
  turnstiles.set(app, turnstile);
  return await turnstile.enter(signal);
}

/** Streams the bytes to a temporary file. Disposing deletes it, unless a submission has taken it. */
export async function receiveMedia(
  app: App,
  { field, name, bytes, bytesMax = VIDEO_BYTES_MAX }: ReceiveInput,
  signal: AbortSignal,
): Promise<ReceivedMedia> {
  await assertAcceptsWork(app);
  using _turn = await enterUploads(app, signal);
  const temporary = await receive(app, field, bytes, bytesMax, signal);
  app.metrics.uploadedBytes.inc(temporary.sizeBytes);
  const media: ReceivedMedia = {
    ...temporary,
    name: cleanName(name),
    [Symbol.asyncDispose]: () => app.store.blobs.discard(temporary),
  };
  if (media.sizeBytes > 0) return media;
  await media[Symbol.asyncDispose]();
  throw badField(field, 'expected a file, found an empty one (0 bytes)');
}

async function receive(
  app: App,
  field: string,
  bytes: AsyncIterable<Uint8Array>,
  bytesMax: number,
  signal: AbortSignal,
): Promise<TemporaryBlob> {
  try {
    const freeBytesMin = app.config.diskFreeBytesMin;
    return await app.store.blobs.receive(bytes, { bytesMax, freeBytesMin }, signal);
  } catch (error) {
    if (error instanceof BlobTooLargeError) throw tooLarge(field, error.readBytes, bytesMax, 'at least ');
    if (isDiskFull(error)) throw diskFull(error);
    throw error;
  }
}

export function tooLarge(field: string, actualBytes: number, maximumBytes: number, qualifier = ''): AppError {
  const description = `the file has ${qualifier}${actualBytes} bytes, the maximum is ${maximumBytes} bytes`;
  return new AppError('too_large', description, {
    fields: [{ field, description }],
    metadata: { actual_bytes: String(actualBytes), maximum_bytes: String(maximumBytes) },
  });
}

const DISK_RETRY_SECONDS = 60;

export function diskFull(cause?: unknown): AppError {
  return new AppError('disk_full', 'the disk is full: no new work is accepted until space is free', {
    retryAfterSeconds: DISK_RETRY_SECONDS,
    cause,
  });
}

/** Refuses new work before the disk bites, also by what is announced to come, and while the daemon stops. */
export async function assertAcceptsWork(app: App, announcedBytes = 0): Promise<void> {
  if (app.engine.phase === 'draining') {
    throw new AppError('draining', 'the daemon is stopping; try again in a moment', {
      retryAfterSeconds: 10,
    });
  }
  if ((await app.store.freeBytes()) - announcedBytes < app.config.diskFreeBytesMin) throw diskFull();
}

/** The last path segment without control characters: a name is shown, never used as a path. */
export function cleanName(name: string): string {
  const base = name.split(/[/\\]/).at(-1) ?? '';
  return base.replace(/\p{Cc}/gu, '').slice(0, NAME_CHARACTERS_MAX);
}
