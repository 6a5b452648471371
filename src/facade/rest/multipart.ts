/** Reads a form in one pass: the file is handed on as it comes, fields are judged at the end, since order is free. */
import type { Multipart } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import type { App } from '../../app/appliance/app.ts';
import type { Principal } from '../../app/callers/principal.ts';
import type { RawFields } from '../../app/field-parsers.ts';
import { atPace } from '../../app/submissions/upload-pace.ts';
import { type ReceivedMedia, receiveMedia } from '../../app/submissions/uploads.ts';
import { codeOf } from '../../domain/error-code.ts';
import { AppError, badField } from '../../domain/errors.ts';
import { principalOf } from '../../port/caller.ts';

/** A form has 14 documented fields; many more is a mistake or an attack on the parser. */
export const PARTS_MAX = 32;
/** Longest documented field is an address of 2048 characters. */
export const FIELD_BYTES_MAX = 16 * 1024;
const FIELD_NAME_BYTES_MAX = 100;
const PART_HEADERS_MAX = 16;
const NAME_DEFAULT = 'unnamed';

/** Limits for @fastify/multipart. receiveMedia bounds the file itself: here a cut file would look like a whole one. */
export const MULTIPART_LIMITS = {
  parts: PARTS_MAX,
  fields: PARTS_MAX,
  files: PARTS_MAX,
  fieldSize: FIELD_BYTES_MAX,
  fieldNameSize: FIELD_NAME_BYTES_MAX,
  headerPairs: PART_HEADERS_MAX,
  fileSize: Number.POSITIVE_INFINITY,
};

/** Clients that send a picture without a name give its type: such a part is a file, too. */
export function isFilePart(
  _field: string | undefined,
  type: string | undefined,
  name: string | undefined,
): boolean {
  return name !== undefined || /^(?:image|audio|video)\/|^application\/octet-stream$/i.test(type ?? '');
}

export interface FormSpec {
  /** Field that faults of the form itself belong to. */
  field: string;
  /** Field that carries the file, or null if the form has none. */
  fileField: string | null;
  /** Gets the fields before the file and may refuse it before a byte of it is read. */
  beforeFile?: (fields: RawFields) => Promise<void>;
}

/** Disposing deletes the received file unless it was submitted. */
export interface Form extends AsyncDisposable {
  fields: Record<string, unknown>;
  media: ReceivedMedia | undefined;
  /** Fields that carried a file under another name than the form has. */
  ignoredFiles: readonly string[];
}

type FilePart = Extract<Multipart, { type: 'file' }>;
type FieldPart = Extract<Multipart, { type: 'field' }>;

export async function receiveForm(
  app: App,
  request: FastifyRequest,
  spec: FormSpec,
  signal: AbortSignal,
): Promise<Form> {
  if (!request.isMultipart()) throw badField(spec.field, 'send the form as multipart/form-data');
  const reader = new FormReader(app, principalOf(request), spec, signal);
  try {
    // A form of many small fields has a pace to keep, too.
    for await (const part of atPace(request.parts(), bytesOf, { signal })) await reader.take(part);
    if (signal.aborted) throw departureOf(signal);
    return reader;
  } catch (error) {
    await reader[Symbol.asyncDispose]();
    throw error instanceof AppError ? error : toFormError(error, spec, signal);
  } finally {
    // Whatever the form's end was, the rest of the body must be read off, or the client never sees the answer.
    request.raw.unpipe();
    request.raw.resume();
  }
}

/** Counts fields only, since a file has its own pace while it is read. */
const bytesOf = (part: Multipart): number => (part.type === 'field' ? String(part.value).length : 0);

class FormReader implements Form {
  readonly fields: Record<string, unknown> = Object.create(null);
  media: ReceivedMedia | undefined;
  readonly ignoredFiles: string[] = [];
  readonly #app: App;
  readonly #principal: Principal;
  readonly #spec: FormSpec;
  readonly #signal: AbortSignal;

  constructor(app: App, principal: Principal, spec: FormSpec, signal: AbortSignal) {
    this.#app = app;
    this.#principal = principal;
    this.#spec = spec;
    this.#signal = signal;
  }

  async take(part: Multipart): Promise<void> {
    if (part.type === 'field') this.#takeField(part);
    else await this.#takeFile(part);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.media?.[Symbol.asyncDispose]();
  }

  #takeField(part: FieldPart): void {
    const { fieldname, value } = part;
    if (part.fieldnameTruncated) throw badField(this.#spec.field, 'a field name of the form is too long');
    if (part.valueTruncated) throw badField(fieldname, `expected at most ${FIELD_BYTES_MAX} bytes`);
    if (fieldname === this.#spec.fileField) {
      throw badField(
        fieldname,
        'expected a file, found a plain field: give the part a file name or its type',
      );
    }
    this.fields[fieldname] = value;
  }

  async #takeFile(part: FilePart): Promise<void> {
    if (part.fieldname !== this.#spec.fileField) {
      // The file is read off so that the parts after it are reached.
      this.ignoredFiles.push(part.fieldname);
      part.file.resume();
      return;
    }
    if (this.media !== undefined) throw badField(part.fieldname, 'expected one file, found several');
    await this.#spec.beforeFile?.(this.fields);
    const { fieldname: field, filename, file: bytes } = part;
    const upload = { principal: this.#principal, field, name: filename || NAME_DEFAULT, bytes };
    this.media = await receiveMedia(this.#app, upload, this.#signal);
    // The parser cuts a file at its limit without an error; the app would take the head for the whole.
    if (part.file.truncated) throw badField(part.fieldname, 'the file was cut short');
  }
}

/** The client is gone or has lost its standing. */
function departureOf({ reason }: AbortSignal, cause?: unknown): AppError {
  return reason instanceof AppError ? reason : new AppError('cancelled', 'the caller went away', { cause });
}

/** The parser's errors are the form's fault, those of a vanished client have no reader. */
function toFormError(error: unknown, spec: FormSpec, signal: AbortSignal): unknown {
  if (signal.aborted) return departureOf(signal, error);
  if (!(error instanceof Error) || !isParserError(error)) return error;
  if (codeOf(error) === 'FST_PARTS_LIMIT') {
    return badField(spec.field, `expected at most ${PARTS_MAX} parts in the form`);
  }
  return badField(spec.field, `the form cannot be read: ${error.message}`);
}

const PARSER_MESSAGES = /^(Multipart: |Unexpected end of (multipart|form)|Part terminated early|Malformed )/;

function isParserError(error: Error): boolean {
  return codeOf(error).startsWith('FST_') || PARSER_MESSAGES.test(error.message);
}
