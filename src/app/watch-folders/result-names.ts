/** Names of results and other files of Assay beside an original, within a file system's length. */
import { extname } from 'node:path';
import { SIDECAR_ENDINGS } from '../../domain/automation/watch-folder.ts';
import { sha256 } from '../../store/automation/automation-reader.ts';

/** Bytes of a name on Linux. */
const NAME_BYTES_MAX = 255;
/** Characters of a hash or a record that distinguish two names. */
const LETTERS = 8;
/** Longest ending, as opposed to a sentence after a full stop. */
const EXTENSION_BYTES_MAX = 32;

export type ResultKind = keyof typeof SIDECAR_ENDINGS;
export const RESULT_KINDS = Object.keys(SIDECAR_ENDINGS) as ResultKind[];

/** `photo.jpg.assay.json`, or `photo.jpg.assay-1a2b3c4d.json` with its record's letters if the first is another's. */
export function resultNames(name: string, kind: ResultKind, identifier: string): string[] {
  const second = `.assay-${identifier.slice(0, LETTERS)}.${kind}`;
  // All results of a file share one stem.
  const stem = shorten(name, NAME_BYTES_MAX - second.length);
  return [`${stem}${SIDECAR_ENDINGS[kind]}`, `${stem}${second}`];
}

/** `photo-1a2b3c4d.jpg`: always the same for the same record. */
export function nameBeside(name: string, identifier: string): string {
  const extension = extname(name);
  const ending = byteCount(extension) <= EXTENSION_BYTES_MAX ? extension : '';
  const stem = name.slice(0, name.length - ending.length);
  const letters = `-${identifier.slice(0, LETTERS)}`;
  return `${cut(stem, NAME_BYTES_MAX - letters.length - byteCount(ending))}${letters}${ending}`;
}

/** Cuts the end of a long name, and adds letters of its hash to distinguish it from others with the same beginning. */
function shorten(name: string, bytesMax: number): string {
  if (byteCount(name) <= bytesMax) return name;
  const letters = `-${hashOf(name, LETTERS)}`;
  return `${cut(name, bytesMax - letters.length)}${letters}`;
}

/** Never within a character. */
function cut(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text);
  let end = Math.min(bytesMax, bytes.length);
  while (end > 0 && isContinuation(bytes[end])) end -= 1;
  return bytes.toString('utf8', 0, end);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function byteCount(text: string): number {
  return Buffer.byteLength(text);
}

function hashOf(text: string, letters: number): string {
  return sha256(text).slice(0, letters);
}

/** The name of a result until it is whole: always the same, so that a kill's remains are found again. */
export function temporaryName(name: string, kind: ResultKind): string {
  return `.assay-${hashOf(`${name}.${kind}`, 16)}.tmp`;
}

const TEMPORARY_NAME = /^\.assay-[0-9a-f]{16}\.tmp(-moved)?$/;

export function isTemporaryName(name: string): boolean {
  return TEMPORARY_NAME.test(name);
}
