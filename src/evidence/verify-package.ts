/**
 * Judges a package without a daemon and without a network: every fault is named with its file. What is checked is what VERIFY.txt
 * tells others to check, and besides that the files agree with one another.
 */
import { createPublicKey, verify } from 'node:crypto';
import { fingerprintOf, rawPublicKeyOf, toSshPublicKey } from '../machinery/signing-key.ts';
import { openEnvelope } from './attestation.ts';
import { parseManifest } from './bag.ts';
import { checkCustodyFiles } from './custody-members.ts';
import { isOutsideTagManifest, MEMBERS } from './members.ts';
import { readSshSignature, toAllowedSigners } from './ssh-signature.ts';
import { type Fault, type ReadPackage, readPackage } from './zip-reader.ts';

export interface VerifyOrder {
  path: string;
  /** Those that the box has published, as its page or its operator told them; empty: the key's origin is not judged. */
  fingerprints: readonly string[];
}

export interface VerifiedPackage {
  faults: Fault[];
  /** Of the key in the package; null where there is none to be read. */
  fingerprint: string | null;
  /** Whether the key is one of those asked for; null where none were given. */
  isExpectedKey: boolean | null;
  files: number;
  bytes: number;
  /** For whoever looks further: the texts of the package. */
  read: ReadPackage;
}

/** Throws where the file cannot be read as a zip. */
export async function verifyPackage({ path, fingerprints }: VerifyOrder): Promise<VerifiedPackage> {
  const read = await readPackage(path);
  const key = readKey(read);
  const payload = checkManifest(read, MEMBERS.manifest, (member) => member.startsWith('data/'));
  checkManifest(
    read,
    MEMBERS.tagManifest,
    (member) => !member.startsWith('data/') && !isOutsideTagManifest(member),
  );
  if (key !== null) {
    checkSignatures(read, key);
    checkAttestation(read, key.pem, payload);
    for (const folder of recordFoldersOf(read)) checkCustodyFiles(read, folder, key.raw);
  }
  checkRecords(read);
  const isExpectedKey = fingerprints.length === 0 ? null : fingerprints.includes(key?.fingerprint ?? '');
  if (isExpectedKey === false && key !== null) {
    const expected = fingerprints.join(' or ');
    const fault = `is another key: expected ${expected}, found ${key.fingerprint}`;
    read.faults.push({ member: MEMBERS.publicKey, fault });
  }
  return {
    ...{ faults: read.faults, fingerprint: key?.fingerprint ?? null, isExpectedKey, read },
    files: payload.size,
    bytes: [...payload.keys()].reduce((sum, member) => sum + (read.sizes.get(member) ?? 0), 0),
  };
}

interface PackageKey {
  pem: string;
  raw: Buffer;
  fingerprint: string;
}

function readKey(read: ReadPackage): PackageKey | null {
  const pem = read.texts.get(MEMBERS.publicKey)?.toString('utf8');
  if (pem === undefined) return null;
  try {
    const key = createPublicKey(pem);
    if (key.asymmetricKeyType !== 'ed25519') throw new Error(key.asymmetricKeyType);
    const raw = rawPublicKeyOf(key);
    const signers = read.texts.get(MEMBERS.allowedSigners)?.toString('utf8');
    if (signers !== toAllowedSigners(toSshPublicKey(raw))) {
      read.faults.push({
        member: MEMBERS.allowedSigners,
        fault: `names another key than ${MEMBERS.publicKey}`,
      });
    }
    return { pem, raw, fingerprint: fingerprintOf(raw) };
  } catch {
    read.faults.push({ member: MEMBERS.publicKey, fault: 'is no Ed25519 public key in PEM' });
    return null;
  }
}

/** Both ways: what is named must be there as it was, and what is there must be named. */
function checkManifest(
  read: ReadPackage,
  manifest: string,
  isCovered: (member: string) => boolean,
): Map<string, string> {
  const text = read.texts.get(manifest);
  const named = text === undefined ? null : parseManifest(text.toString('utf8'));
  if (named === null) {
    read.faults.push({ member: manifest, fault: text === undefined ? 'is missing' : 'is no list of files' });
    return new Map();
  }
  for (const [member, sha256] of named) {
    const found = read.hashes.get(member);
    if (found === undefined) read.faults.push({ member, fault: `is missing, though ${manifest} names it` });
    else if (found !== sha256)
      read.faults.push({ member, fault: 'is not as it was packed: its SHA-256 differs' });
  }
  for (const member of read.hashes.keys()) {
    if (isCovered(member) && !named.has(member)) {
      read.faults.push({ member, fault: `was added: ${manifest} does not name it` });
    }
  }
  return named;
}

function checkSignatures(read: ReadPackage, { pem, raw }: PackageKey): void {
  const tagManifest = read.texts.get(MEMBERS.tagManifest);
  if (tagManifest === undefined) return;
  const key = createPublicKey(pem);
  const judge = (member: string, holds: (text: Buffer) => boolean) => {
    const text = read.texts.get(member);
    if (text === undefined) read.faults.push({ member, fault: 'is missing' });
    else if (!holds(text)) {
      read.faults.push({
        member,
        fault: `is no signature of ${MEMBERS.tagManifest} by ${MEMBERS.publicKey}`,
      });
    }
  };
  judge(MEMBERS.signature, (signature) => verify(null, tagManifest, key, signature));
  judge(MEMBERS.sshSignature, (text) => {
    const made = readSshSignature(text.toString('utf8'), raw, tagManifest);
    return made !== null && verify(null, made.signed, key, made.signature);
  });
}

function checkAttestation(read: ReadPackage, pem: string, payload: Map<string, string>): void {
  const member = MEMBERS.attestation;
  const text = read.texts.get(member);
  if (text === undefined) return;
  const statement = openEnvelope(text.toString('utf8'), pem);
  if (typeof statement === 'string') {
    read.faults.push({ member, fault: statement });
    return;
  }
  const subjects = new Map(statement.subject.map(({ name, digest }) => [name, digest.sha256]));
  const differs = [...payload].find(([path, sha256]) => subjects.get(path) !== sha256);
  if (differs !== undefined || subjects.size !== payload.size) {
    const which = differs === undefined ? '' : `: ${differs[0]}`;
    read.faults.push({ member, fault: `speaks of other files than ${MEMBERS.manifest}${which}` });
  }
}

/** Where each record lies, with a slash. */
export function recordFoldersOf(read: ReadPackage): string[] {
  return [...read.texts.keys()]
    .filter((member) => member.endsWith('/record.json'))
    .map((member) => member.slice(0, -'record.json'.length));
}

/** The original beside a record must be the file that the record speaks of. */
function checkRecords(read: ReadPackage): void {
  for (const [member, text] of read.texts) {
    if (!member.endsWith('/record.json')) continue;
    const folder = member.slice(0, -'record.json'.length);
    const record = parseJson(text) as { hash?: unknown; original?: unknown } | null;
    if (record === null) {
      read.faults.push({ member, fault: 'is no JSON' });
      continue;
    }
    for (const [original, sha256] of read.hashes) {
      if (original.startsWith(`${folder}original/`) && sha256 !== record.hash) {
        read.faults.push({ member: original, fault: `is not the file that ${member} speaks of` });
      }
    }
  }
}

/** Null where it is none. */
export function parseJson(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString('utf8'));
  } catch {
    return null;
  }
}
