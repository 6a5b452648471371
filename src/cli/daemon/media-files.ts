/** Which files a command line means: files as named, folders with all media files in them, `-` for standard input. */
import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { lstat, open, opendir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { codeOf } from '../../domain/error-code.ts';
import { MEDIA_TYPES } from '../../domain/media/formats.ts';
import { OUTER_MANIFEST_BYTES_MAX } from '../../domain/provenance/outer-manifest.ts';
import { findSidecarName } from '../../domain/provenance/sidecar-name.ts';
import { CliFailure, EXIT_CODES, toFailure } from '../terminal/failure.ts';

export interface FileSource {
  type: 'file';
  /** For display. */
  path: string;
  /** For opening: names on a disk are bytes, and those of older systems are not UTF-8. */
  file: string | Buffer;
  /** The name that is shown and submitted. */
  name: string;
  sizeBytes: number;
}

export interface StdinSource {
  type: 'stdin';
  name: string;
}

/** The daemon fetches it: only the address is sent, in the header. */
export interface AddressSource {
  type: 'address';
  name: string;
}

/** Named on the command line but not usable; reported like a failed file. */
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
    else yield* listPath(name.includes('\ufffd') ? bytesOfArgument(name) : name, options.counts);
  }
}

/** The platform replaces what is not UTF-8 in a command line; the system still has the bytes. */
function bytesOfArgument(name: string): string | Buffer {
  const words = readFileSync('/proc/self/cmdline').toString('latin1').split('\0');
  return words.map((word) => Buffer.from(word, 'latin1')).find((word) => word.toString() === name) ?? name;
}

async function* listPath(file: string | Buffer, counts: SourceCounts): AsyncGenerator<MediaSource> {
  const path = shownPath(file);
  try {
    const found = await stat(file);
    if (found.isDirectory()) yield* listFolder(file, counts);
    else yield { type: 'file', path, file, name: basename(path), sizeBytes: found.size };
  } catch (error) {
    yield { type: 'missing', name: path, failure: toFailure(error, '') };
  }
}

/** Does not follow links inside a folder: a link to a parent would never end. */
async function* listFolder(folder: string | Buffer, counts: SourceCounts): AsyncGenerator<MediaSource> {
  // Latin-1 maps each byte of a name to one letter.
  for await (const entry of await opendir(folder, { encoding: 'latin1' })) {
    const bytes = Buffer.from(join(Buffer.from(folder).toString('latin1'), entry.name), 'latin1');
    const path = isUtf8(bytes) ? bytes.toString() : bytes;
    if (entry.isDirectory()) yield* listPath(path, counts);
    else if (entry.isFile() && isMediaName(entry.name)) yield* listPath(path, counts);
    else counts.skipped += 1;
  }
}

/** macOS puts `._NAME` with a file's attributes beside it on other systems' disks (AppleDouble). */
function isMediaName(name: string): boolean {
  return EXTENSIONS.has(extname(name).toLowerCase()) && !name.startsWith('._');
}

/** A name that is not UTF-8 mostly comes from an older Windows. */
function shownPath(file: string | Buffer): string {
  return typeof file === 'string' ? file : new TextDecoder('windows-1252').decode(file);
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
  if (source.type !== 'file' || source.file !== source.path) return undefined;
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
