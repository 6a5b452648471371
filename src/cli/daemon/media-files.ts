/** Which files a command line means: files as named, folders with all media files in them, `-` for standard input. */
import { lstat, open, opendir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { codeOf } from '../../domain/error-code.ts';
import { MEDIA_TYPES } from '../../domain/media/formats.ts';
import { OUTER_MANIFEST_BYTES_MAX } from '../../domain/provenance/outer-manifest.ts';
import { findSidecarName } from '../../domain/provenance/sidecar-name.ts';
import { CliFailure, EXIT_CODES, toFailure } from '../terminal/failure.ts';

export interface FileSource {
  type: 'file';
  path: string;
  /** As it is shown and submitted. */
  name: string;
  sizeBytes: number;
}

export interface StdinSource {
  type: 'stdin';
  name: string;
}

/** Fetched by the daemon: nothing is sent of it but the address, which stands in the header. */
export interface AddressSource {
  type: 'address';
  name: string;
}

/** Found on the command line but not usable; reported like a failed file. */
export interface MissingSource {
  type: 'missing';
  name: string;
  failure: CliFailure;
}

export type MediaSource = FileSource | StdinSource | MissingSource;

/** Counts up while sources are listed. */
export interface SourceCounts {
  skipped: number;
}

const EXTENSIONS: ReadonlySet<string> = new Set(
  MEDIA_TYPES.flatMap((type) => type.extensions.map((extension) => `.${extension}`)),
);

/** Lists lazily, so that a folder of a million files costs no memory. A file named outright is sent whatever its ending. */
export async function* listMediaSources(
  names: readonly string[],
  options: { stdinName: string; counts: SourceCounts },
): AsyncGenerator<MediaSource> {
  if (names.filter((name) => name === '-').length > 1) {
    throw new CliFailure('standard input (-) can be named only once', EXIT_CODES.usage);
  }
  for (const name of names) {
    if (name === '-') yield { type: 'stdin', name: options.stdinName };
    else yield* listPath(name, options.counts);
  }
}

async function* listPath(path: string, counts: SourceCounts): AsyncGenerator<MediaSource> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) yield* listFolder(path, counts);
    else yield { type: 'file', path, name: basename(path), sizeBytes: found.size };
  } catch (error) {
    yield { type: 'missing', name: path, failure: toFailure(error, '') };
  }
}

/** Does not follow links inside a folder: a link to a parent would never end. */
async function* listFolder(folder: string, counts: SourceCounts): AsyncGenerator<MediaSource> {
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* listPath(path, counts);
    else if (entry.isFile() && EXTENSIONS.has(extname(entry.name).toLowerCase()))
      yield* listPath(path, counts);
    else counts.skipped += 1;
  }
}

/** The C2PA manifest of a file: the one that is named, or the one that lies beside it. Throws a CliFailure if it cannot be read or is too large. */
export async function manifestOf(
  source: FileSource | StdinSource,
  named: string | undefined,
): Promise<Uint8Array | undefined> {
  const path = named ?? (await findBeside(source));
  return path === undefined ? undefined : await readManifest(path);
}

async function findBeside(source: FileSource | StdinSource): Promise<string | undefined> {
  if (source.type !== 'file') return undefined;
  const folder = dirname(source.path);
  const name = await findSidecarName(basename(source.path), async (other) => {
    const found = await lstat(join(folder, other)).catch(() => null);
    return found?.isFile() === true;
  });
  return name === undefined ? undefined : join(folder, name);
}

async function readManifest(path: string): Promise<Uint8Array> {
  try {
    await using file = await open(path);
    const { size } = await file.stat();
    if (size <= OUTER_MANIFEST_BYTES_MAX && size > 0) return await file.readFile();
    const found = size === 0 ? 'an empty file' : `${size} bytes`;
    throw failure(path, `expected a manifest of 1 to ${OUTER_MANIFEST_BYTES_MAX} bytes, found ${found}`);
  } catch (error) {
    if (error instanceof CliFailure) throw error;
    throw failure(path, `the manifest cannot be read (${codeOf(error)})`);
  }
}

function failure(path: string, sentence: string): CliFailure {
  return new CliFailure(`${path}: ${sentence}`, EXIT_CODES.someFailed);
}
