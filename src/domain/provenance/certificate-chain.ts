/**
 * The one judge of certificate chains: whether the certificate of a signer, of an identity or of a timestamp authority leads to a given
 * anchor (RFC 5280, section 6), as OpenSSL's X509_verify_cert says. The chain engine of pkijs asks neither for the length of the path
 * nor for extended key usages; that of @peculiar/x509 follows names and signatures only.
 */
import type { KeyObject, X509Certificate } from 'node:crypto';
import { BasicConstraints, Certificate, type Extension, ExtKeyUsage, NameConstraints } from 'pkijs';

export interface ChainOrder {
  signer: X509Certificate;
  /** Intermediates that came along with the certificate. */
  others: readonly X509Certificate[];
  anchors: readonly X509Certificate[];
  /** Whether only a self-signed certificate ends a chain, as for OpenSSL without `-partial_chain`; else each anchor does. */
  isToRoot: boolean;
  /** Extended key usages: the whole chain must allow the same one of these. */
  purposes: readonly string[];
  at: Date;
}

/** Real chains have three or four. */
const CHAIN_MAX = 10;
/** Bound on tried signatures: many certificates of one name could be combined without end. */
const TRIES_MAX = 200;
/** The least that the C2PA, browsers and NIST SP 800-131A accept. */
const RSA_BITS_MIN = 2048;

const KEY_USAGE = '2.5.29.15';
const BASIC_CONSTRAINTS = '2.5.29.19';
const NAME_CONSTRAINTS = '2.5.29.30';
const EXTENDED_KEY_USAGE = '2.5.29.37';
export const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
/** Uses of certificates that sign media (C2PA 2.4, 14.5.1.1): of mail and documents, and of claims. */
export const MEDIA_SIGNING: readonly string[] = [
  ...['1.3.6.1.5.5.7.3.4', '1.3.6.1.5.5.7.3.36', '1.3.6.1.4.1.311.76.59.1.9', '1.3.6.1.4.1.62558.2.1'],
];
const ANY_PURPOSE = '2.5.29.37.0';
/** The one use of Adobe Product Services G3, which has issued the certificates of Adobe's programs. */
const ADOBE_ISSUING = '1.2.840.113583.1.1.7';
/** OpenSSL's purposes beside time stamping; a certificate with one of them is for something else as well. */
const OTHER_PURPOSES: readonly string[] = [
  ...['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2', '1.3.6.1.5.5.7.3.3', '1.3.6.1.5.5.7.3.4'],
  ...['1.3.6.1.5.5.7.3.9', '1.3.6.1.5.5.7.3.10', '1.3.6.1.4.1.311.10.3.3', '2.16.840.1.113730.4.1'],
  ANY_PURPOSE,
];
/** Extensions that must be readable, since unreadable ones would forbid nothing. */
const DECIDING_EXTENSIONS: readonly string[] = [
  KEY_USAGE,
  BASIC_CONSTRAINTS,
  NAME_CONSTRAINTS,
  EXTENDED_KEY_USAGE,
];
/** Extensions that may be critical; certificate policies and the like bind only those who ask for a policy. */
const KNOWN_EXTENSIONS: readonly string[] = [
  ...DECIDING_EXTENSIONS,
  ...['2.5.29.17', '2.5.29.31', '2.5.29.32', '2.5.29.33', '2.5.29.36', '2.5.29.54'],
  ...['2.16.840.1.113730.1.1', '1.3.6.1.5.5.7.48.1.5', '1.3.6.1.5.5.7.1.7', '1.3.6.1.5.5.7.1.8'],
];
const DIGITAL_SIGNATURE_OR_NON_REPUDIATION = 0xc0;
const KEY_CERT_SIGN = 0x04;

const parsed = new WeakMap<X509Certificate, Certificate>();

/** Parsed by pkijs, once: Node shows neither path lengths nor key usages. Throws if it cannot be read. */
export function parsedOf(certificate: X509Certificate): Certificate {
  const known = parsed.get(certificate) ?? Certificate.fromBER(new Uint8Array(certificate.raw).buffer);
  parsed.set(certificate, known);
  return known;
}

/** Null for encodings that OpenSSL accepts and pkijs refuses. */
function parsedUnlessOdd(certificate: X509Certificate): Certificate | null {
  try {
    return parsedOf(certificate);
  } catch {
    return null;
  }
}

/** The fault of the signing certificate, in words that follow "is signed by a certificate that"; null: none. */
export function stampingFault(certificate: Certificate): string | null {
  const extension = faultOfExtensions(certificate);
  if (extension !== null) return extension;
  const purposes = purposesOf(certificate);
  if (!purposes?.includes(TIME_STAMPING)) return 'is not made for timestamps';
  if (purposes.some((oid) => OTHER_PURPOSES.includes(oid))) {
    return 'is made for other purposes beside timestamps';
  }
  if (extensionOf(certificate, EXTENDED_KEY_USAGE)?.critical !== true) {
    return 'names its purpose, timestamps, but not as critical';
  }
  const usage = keyUsageOf(certificate);
  if (usage === null) return null;
  const [first = 0, ...others] = usage;
  const isOnlySigning =
    (first & ~DIGITAL_SIGNATURE_OR_NON_REPUDIATION) === 0 && others.every((byte) => byte === 0);
  return isOnlySigning && first !== 0 ? null : 'has a key for other uses than signing';
}

/** The fault of its key; null: none. A certificate that counts by itself needs a good key too. */
export function keyFault(certificate: X509Certificate): string | null {
  const key = keyOf(certificate);
  if (key === null) return 'has a key that cannot be read';
  const { modulusLength: bits = RSA_BITS_MIN } = key.asymmetricKeyDetails ?? {};
  return bits < RSA_BITS_MIN ? `has an RSA key of ${bits} bits; at least ${RSA_BITS_MIN} are taken` : null;
}

/** Null for a key that OpenSSL cannot read: the certificates of a file may hold anything. */
function keyOf(certificate: X509Certificate): KeyObject | null {
  try {
    return certificate.publicKey;
  } catch {
    return null;
  }
}

function isSignedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  const key = keyOf(issuer);
  return key !== null && certificate.verify(key);
}

/** The chain, signer first, anchor last; or the fault in words that follow "is signed by a certificate that". */
export function findChain(order: ChainOrder): X509Certificate[] | string {
  const trusted = new Set(order.anchors.map(({ fingerprint256 }) => fingerprint256));
  // Anchors come first, as in OpenSSL: longer ways by the given intermediates are only tried after them.
  const candidates = [...order.anchors, ...order.others];
  let tries = 0;
  let fault = 'does not lead to the given roots';
  const walk = (chain: readonly X509Certificate[]): readonly X509Certificate[] | null => {
    const last = chain.at(-1);
    if (last === undefined || chain.length > CHAIN_MAX) return null;
    const isEnd = trusted.has(last.fingerprint256) && (!order.isToRoot || isSelfSigned(last));
    if (isEnd) {
      const found = faultOfChain(chain, order);
      if (found === null) return chain;
      fault = found;
    }
    if (isEnd || isSelfSigned(last)) return null;
    for (const candidate of candidates) {
      const isUsed = chain.some(({ fingerprint256 }) => fingerprint256 === candidate.fingerprint256);
      if (isUsed || !last.checkIssued(candidate)) continue;
      tries += 1;
      if (tries > TRIES_MAX) return null;
      if (!isSignedBy(last, candidate)) continue;
      const found = walk([...chain, candidate]);
      if (found !== null) return found;
    }
    return null;
  };
  const chain = walk([order.signer]);
  return chain === null ? fault : [...chain];
}

function isSelfSigned(certificate: X509Certificate): boolean {
  return certificate.checkIssued(certificate) && isSignedBy(certificate, certificate);
}

function faultOfChain(chain: readonly X509Certificate[], { at, purposes }: ChainOrder): string | null {
  const seconds = Math.floor(at.getTime() / 1000) * 1000;
  let length = 0;
  let shared = purposes;
  for (const [index, x509] of chain.entries()) {
    const isRoot = index === chain.length - 1;
    const where = index === 0 ? '' : `leads over ${isRoot ? 'a root' : 'an intermediate'} that `;
    const certificate = parsedUnlessOdd(x509);
    if (certificate === null) return `${where}cannot be read`;
    if (seconds < x509.validFromDate.getTime()) return `${where}was not valid yet at that time`;
    // Expired from the last second on, as OpenSSL counts it.
    if (seconds >= x509.validToDate.getTime()) return `${where}had ended at that time`;
    const own = faultOfExtensions(certificate) ?? keyFault(x509);
    if (own !== null) return `${where}${own}`;
    if (index > 0 && !mayIssue(x509)) return `${where}may not issue certificates`;
    const longest = pathLengthOf(certificate);
    if (index > 1 && longest !== null && length > longest)
      return `${where}allows ${longest} below it, found ${length}`;
    if (index > 0 && !isSelfIssued(certificate)) length += 1;
    if (index > 0 && breaksNames(certificate, chain.slice(0, index)))
      return `${where}does not allow its name`;
    const allowed = purposesOf(certificate);
    const isForAny = allowed?.some((it) => it === ANY_PURPOSE || (index > 0 && it === ADOBE_ISSUING));
    if (allowed !== null && isForAny !== true) shared = shared.filter((it) => allowed.includes(it));
    if (shared.length === 0) return `${where}is made for other purposes`;
  }
  return null;
}

function faultOfExtensions({ extensions = [] }: Certificate): string | null {
  const unknown = extensions.find(({ critical, extnID }) => critical && !KNOWN_EXTENSIONS.includes(extnID));
  if (unknown !== undefined) return `has a critical extension that is not known: ${unknown.extnID}`;
  const names = extensions.map(({ extnID }) => extnID);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return `has an extension twice: ${twice}`;
  const unread = extensions.find(({ extnID, parsedValue }) => {
    return DECIDING_EXTENSIONS.includes(extnID) && (!parsedValue || 'parsingError' in parsedValue);
  });
  return unread === undefined ? null : `has an extension that cannot be read: ${unread.extnID}`;
}

/** Whether it states that it may issue others; only a self-signed one may be older than that extension. */
export function mayIssue(x509: X509Certificate): boolean {
  const certificate = parsedUnlessOdd(x509);
  if (certificate === null) return false;
  // Node checks the basic constraints only.
  const usage = keyUsageOf(certificate);
  if (usage !== null && ((usage[0] ?? 0) & KEY_CERT_SIGN) === 0) return false;
  if (x509.ca) return true;
  if (extensionOf(certificate, BASIC_CONSTRAINTS) !== undefined || !isSelfSigned(x509)) return false;
  return certificate.version === 0 || usage !== null;
}

function pathLengthOf(certificate: Certificate): number | null {
  const value = extensionOf(certificate, BASIC_CONSTRAINTS)?.parsedValue;
  if (!(value instanceof BasicConstraints) || value.pathLenConstraint === undefined) return null;
  const { pathLenConstraint: length } = value;
  return typeof length === 'number' ? length : Number(length.toBigInt());
}

const isSelfIssued = ({ subject, issuer }: Certificate): boolean => subject.isEqual(issuer);

const DIRECTORY_NAME = 4;
const SUBJECT_ALT_NAME = '2.5.29.17';

/** Constraints of directory names are judged on the subjects below; others only if a certificate below has such names. */
function breaksNames(authority: Certificate, below: readonly X509Certificate[]): boolean {
  const value = extensionOf(authority, NAME_CONSTRAINTS)?.parsedValue;
  if (!(value instanceof NameConstraints)) return false;
  const { permittedSubtrees: permitted = [], excludedSubtrees: excluded = [] } = value;
  const isDirectory = ({ base }: { base: { type: number } }) => base.type === DIRECTORY_NAME;
  return below.map(parsedOf).some((certificate, index) => {
    if (index > 0 && isSelfIssued(certificate)) return false;
    const isUnder = ({ base }: { base: { value: unknown } }) => startsWith(certificate.subject, base.value);
    const directories = permitted.filter(isDirectory);
    if (directories.length > 0 && !directories.some(isUnder)) return true;
    if (excluded.filter(isDirectory).some(isUnder)) return true;
    const hasOtherKinds = [...permitted, ...excluded].some((subtree) => !isDirectory(subtree));
    return hasOtherKinds && extensionOf(certificate, SUBJECT_ALT_NAME) !== undefined;
  });
}

type Name = Certificate['subject'];

function startsWith({ typesAndValues }: Name, base: unknown): boolean {
  const wanted = (base as Name).typesAndValues;
  return wanted.every((pair, index) => typesAndValues[index]?.isEqual(pair) === true);
}

/** Null: for all. */
function purposesOf(certificate: Certificate): readonly string[] | null {
  const value = extensionOf(certificate, EXTENDED_KEY_USAGE)?.parsedValue;
  return value instanceof ExtKeyUsage ? value.keyPurposes : null;
}

/** The bytes of the bit string; null without one. */
function keyUsageOf(certificate: Certificate): Uint8Array | null {
  const value = extensionOf(certificate, KEY_USAGE)?.parsedValue as
    | { valueBlock?: { valueHexView?: Uint8Array } }
    | undefined;
  return value?.valueBlock?.valueHexView ?? null;
}

function extensionOf({ extensions = [] }: Certificate, id: string): Extension | undefined {
  return extensions.find(({ extnID }) => extnID === id);
}
