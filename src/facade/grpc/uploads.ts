/** Header, chunks, commit, end: to grpc-js a cancelled stream looks finished, so an uncommitted one is broken off. */
import type { App } from '../../app/appliance/app.ts';
import { admitMedia, type MediaIntent } from '../../app/callers/admission.ts';
import type { Principal } from '../../app/callers/principal.ts';
import type { RawFields } from '../../app/field-parsers.ts';
import {
  appendUpload,
  beginUpload,
  finishUpload,
  parseUploadId,
  queryUpload,
} from '../../app/submissions/unfinished-uploads.ts';
import { atPace } from '../../app/submissions/upload-pace.ts';
import { type ReceivedMedia, receiveMedia } from '../../app/submissions/uploads.ts';
import { AppError, badField, tooLarge } from '../../domain/errors.ts';
import { isHex64 } from '../../domain/identifiers.ts';
import type { MediaKind } from '../../domain/media/media.ts';
import { type MediaCommit, type MediaHeader, MediaHeaderSchema } from '../../grpc/gen/assay/v1/media_pb.ts';
import { fromMessage } from '../../grpc/messages.ts';
import { fromKind, passUnlisted } from './enums.ts';

/** The fields that the requests of all uploads share. */
export interface MediaMessage {
  payload:
    | { case: 'header'; value: MediaHeader }
    | { case: 'chunk'; value: Uint8Array }
    | { case: 'commit'; value: MediaCommit }
    | { case: undefined; value?: undefined };
}

export interface Upload {
  header: MediaHeader;
  kind: MediaKind | undefined;
  /** Undefined if the header names an address instead. */
  media: ReceivedMedia | undefined;
}

export interface UploadInput {
  principal: Principal;
  messages: AsyncIterator<MediaMessage, unknown>;
}

/** The field that a fault of the bytes belongs to. */
export const MEDIA_FIELD = 'chunk';

/** Gives `look` a file that is neither kept nor analysed. `expected` is the answer to a caller who sends an address instead. */
export async function lookAtUpload<T>(
  app: App,
  { principal, messages, expected }: UploadInput & { expected: string },
  signal: AbortSignal,
  look: (input: { principal: Principal; field: string; media: ReceivedMedia }) => Promise<T>,
): Promise<T> {
  await admitMedia(app, principal, { purpose: 'validate' });
  using _upload = app.openUploads.open(principal.account.id);
  const { media } = await receiveUpload(app, { principal, messages, purpose: 'validate' }, signal);
  await using _media = media;
  if (media === undefined)
    throw badField('header.source_url', `expected ${expected} in chunks, found an address`);
  return await look({ principal, field: MEDIA_FIELD, media });
}

/** Returns after the commit and the end of the stream; the caller disposes the media. */
export async function receiveUpload(
  app: App,
  { principal, messages, purpose }: UploadInput & Pick<MediaIntent, 'purpose'>,
  signal: AbortSignal,
): Promise<Upload> {
  using stream = new UploadStream(messages);
  const header = await stream.readHeader();
  const kind = fromKind(header.kind, 'header.kind');
  const { requestId } = header;
  await admitMedia(app, principal, { purpose, kind, announcedBytes: Number(header.sizeBytes), requestId });
  if (header.sourceUrl !== '') {
    await receiveNothing(stream, header);
    return { header, kind, media: undefined };
  }
  const bytesMax = kind === undefined ? undefined : principal.plan.fileBytesMax[kind];
  assertPlausible(header, bytesMax);
  const input = { principal, field: MEDIA_FIELD, name: header.name, bytes: stream.readChunks(), bytesMax };
  const media =
    header.uploadId === ''
      ? await receiveMedia(app, input, signal)
      : await receiveResumable(app, { ...input, header }, signal);
  try {
    assertSame('header', media, header.sizeBytes, header.sha256, header.sizeBytes !== 0n);
    assertSame('commit', media, stream.commit.sizeBytes, stream.commit.sha256, true);
  } catch (error) {
    await media[Symbol.asyncDispose]();
    throw error;
  }
  return { header, kind, media };
}

/** The header under the names of docs/interface.md, for the app's own parsing. */
export function toFields(header: MediaHeader): RawFields {
  const { options, source_url, ...said } = fromMessage(MediaHeaderSchema, header, passUnlisted);
  return { ...said, file_url: source_url, ...(options as RawFields | undefined) };
}

class UploadStream implements Disposable {
  readonly #messages: AsyncGenerator<MediaMessage>;
  #commit: MediaCommit | undefined;

  constructor(messages: AsyncIterator<MediaMessage, unknown>) {
    this.#messages = atPace({ [Symbol.asyncIterator]: () => messages }, bytesOf);
  }

  [Symbol.dispose](): void {
    // Never rejects; it gives up what it still waits for.
    void this.#messages.return(undefined);
  }

  get commit(): MediaCommit {
    if (this.#commit === undefined) throw new Error('the commit is read after the chunks');
    return this.#commit;
  }

  async readHeader(): Promise<MediaHeader> {
    const first = await this.#next();
    if (first?.case === 'header') return first.value;
    throw badField('header', `expected the header as the first message, found ${nameOf(first)}`);
  }

  async *readChunks(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const payload = await this.#next();
      if (payload?.case === 'chunk') yield payload.value;
      else if (payload?.case === 'commit') return await this.#end(payload.value);
      else throw badField(...misplaced(payload));
    }
  }

  async #end(commit: MediaCommit): Promise<void> {
    const more = await this.#next();
    if (more !== undefined) {
      throw badField(more.case ?? 'payload', `expected nothing after the commit, found ${nameOf(more)}`);
    }
    this.#commit = commit;
  }

  /** Undefined at the end of the stream. */
  async #next(): Promise<MediaMessage['payload'] | undefined> {
    try {
      const { done, value } = await this.#messages.next();
      return done === true ? undefined : value.payload;
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw new AppError('cancelled', 'the upload was cut off', { cause: error });
    }
  }
}

function bytesOf({ payload }: MediaMessage): number {
  return payload.case === 'chunk' ? payload.value.byteLength : 0;
}

function nameOf(payload: MediaMessage['payload'] | undefined): string {
  if (payload === undefined) return 'the end of the stream';
  return payload.case === undefined ? 'an empty message' : `a ${payload.case}`;
}

function misplaced(payload: MediaMessage['payload'] | undefined): [field: string, description: string] {
  if (payload === undefined) return ['commit', 'expected a commit before the end of the stream, found none'];
  if (payload.case === 'header') return ['header', 'expected one header, found another'];
  return ['payload', `expected a chunk or the commit, found ${nameOf(payload)}`];
}

async function receiveNothing(stream: UploadStream, header: MediaHeader): Promise<void> {
  if (header.sizeBytes !== 0n) throw badField('header.size_bytes', 'expected none beside header.source_url');
  if (header.sha256 !== '') throw badField('header.sha256', 'expected none beside header.source_url');
  if (header.uploadId !== '') throw badField('header.upload_id', 'expected none beside header.source_url');
  for await (const _ of stream.readChunks()) {
    throw badField(MEDIA_FIELD, 'expected no chunk beside header.source_url');
  }
  const { sizeBytes, sha256 } = stream.commit;
  if (sizeBytes !== 0n) throw badField('commit.size_bytes', `expected 0 for an address, found ${sizeBytes}`);
  if (sha256 !== '') throw badField('commit.sha256', 'expected none for an address');
}

/** Refuses an upload that cannot succeed before a byte of it is read. */
function assertPlausible(header: MediaHeader, bytesMax: number | undefined): void {
  const { sizeBytes, sha256, uploadId, offset } = header;
  if (uploadId === '' && offset !== 0n) {
    throw badField('header.offset', `expected 0 without header.upload_id, found ${offset}`);
  }
  if (sizeBytes < 0n) throw badField('header.size_bytes', `expected 0 or more, found ${sizeBytes}`);
  if (sha256 !== '' && !isHex64(sha256.toLowerCase())) {
    throw badField('header.sha256', 'expected 64 hex characters');
  }
  if (bytesMax !== undefined && sizeBytes > BigInt(bytesMax)) {
    throw tooLarge('header.size_bytes', Number(sizeBytes), bytesMax);
  }
}

function assertSame(
  part: 'header' | 'commit',
  media: ReceivedMedia,
  sizeBytes: bigint,
  sha256: string,
  isSizeStated: boolean,
): void {
  if (isSizeStated && sizeBytes !== BigInt(media.sizeBytes)) {
    throw badField(`${part}.size_bytes`, `stated ${sizeBytes} bytes, received ${media.sizeBytes}`);
  }
  if (sha256 !== '' && sha256.toLowerCase() !== media.hash) {
    throw badField(`${part}.sha256`, `does not match what was received, which has ${media.hash}`);
  }
}

interface ResumableInput {
  principal: Principal;
  header: MediaHeader;
  bytes: AsyncIterable<Uint8Array>;
  /** The field of the bytes, for errors. */
  field: string;
  bytesMax: number | undefined;
}

/** Begins or continues the upload at the header's offset; resolves once the file is whole. */
async function receiveResumable(
  app: App,
  { principal, header, bytes, field, bytesMax }: ResumableInput,
  signal: AbortSignal,
): Promise<ReceivedMedia> {
  const uploadId = parseUploadId(header.uploadId, 'header.upload_id');
  const sizeField = 'header.size_bytes';
  if (header.offset === 0n) {
    const { name, sizeBytes } = header;
    const upload = { principal, uploadId, field: sizeField, name, sizeBytes: Number(sizeBytes), bytesMax };
    await beginUpload(app, upload);
  } else await assertContinues(app, { principal, uploadId, header });
  await appendUpload(app, { principal, uploadId, field, bytes }, signal);
  return await finishUpload(app, { principal, uploadId, field: sizeField }, signal);
}

async function assertContinues(
  app: App,
  { principal, uploadId, header }: { principal: Principal; uploadId: string; header: MediaHeader },
): Promise<void> {
  const { committedBytes, sizeBytes } = await queryUpload(app, { principal, uploadId });
  if (header.offset !== BigInt(committedBytes)) {
    const expected = `${committedBytes}, the committed bytes, or 0 to begin anew`;
    throw badField('header.offset', `expected ${expected}, found ${header.offset}`);
  }
  if (header.sizeBytes !== BigInt(sizeBytes)) {
    throw badField(
      'header.size_bytes',
      `expected ${sizeBytes} as announced before, found ${header.sizeBytes}`,
    );
  }
}
