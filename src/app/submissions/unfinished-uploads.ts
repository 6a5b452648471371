/** Uploads that outlive a broken connection: named by the caller, continued by any call of the account, else dropped. */
import type { Account } from '../../domain/accounts/account.ts';
import { AppError, badField, diskFull, tooLarge } from '../../domain/errors.ts';
import { VIDEO_BYTES_MAX } from '../../domain/limits.ts';
import { MICROSECONDS_PER_MS } from '../../domain/time.ts';
import { BlobTooLargeError, isDiskFull } from '../../store/media-writer.ts';
import type { UnfinishedUpload } from '../../store/unfinished-upload.ts';
import { UploadSupersededError } from '../../store/unfinished-uploads.ts';
import type { SubmissionParts } from './parts.ts';
import { atPace } from './upload-pace.ts';
import { cleanName, type ReceivedMedia, receiveBounds, sizeOf, type UploadEnd } from './uploads.ts';

/** For one account: twice what the command line sends at once. */
const UNFINISHED_MAX = 128;
/** For one account, by announced size: room for a busy desk's uploads, not for a second archive. */
const UNFINISHED_BYTES_MAX = 20 * VIDEO_BYTES_MAX;
/** For one account: remembered for callers that missed the answer. */
const COMPLETED_MAX = 256;
/** Long enough that no client uses a counter or a file name by mistake. */
const UPLOAD_ID = /^[\x21-\x7e]{16,128}$/;

export interface UploadName {
  /** Only the caller's account counts here. */
  principal: { account: Pick<Account, 'id'> };
  uploadId: string;
}

export interface BeginInput extends UploadName {
  /** Field of the size, for errors. */
  field: string;
  name: string;
  sizeBytes: number;
  bytesMax?: number | undefined;
  fields?: Record<string, string>;
}

export interface AppendInput extends UploadName {
  /** Field of the bytes, for errors. */
  field: string;
  bytes: AsyncIterable<Uint8Array>;
}

export interface FinishInput extends UploadName {
  /** Field of the size, for errors. */
  field: string;
}

export interface UploadState {
  committedBytes: number;
  sizeBytes: number;
  /** The upload's record. */
  identifier: string | null;
  fields: Readonly<Record<string, string>>;
  name: string;
  /** Microseconds since 1970, both. */
  touchedAt: number;
  expiresAt: number;
}

/** Throws `bad_field` if the name cannot be one. */
export function parseUploadId(uploadId: string, field: string): string {
  if (UPLOAD_ID.test(uploadId)) return uploadId;
  throw badField(field, 'expected 16 to 128 printable ASCII characters without spaces');
}

/** Makes room for a new upload; one of the same name is dropped. */
export async function beginUpload(app: SubmissionParts, input: BeginInput): Promise<void> {
  const { principal, uploadId, field, name, sizeBytes, bytesMax = VIDEO_BYTES_MAX, fields = {} } = input;
  if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 1) {
    throw badField(field, `expected the size of the file in bytes, found ${sizeBytes}`);
  }
  if (sizeBytes > bytesMax) throw tooLarge(field, sizeBytes, bytesMax);
  const accountId = principal.account.id;
  const others = app.store.unfinishedUploads.list(accountId).filter((other) => other.uploadId !== uploadId);
  assertRoom(others, sizeBytes);
  const now = app.clock.now();
  const times = { createdAt: now, touchedAt: now };
  const upload = { accountId, uploadId, name: cleanName(name), sizeBytes, fields, ...times };
  await app.store.unfinishedUploads.create({ ...upload, committedBytes: 0, identifier: null });
}

function assertRoom(others: readonly UnfinishedUpload[], sizeBytes: number): void {
  const open = others.filter(({ identifier }) => identifier === null);
  if (open.length >= UNFINISHED_MAX) {
    throw new AppError('too_many', `the account has ${open.length} unfinished uploads, the maximum`);
  }
  const openBytes = open.reduce((sum, other) => sum + other.sizeBytes, 0);
  if (openBytes + sizeBytes > UNFINISHED_BYTES_MAX) {
    throw new AppError(
      'too_many',
      `the account has unfinished uploads of ${openBytes} bytes, the maximum is ${UNFINISHED_BYTES_MAX}`,
    );
  }
}

/** Resolves with the number of safe bytes. However it ends, arrived bytes are kept, unless the disk is full. */
export async function appendUpload(
  app: SubmissionParts,
  input: AppendInput,
  signal: AbortSignal,
): Promise<number> {
  const { principal, bytes, field } = input;
  const upload = findUpload(app, input);
  if (upload.identifier !== null) return upload.sizeBytes;
  const bounds = { ...receiveBounds(app, principal, upload.sizeBytes), now: () => app.clock.now() };
  const before = upload.committedBytes;
  try {
    await app.store.unfinishedUploads.append(upload, atPace(bytes, sizeOf, { signal }), bounds, signal);
  } catch (error) {
    if (isDiskFull(error)) {
      await app.store.unfinishedUploads.remove(upload);
      throw diskFull(error);
    }
    throw toAppendError(error, field, upload.sizeBytes);
  } finally {
    app.metrics.uploadedBytes.inc(Math.max(0, upload.committedBytes - before));
  }
  return upload.committedBytes;
}

function toAppendError(error: unknown, field: string, sizeBytes: number): unknown {
  if (error instanceof UploadSupersededError) {
    return new AppError('cancelled', error.message, { cause: error });
  }
  if (!(error instanceof BlobTooLargeError)) return error;
  return badField(field, `expected ${sizeBytes} bytes as announced, found at least ${error.readBytes}`);
}

/** The received file; disposing drops it, unless it was submitted or may be submitted again. */
export async function finishUpload(
  app: SubmissionParts,
  input: FinishInput,
  signal: AbortSignal,
): Promise<ReceivedMedia> {
  const upload = findUpload(app, input);
  const { committedBytes, sizeBytes, name } = upload;
  if (committedBytes !== sizeBytes) {
    throw badField(input.field, `stated ${sizeBytes} bytes, received ${committedBytes}`);
  }
  const whole = await app.store.unfinishedUploads.whole(upload, signal);
  let isNeeded = false;
  return {
    ...whole,
    name,
    async noteEnd(outcome: UploadEnd): Promise<void> {
      isNeeded = 'identifier' in outcome || passesByItself(outcome.error);
      if ('identifier' in outcome) await complete(app, upload, outcome.identifier);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      if (!isNeeded) await app.store.unfinishedUploads.remove(upload);
      await whole.release();
    },
  };
}

/** A temporary refusal must not cost the sender the gigabytes again. */
function passesByItself(error: unknown): boolean {
  if (!(error instanceof AppError)) return true;
  const { code, reason } = error;
  return !['invalid_argument', 'permission_denied', 'not_found'].includes(code) && reason !== 'key';
}

async function complete(app: SubmissionParts, upload: UnfinishedUpload, identifier: string): Promise<void> {
  try {
    await app.store.unfinishedUploads.complete(upload, identifier);
    const completed = app.store.unfinishedUploads
      .list(upload.accountId)
      .filter((other) => other.identifier !== null);
    completed.sort((left, right) => left.touchedAt - right.touchedAt);
    for (const old of completed.slice(0, -COMPLETED_MAX)) await app.store.unfinishedUploads.remove(old);
  } catch (error) {
    // The record exists; only a caller that missed the answer would have needed the note.
    app.log.warn({ err: error }, 'what an upload became was not noted');
  }
}

/** Where to continue. A stream that still feeds the upload is ended first, so that the figure stays right. */
export async function queryUpload(app: SubmissionParts, input: UploadName): Promise<UploadState> {
  await app.store.unfinishedUploads.supersede(findUpload(app, input));
  return readUpload(app, input);
}

/** Like queryUpload, beside a stream that may still go on. */
export function readUpload(app: SubmissionParts, input: UploadName): UploadState {
  const { committedBytes, sizeBytes, identifier, fields, name, touchedAt } = findUpload(app, input);
  const expiresAt = touchedAt + app.config.unfinishedUploadMs * MICROSECONDS_PER_MS;
  return { committedBytes, sizeBytes, identifier, fields, name, touchedAt, expiresAt };
}

export async function discardUpload(app: SubmissionParts, input: UploadName): Promise<void> {
  await app.store.unfinishedUploads.remove(findUpload(app, input));
}

/** Throws `upload` for one that is unknown, another account's, or out of time. */
export function findUpload(app: SubmissionParts, { principal, uploadId }: UploadName): UnfinishedUpload {
  const upload = app.store.unfinishedUploads.find(principal.account.id, uploadId);
  if (upload !== undefined && !isStale(app, app.config.unfinishedUploadMs, upload)) return upload;
  throw new AppError('upload', 'no such upload: it was never begun, has ended, or was not continued in time');
}

function isStale(
  { clock }: Pick<SubmissionParts, 'clock'>,
  keptMs: number,
  { touchedAt }: UnfinishedUpload,
): boolean {
  return touchedAt + keptMs * MICROSECONDS_PER_MS < clock.now();
}

/** Removes uploads that no call continued in time; resolves with their number. */
export async function sweepUploads(
  { store, clock }: Pick<SubmissionParts, 'store' | 'clock'>,
  keptMs: number,
): Promise<number> {
  const stale = store.unfinishedUploads.list().filter((upload) => isStale({ clock }, keptMs, upload));
  for (const upload of stale) await store.unfinishedUploads.remove(upload);
  return stale.length;
}
