/** Receives media in one pass, under the largest limit of any kind; accounts take turns at flushing, which is expensive. */
import type { Account } from '../../domain/accounts/account.ts';
import { badField, diskFull, tooLarge } from '../../domain/errors.ts';
import { NAME_CHARACTERS_MAX, VIDEO_BYTES_MAX } from '../../domain/limits.ts';
import type { TemporaryBlob } from '../../store/blobs.ts';
import { BlobTooLargeError, isDiskFull, type ReceiveBounds } from '../../store/media-writer.ts';
import type { SubmissionParts } from './parts.ts';
import { atPace } from './upload-pace.ts';

export interface ReceivedMedia extends TemporaryBlob, AsyncDisposable {
  name: string;
  /** Called before disposal with the outcome of a continuable upload: its record, or why there is none. */
  noteEnd?: (outcome: UploadEnd) => Promise<void>;
}

export type UploadEnd = { identifier: string } | { error: unknown };

export interface ReceiveInput {
  /** Only the caller's account counts here. */
  principal: { account: Pick<Account, 'id'> };
  /** The form field, for errors. */
  field: string;
  name: string;
  bytes: AsyncIterable<Uint8Array>;
  /** The caller's own bound if it knows the kind already. */
  bytesMax?: number | undefined;
}

/** A flush holds one of the runtime's four threads for files; the others serve other work. */
export const FLUSHES_MAX = 2;

/** The disk's bounds for one account's upload. */
export function receiveBounds(
  { flushes, config }: SubmissionParts,
  { account }: ReceiveInput['principal'],
  bytesMax: number,
): Required<ReceiveBounds> {
  const enterFlush = () => flushes.enter(account.id);
  return { bytesMax, freeBytesMin: config.diskFreeBytesMin, enterFlush };
}

/** Streams the bytes to a temporary file. Disposing deletes it, unless a submission has taken it. */
export async function receiveMedia(
  app: SubmissionParts,
  input: ReceiveInput,
  signal: AbortSignal,
): Promise<ReceivedMedia> {
  const { field, name } = input;
  const temporary = await receive(app, input, signal);
  app.metrics.uploadedBytes.inc(temporary.sizeBytes);
  const media: ReceivedMedia = {
    ...temporary,
    name: cleanName(name),
    [Symbol.asyncDispose]: () => app.store.blobs.discard(media),
  };
  if (media.sizeBytes > 0) return media;
  await media[Symbol.asyncDispose]();
  throw badField(field, 'expected a file, found an empty one (0 bytes)');
}

async function receive(
  app: SubmissionParts,
  { principal, field, bytes, bytesMax = VIDEO_BYTES_MAX }: ReceiveInput,
  signal: AbortSignal,
): Promise<TemporaryBlob> {
  try {
    const bounds = receiveBounds(app, principal, bytesMax);
    return await app.store.blobs.receive(atPace(bytes, sizeOf, { signal }), bounds, signal);
  } catch (error) {
    if (error instanceof BlobTooLargeError) throw tooLarge(field, error.readBytes, bytesMax, 'at least ');
    if (isDiskFull(error)) throw diskFull(error);
    throw error;
  }
}

/** Bytes of a piece, for its pace. */
export const sizeOf = ({ byteLength }: Uint8Array): number => byteLength;

/** The last path segment without control characters: a name is shown, never used as a path. */
export function cleanName(name: string): string {
  const base = name.split(/[/\\]/).at(-1) ?? '';
  return base.replace(/\p{Cc}/gu, '').slice(0, NAME_CHARACTERS_MAX);
}
