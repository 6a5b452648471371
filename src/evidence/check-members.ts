/** Checks that a package has all required members, and that its parts speak of the same records. */
import { FINDING_TYPE, RESCORE_TYPE, type Statement } from './attestation.ts';
import { folderOfRecord, MEMBERS, RECORD_MEMBERS, RESCORE_MEMBER } from './members.ts';
import { type DeclaredFiles, missingFault, REQUIRED_MEMBERS } from './required-members.ts';
import type { ReadPackage } from './zip-reader.ts';

export type PackageKind = 'finding' | 'rescore';

/** The kind by the signed statement; without one, by the members. */
export function kindOf(read: ReadPackage, statement: Statement | null): PackageKind {
  if (statement?.predicateType === RESCORE_TYPE) return 'rescore';
  if (statement !== null && statement.predicateType !== FINDING_TYPE) {
    const fault = `is of the unknown type ${statement.predicateType}: expected ${FINDING_TYPE} or ${RESCORE_TYPE}`;
    read.faults.push({ member: MEMBERS.attestation, fault });
  }
  return statement === null && read.hashes.has(RESCORE_MEMBER) ? 'rescore' : 'finding';
}

/** Reports each required member that is missing from a package of the kind. */
export function demandMembers(read: ReadPackage, kind: PackageKind): void {
  for (const row of REQUIRED_MEMBERS) {
    const isDemanded = row.scope === 'package' || row.scope === kind;
    if (isDemanded && !read.hashes.has(row.path)) {
      read.faults.push({ member: row.path, fault: missingFault(row) });
    }
  }
  if (kind !== 'finding') return;
  const folders = recordFoldersOf(read);
  for (const folder of folders.length === 0 ? ['data/'] : folders) demandOfRecord(read, folder);
}

function demandOfRecord(read: ReadPackage, folder: string): void {
  const declared = declaredFilesOf(readRecord(read, folder));
  for (const row of REQUIRED_MEMBERS) {
    if (row.scope !== 'record' || row.unless?.holds(declared) === true) continue;
    const path = `${folder}${row.path}`;
    const isThere = path.endsWith('/') ? filesBelow(read, path).length > 0 : read.hashes.has(path);
    if (!isThere) read.faults.push({ member: path, fault: missingFault(row) });
  }
}

/** The folder of each record, with a slash. */
export function recordFoldersOf(read: ReadPackage): string[] {
  return [...read.hashes.keys()].flatMap((member) => folderOfRecord(member) ?? []);
}

interface RecordJson {
  identifier?: unknown;
  hash?: unknown;
  status?: unknown;
  original?: { isIncluded?: unknown };
  manifest?: { sha256?: unknown } | null;
}

/** Empty if it is unreadable: then no member may be absent. */
function readRecord(read: ReadPackage, folder: string): RecordJson {
  const text = read.texts.get(`${folder}${RECORD_MEMBERS.record}`);
  const parsed = text === undefined ? null : parseJson(text);
  return typeof parsed === 'object' && parsed !== null ? parsed : {};
}

function declaredFilesOf({ original, status, manifest }: RecordJson): DeclaredFiles {
  const hasManifest = manifest !== undefined && manifest !== null;
  return { hasOriginal: original?.isIncluded !== false, hasResult: status === 'done', hasManifest };
}

/** The original must be the file that its record is about, and case, attestation and folders must name the same records. */
export function checkRecords(read: ReadPackage, statement: Statement | null): void {
  const folders = recordFoldersOf(read);
  const records = folders.map((folder) => ({ folder, record: readRecord(read, folder) }));
  for (const { folder, record } of records) {
    const member = `${folder}${RECORD_MEMBERS.record}`;
    const { identifier, hash } = record;
    if (typeof identifier !== 'string' || typeof hash !== 'string') {
      read.faults.push({ member, fault: 'is no record: expected JSON with identifier and hash' });
    }
    checkOriginals(read, folder, record);
    checkManifests(read, folder, record);
  }
  const cases = readCase(read);
  if (cases !== null && !isSameSet(cases, folders)) {
    read.faults.push({ member: MEMBERS.case, fault: 'names other records than lie in the package' });
  }
  const packed = records.map(({ record: { identifier, hash } }) => `${identifier} ${hash}`);
  if (statement !== null && !isSameSet(findingsOf(statement), packed)) {
    read.faults.push({
      member: MEMBERS.attestation,
      fault: 'states findings of other records than lie in the package',
    });
  }
}

function checkOriginals(read: ReadPackage, folder: string, record: RecordJson): void {
  const member = `${folder}${RECORD_MEMBERS.record}`;
  const originals = filesBelow(read, `${folder}${RECORD_MEMBERS.original}`);
  const { hasOriginal } = declaredFilesOf(record);
  for (const original of originals) {
    if (!hasOriginal) {
      read.faults.push({ member: original, fault: `is there, though ${member} says that it was not kept` });
    } else if (read.hashes.get(original) !== record.hash) {
      read.faults.push({ member: original, fault: `is not the file that ${member} speaks of` });
    }
  }
}

function checkManifests(read: ReadPackage, folder: string, { manifest }: RecordJson): void {
  const member = `${folder}${RECORD_MEMBERS.record}`;
  for (const path of filesBelow(read, `${folder}${RECORD_MEMBERS.manifest}`)) {
    if (read.hashes.get(path) === manifest?.sha256) continue;
    read.faults.push({ member: path, fault: `is not the manifest that ${member} speaks of` });
  }
}

/** The folders that it names; null if it cannot be read, which is reported already if it is missing. */
function readCase(read: ReadPackage): string[] | null {
  const text = read.texts.get(MEMBERS.case);
  if (text === undefined) return null;
  const { records } = (parseJson(text) ?? {}) as { records?: unknown };
  if (!Array.isArray(records)) return [];
  return records.map((record: { folder?: unknown } | null) => String(record?.folder));
}

function findingsOf({ predicate }: Statement): string[] {
  const { findings } = (predicate ?? {}) as { findings?: unknown };
  if (!Array.isArray(findings)) return [];
  return findings.map(
    (it: { identifier?: unknown; sha256?: unknown } | null) => `${it?.identifier} ${it?.sha256}`,
  );
}

function filesBelow(read: ReadPackage, folder: string): string[] {
  return [...read.hashes.keys()].filter((member) => member.startsWith(folder));
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && new Set([...one, ...other]).size === one.length;
}

/** Null if it is malformed. */
export function parseJson(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString('utf8'));
  } catch {
    return null;
  }
}
