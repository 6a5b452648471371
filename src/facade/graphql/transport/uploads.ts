/** GraphQL multipart uploads, read as they arrive: operations, map, a small manifest that is kept, the file's stream. */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { readSidecar } from '../../../app/submissions/sidecar.ts';
import { badField } from '../../../domain/errors.ts';
import { JSON_BYTES_MAX } from './limits.ts';

/** A file of which nothing has been read yet. */
export interface PendingUpload {
  name: string;
  bytes: AsyncIterable<Uint8Array>;
  /** Reads the rest of the file, so that the sender reaches its end and reads the answer. */
  discard(): void;
}

export interface MultipartRequest {
  /** The GraphQL parameters with a token in place of each file. */
  parameters: Record<string, unknown>;
  uploads: ReadonlyMap<string, PendingUpload>;
}

/** A part with a longer file name is refused. */
const HEADER_BYTES_MAX = 16_384;
/** One manifest and one file. */
const FILES_MAX = 2;

/** Resolves as soon as the file begins; its bytes fail when the body is cut off, so that no half file passes for a whole one. */
export function readMultipart(body: Readable, headers: IncomingHttpHeaders): Promise<MultipartRequest> {
  const { promise, resolve, reject } = Promise.withResolvers<MultipartRequest>();
  const parts: { operations?: string; map?: string } = {};
  const uploads = new Map<string, PendingUpload>();
  let placed: Placed | undefined;
  let file: Readable | undefined;
  const busboy = openBusboy(headers);
  const fail = (error: unknown) => {
    reject(error);
    file?.destroy(error instanceof Error ? error : new Error(String(error)));
    body.unpipe(busboy);
  };
  busboy.on('field', (field, value, _nameTruncated, isTruncated) => {
    try {
      takeField(parts, field, value, isTruncated);
    } catch (error) {
      fail(error);
    }
  });
  busboy.on('file', (field, stream, name) => {
    stream.on('error', () => {});
    try {
      if (file !== undefined) throw badField(field, 'expected one file, found more');
      placed ??= placeTokens(parts);
      const token = takeToken(placed, field);
      if (placed.tokens.size > 0) {
        uploads.set(token, hold(stream, name ?? '', fail));
        return;
      }
      file = stream;
      stream.once('close', () => {
        // The upload ended half-way: without this the parser and the sender would wait forever.
        if (!stream.readableEnded) body.unpipe(busboy);
      });
      uploads.set(token, { name: name ?? '', bytes: stream, discard: () => stream.resume() });
      resolve({ parameters: placed.parameters, uploads });
    } catch (error) {
      stream.resume();
      fail(error);
    }
  });
  busboy.on('filesLimit', () => fail(badField('map', `expected at most ${FILES_MAX} files, found more`)));
  busboy.on('fieldsLimit', () => fail(badField('operations', 'expected only operations and map')));
  pipeline(body, busboy, (error) => {
    if (error) fail(error);
    else
      reject(badField(parts.map === undefined ? 'map' : 'operations', 'expected a file part after the map'));
  });
  return promise;
}

function openBusboy(headers: IncomingHttpHeaders): BusboyInstance {
  const contentType = headers['content-type'] ?? '';
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': contentType },
      limits: {
        fieldSize: JSON_BYTES_MAX,
        fields: 2,
        headerSize: HEADER_BYTES_MAX,
        files: FILES_MAX,
        parts: FILES_MAX + 3,
      },
    });
  } catch {
    throw badField('content-type', `expected multipart/form-data with a boundary, found ${contentType}`);
  }
}

function takeField(
  parts: { operations?: string; map?: string },
  field: string,
  value: string,
  isTruncated: boolean,
): void {
  if (isTruncated) throw badField(field, `expected at most ${JSON_BYTES_MAX} bytes`);
  if (field === 'operations' && parts.operations === undefined) parts.operations = value;
  else if (field === 'map' && parts.operations !== undefined && parts.map === undefined) parts.map = value;
  else throw badField(field, 'expected the parts operations, map and the file, in this order');
}

/** All files but the last are read at once, since the next part comes only after them. */
function hold(stream: Readable, name: string, fail: (error: unknown) => void): PendingUpload {
  const held = readSidecar(stream);
  held.catch(fail);
  async function* read() {
    yield await held;
  }
  return { name, bytes: read(), discard: () => {} };
}

interface Placed {
  parameters: Record<string, unknown>;
  /** The files that are still to come, by the names of their parts. */
  tokens: Map<string, string>;
}

/** Checks the first two parts and puts a token wherever the map says that a file belongs. */
function placeTokens(parts: { operations?: string; map?: string }): Placed {
  if (parts.operations === undefined) throw badField('operations', 'expected this part before the file');
  if (parts.map === undefined) throw badField('map', 'expected this part before the file');
  const parameters = parseObject('operations', parts.operations);
  const entries = Object.entries(parseObject('map', parts.map));
  if (entries.length === 0 || entries.length > FILES_MAX) {
    throw badField('map', `expected an entry for each file, at most ${FILES_MAX}, found ${entries.length}`);
  }
  const tokens = new Map<string, string>();
  for (const [field, paths] of entries) {
    const path = Array.isArray(paths) && paths.length === 1 ? paths[0] : undefined;
    if (typeof path !== 'string' || !path.startsWith('variables.')) {
      throw badField('map', 'expected one path into the variables, such as variables.input.file');
    }
    const token = `upload:${randomUUID()}`;
    setNullAt(parameters, path.split('.'), token);
    tokens.set(field, token);
  }
  return { parameters, tokens };
}

function takeToken({ tokens }: Placed, field: string): string {
  const token = tokens.get(field);
  if (token === undefined) throw badField('map', `expected one entry, for the file part ${field}`);
  tokens.delete(field);
  return token;
}

function parseObject(field: string, text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badField(field, 'expected JSON');
  }
  if (!isObject(value) || Array.isArray(value)) throw badField(field, 'expected a JSON object');
  return value;
}

/** Only own properties are followed: a path through a prototype would change every object of the process. */
function setNullAt(root: Record<string, unknown>, path: readonly string[], token: string): void {
  const last = path.at(-1) ?? '';
  let holder: unknown = root;
  for (const key of path.slice(0, -1)) {
    holder = isObject(holder) && Object.hasOwn(holder, key) ? holder[key] : undefined;
  }
  if (!isObject(holder) || !Object.hasOwn(holder, last) || holder[last] !== null) {
    throw badField('map', `expected null in the operations at ${path.join('.')}`);
  }
  holder[last] = token;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
