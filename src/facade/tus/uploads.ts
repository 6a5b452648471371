/** The uploads as the tus library sees them: its calls, turned into those of the app. */
import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { DataStore, Upload } from '@tus/server';
import type { App } from '../../app/appliance/app.ts';
import type { Principal } from '../../app/callers/principal.ts';
import {
  appendUpload,
  discardUpload,
  readUpload,
  type UploadName,
} from '../../app/submissions/unfinished-uploads.ts';
import { MICROSECONDS_PER_MS } from '../../domain/time.ts';

const ID_BYTES = 16;
const NAME_DEFAULT = 'unnamed';
/** Field that a fault of the bytes themselves names. */
const BYTES_FIELD = 'body';

/** The library's name for a file: it holds the account, because the library hands its store a name and not a caller. */
export function fileNameOf({ account }: Principal, uploadId = randomBytes(ID_BYTES).toString('hex')): string {
  return `${account.id}.${uploadId}`;
}

export function uploadNameOf(fileName: string): UploadName {
  const at = fileName.indexOf('.');
  return { principal: { account: { id: Number(fileName.slice(0, at)) } }, uploadId: fileName.slice(at + 1) };
}

/** The metadata of an upload as fields of a submission; tus clients call the name of a file `filename`. */
export function toFields(metadata: Readonly<Record<string, string | null>>): {
  name: string;
  fields: Record<string, string>;
} {
  const { name, filename, ...rest } = metadata;
  // A key without a value is a flag that is set.
  const entries = Object.entries(rest).map(([key, value]) => [key, value ?? 'true'] as const);
  return { name: name ?? filename ?? NAME_DEFAULT, fields: Object.fromEntries(entries) };
}

export class UploadStore extends DataStore {
  readonly #app: App;
  readonly #expirationMs: number;

  constructor(app: App, expirationMs: number) {
    super();
    this.#app = app;
    this.#expirationMs = expirationMs;
    this.extensions = ['creation', 'creation-with-upload', 'termination', 'expiration'];
  }

  /** The upload was begun before, where the caller is known. */
  override async create(upload: Upload): Promise<Upload> {
    return upload;
  }

  override async getUpload(fileName: string): Promise<Upload> {
    const { committedBytes, sizeBytes, touchedAt, fields, name } = readUpload(
      this.#app,
      uploadNameOf(fileName),
    );
    return new Upload({
      id: fileName,
      size: sizeBytes,
      offset: committedBytes,
      metadata: { name, ...fields },
      creation_date: new Date(touchedAt / MICROSECONDS_PER_MS).toISOString(),
    });
  }

  override async write(source: Readable, fileName: string, _offset: number): Promise<number> {
    const upload = { ...uploadNameOf(fileName), field: BYTES_FIELD, bytes: source };
    // The library ends the source when the caller is gone, or when another call takes over.
    return await appendUpload(this.#app, upload, new AbortController().signal);
  }

  override async remove(fileName: string): Promise<void> {
    await discardUpload(this.#app, uploadNameOf(fileName));
  }

  override getExpiration(): number {
    return this.#expirationMs;
  }
}
