/** Judges a package without daemon or network. Required members are fixed first: a removed part is a fault, too. */
import { createPublicKey, verify } from 'node:crypto';
import { fingerprintOf, rawPublicKeyOf, toSshPublicKey } from '../machinery/signing-key.ts';
import { openEnvelope, type Statement } from './attestation.ts';
import { BAGIT, parseManifest } from './bag.ts';
import { checkRecords, demandMembers, kindOf, recordFoldersOf } from './check-members.ts';
import { checkCustodyFiles } from './custody-members.ts';
import { isOutsideTagManifest, MEMBERS } from './members.ts';
import { readSshSignature, toAllowedSigners } from './ssh-signature.ts';
import { type Fault, type ReadPackage, readPackage } from './zip-reader.ts';

export interface VerifyOrder {
  path: string;
  /** The keys that the box has published, from its page or its operator; empty: the key's origin is not checked. */
  fingerprints: readonly string[];
}

export interface VerifiedPackage {
  faults: Fault[];
  /** Fingerprint of the key in the package; null if it has no readable one. */
  fingerprint: string | null;
  /** Whether the key is among the given ones; null if none were given. */
  isExpectedKey: boolean | null;
  files: number;
  bytes: number;
  /** Texts of the package, for further checks. */
  read: ReadPackage;
}

/** Throws if the file is no readable zip or exceeds a bound. */
export async function verifyPackage({ path, fingerprints }: VerifyOrder): Promise<VerifiedPackage> {
  const read = await readPackage(path);
  const key = readKey(read);
  const statement = key === null ? null : readAttestation(read, key.pem);
  const kind = kindOf(read, statement);
  demandMembers(read, kind);
  const payload = checkManifest(read, MEMBERS.manifest, (member) => member.startsWith('data/'));
  checkManifest(
    read,
    MEMBERS.tagManifest,
    (member) => !member.startsWith('data/') && !isOutsideTagManifest(member),
  );
  if (read.texts.get(MEMBERS.declaration)?.equals(Buffer.from(BAGIT)) === false) {
    read.faults.push({ member: MEMBERS.declaration, fault: 'declares no BagIt bag of version 1.0 in UTF-8' });
  }
  if (key !== null) {
    checkSignatures(read, key);
    for (const folder of recordFoldersOf(read)) checkCustodyFiles(read, folder, key.raw);
  }
  if (statement !== null) checkSubjects(read, statement, payload);
  if (kind === 'finding') checkRecords(read, statement);
  const isExpectedKey = checkFingerprint(read, key, fingerprints);
  return {
    faults: read.faults,
    fingerprint: key?.fingerprint ?? null,
    isExpectedKey,
    read,
    files: payload.size,
    bytes: [...payload.keys()].reduce((sum, member) => sum + (read.sizes.get(member) ?? 0), 0),
  };
}

/** Null if no fingerprint was given. A package without a key matches none. */
function checkFingerprint(
  read: ReadPackage,
  key: PackageKey | null,
  fingerprints: readonly string[],
): boolean | null {
  if (fingerprints.length === 0) return null;
  if (key !== null && fingerprints.includes(key.fingerprint)) return true;
  const expected = fingerprints.join(' or ');
  const fault =
    key === null
      ? `expected the key ${expected}, found none that can be read`
      : `is another key: expected ${expected}, found ${key.fingerprint}`;
  read.faults.push({ member: MEMBERS.publicKey, fault });
  return false;
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

/** Both ways: each named file must be unchanged, and each present file must be named. */
function checkManifest(
  read: ReadPackage,
  manifest: string,
  isCovered: (member: string) => boolean,
): Map<string, string> {
  const text = read.texts.get(manifest);
  const named = text === undefined ? null : parseManifest(text.toString('utf8'));
  if (named === null) {
    if (text !== undefined) read.faults.push({ member: manifest, fault: 'is no list of files' });
    return new Map();
  }
  const known = new Set(read.faults.map(({ member }) => member));
  for (const [member, sha256] of named) {
    const found = read.hashes.get(member);
    if (found === undefined && known.has(member)) continue;
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
    if (text !== undefined && !holds(text)) {
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

/** Null if it holds no signed statement: each reason is a fault. */
function readAttestation(read: ReadPackage, pem: string): Statement | null {
  const member = MEMBERS.attestation;
  const text = read.texts.get(member);
  if (text === undefined) return null;
  const statement = openEnvelope(text.toString('utf8'), pem);
  if (typeof statement !== 'string') return statement;
  read.faults.push({ member, fault: statement });
  return null;
}

function checkSubjects(read: ReadPackage, { subject }: Statement, payload: Map<string, string>): void {
  const subjects = new Map(subject.map(({ name, digest }) => [name, digest.sha256]));
  const differs = [...payload].find(([path, sha256]) => subjects.get(path) !== sha256);
  if (differs === undefined && subjects.size === payload.size) return;
  const which = differs === undefined ? '' : `: ${differs[0]}`;
  const fault = `speaks of other files than ${MEMBERS.manifest}${which}`;
  read.faults.push({ member: MEMBERS.attestation, fault });
}
