/** Results beside an original: whole or not at all, never over others' files. Assay's own are known by their content. */

import { type BigIntStats, constants } from 'node:fs';
import { lstat, open, rename, rm } from 'node:fs/promises';
import type { RecordSummary } from '../../domain/answers/record-summary.ts';
import { codeOf } from '../../domain/error-code.ts';
import { formatTime, MICROSECONDS_PER_MS } from '../../domain/time.ts';
import { VERSION } from '../../domain/version.ts';
import type { SafeFolder } from '../../machinery/safe-folder.ts';
import { moveFile } from './move-file.ts';
import {
  isTemporaryName,
  RESULT_KINDS,
  type ResultKind,
  resultNames,
  temporaryName,
} from './result-names.ts';

/** A name, not an address: no program must fetch it. */
const XMP_NAMESPACE = 'urn:assay:xmp:1.0:';

/** A record as sidecar files: JSON for programs, XMP (ISO 16684-1) for archives, recognised by their contents. Pure. */
export function toJsonSidecar(summary: RecordSummary, endedAt: number | null): string {
  return `${JSON.stringify(fieldsOf(summary, endedAt), null, 2)}\n`;
}

function fieldsOf(summary: RecordSummary, endedAt: number | null): Record<string, unknown> {
  const { identifier, name, kind, sha256, refId, verdict, outcome, assessment, probability, reasons, link } =
    summary;
  return {
    identifier,
    name,
    kind,
    sha256,
    ref_id: refId,
    verdict,
    outcome,
    assessment,
    probability,
    reasons,
    link,
    analysed_at: endedAt === null ? null : formatTime(endedAt),
    assay_version: VERSION,
  };
}

const HASH = /^[0-9a-f]{64}$/;

/** Whether Assay wrote it and it is unchanged since. */
function isUnchangedJson(text: string): boolean {
  const fields = parseObject(text);
  if (fields === null || typeof fields.identifier !== 'string' || !HASH.test(String(fields.sha256)))
    return false;
  return 'assay_version' in fields && Object.keys(fields).every((name) => FIELD_NAMES.has(name));
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

const FIELD_NAMES: ReadonlySet<string> = new Set([
  ...['identifier', 'name', 'kind', 'sha256', 'ref_id', 'verdict', 'outcome', 'assessment'],
  ...['probability', 'reasons', 'link', 'analysed_at', 'assay_version'],
]);

/** Namespaces of Assay's own XMP. */
const PREFIXES: ReadonlySet<string> = new Set(['x', 'rdf', 'assay']);

/** Like `isUnchangedJson`: with fields of another program, the file is that program's. */
function isUnchangedXmp(text: string): boolean {
  if (!text.includes(`xmlns:assay="${XMP_NAMESPACE}"`) || !text.includes('<assay:identifier>')) return false;
  const prefixes = [...text.matchAll(/<\/?([\w-]+):|xmlns:([\w-]+)=/g)].map(([, tag, space]) => tag ?? space);
  return prefixes.every((prefix) => PREFIXES.has(prefix ?? ''));
}

/** One description with simple properties and one ordered list, which any reader of XMP accepts. */
export function toXmpSidecar(summary: RecordSummary, endedAt: number | null): string {
  const { reasons, ...simple } = fieldsOf(summary, endedAt) as Record<string, unknown> & {
    reasons: readonly string[];
  };
  const properties = Object.entries(simple).map(
    ([name, value]) =>
      `   <assay:${toCamelCase(name)}>${escapeXml(String(value ?? ''))}</assay:${toCamelCase(name)}>`,
  );
  const items = reasons.map((reason) => `     <rdf:li>${escapeXml(reason)}</rdf:li>`);
  return [
    '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>',
    '<x:xmpmeta xmlns:x="adobe:ns:meta/">',
    ' <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">',
    `  <rdf:Description rdf:about="" xmlns:assay="${XMP_NAMESPACE}">`,
    ...properties,
    '   <assay:reasons>',
    '    <rdf:Seq>',
    ...items,
    '    </rdf:Seq>',
    '   </assay:reasons>',
    '  </rdf:Description>',
    ' </rdf:RDF>',
    '</x:xmpmeta>',
    '<?xpacket end="r"?>',
    '',
  ].join('\n');
}

function toCamelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Leaves out characters that XML 1.0 cannot hold even escaped, which file names may have. */
function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

export interface Result {
  summary: RecordSummary;
  endedAt: number | null;
}

/** A result that can never be written. */
export class ResultError extends Error {
  override readonly name = 'ResultError';
}

const FORMATS: Record<ResultKind, { write: typeof toJsonSidecar; isUnchanged: (text: string) => boolean }> = {
  json: { write: toJsonSidecar, isUnchanged: isUnchangedJson },
  xmp: { write: toXmpSidecar, isUnchanged: isUnchangedXmp },
};

/** `mode` is the original's: its readers may read its results. */
export async function writeResults(
  folder: SafeFolder,
  name: string,
  mode: number,
  { summary, endedAt }: Result,
): Promise<void> {
  for (const kind of RESULT_KINDS) {
    const temporary = folder.within(temporaryName(name, kind));
    // A kill left one.
    await rm(temporary, { force: true });
    const names = resultNames(name, kind, summary.identifier);
    const text = FORMATS[kind].write(summary, endedAt);
    if (!(await writeUnderOne(folder, names, { kind, text, mode, temporary })))
      throw new ResultError('both of its names are files of somebody else');
  }
  await folder.flush();
}

interface ResultFile {
  kind: ResultKind;
  text: string;
  mode: number;
  temporary: string;
}

async function writeUnderOne(
  folder: SafeFolder,
  names: readonly string[],
  file: ResultFile,
): Promise<boolean> {
  for (const name of names) if (await writeUnder(folder, name, file)) return true;
  return false;
}

/** False if somebody else's file has the name. */
async function writeUnder(
  folder: SafeFolder,
  name: string,
  { kind, text, mode, temporary }: ResultFile,
): Promise<boolean> {
  const place = folder.within(name);
  const there = await readResult(place);
  if (there?.text === text) return true;
  if (there !== null && (there.text === null || !FORMATS[kind].isUnchanged(there.text))) return false;
  try {
    await writeWhole(temporary, text, mode);
    if (there === null) await moveFile(temporary, place);
    else if (isSameFile(await lstat(place, { bigint: true }), there.found)) await rename(temporary, place);
    else throw Object.assign(new Error('another file came meanwhile'), { code: 'EEXIST' });
    return true;
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function isSameFile(left: BigIntStats, right: BigIntStats): boolean {
  return left.ino === right.ino && left.size === right.size && left.ctimeNs === right.ctimeNs;
}

/** More than any result has. */
const RESULT_BYTES_MAX = 1024 * 1024;

/** Null without a file; `text` is null if it cannot be a result. */
async function readResult(place: string): Promise<{ text: string | null; found: BigIntStats } | null> {
  const found = await lstat(place, { bigint: true }).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
  if (found === null) return null;
  if (!found.isFile() || found.size > RESULT_BYTES_MAX) return { text: null, found };
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    await using file = await open(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    return { text: await file.readFile('utf8'), found };
  } catch (error) {
    // An unreadable file is not ours.
    if (['EACCES', 'EPERM', 'ELOOP'].includes(codeOf(error))) return { text: null, found };
    throw error;
  }
}

const READ_WRITE_BITS = 0o666;
const OWNER_BITS = 0o600;

async function writeWhole(place: string, text: string, mode: number): Promise<void> {
  const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants;
  await using file = await open(place, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, OWNER_BITS);
  await file.writeFile(text);
  await file.chmod((mode & READ_WRITE_BITS) | OWNER_BITS).catch(() => undefined);
  await file.sync();
}

/** Removes temporary files of results that will not be written. */
export async function removeTemporaries(folder: SafeFolder, name: string): Promise<void> {
  for (const kind of RESULT_KINDS) {
    await rm(folder.within(temporaryName(name, kind)), { force: true }).catch(() => undefined);
  }
}

/** Younger ones may be in use: flushing a slow share takes time. */
const LEFTOVER_MS_MIN = 3_600_000;

/** Removes a half-written file, by its name and age. `now`: microseconds since 1970. */
export async function removeLeftover(folder: SafeFolder, name: string, now: number): Promise<void> {
  if (!isTemporaryName(name)) return;
  const place = folder.within(name);
  const found = await lstat(place).catch(() => null);
  if (found === null || !found.isFile() || now / MICROSECONDS_PER_MS - found.mtimeMs < LEFTOVER_MS_MIN)
    return;
  await rm(place, { force: true }).catch(() => undefined);
}
