/**
 * Whether the certificate of a timestamp authority leads to a given root, judged as `openssl ts -verify` does at the time of the token
 * (RFC 5280, section 6; OpenSSL's X509_verify_cert with the purpose timestampsign). The chain engine of pkijs asks neither for the
 * purpose nor for the length of the path.
 */
import { X509Certificate } from 'node:crypto';
import { BasicConstraints, type Certificate, type Extension, ExtKeyUsage, NameConstraints } from 'pkijs';

export interface ChainOrder {
  signer: Certificate;
  /** What lies in the token: an authority sends its intermediates along. */
  inToken: readonly Certificate[];
  /** What is trusted. Only a certificate that signed itself ends a chain. */
  roots: readonly Certificate[];
  /** By the token's own clock. */
  at: Date;
}

/** One certificate as both libraries read it. */
interface Link {
  parsed: Certificate;
  x509: X509Certificate;
}

/** Authorities have chains of three or four. */
const CHAIN_MAX = 10;
/** Signatures that are tried: many certificates of one name could be combined for ever. */
const TRIES_MAX = 200;

const KEY_USAGE = '2.5.29.15';
const BASIC_CONSTRAINTS = '2.5.29.19';
const NAME_CONSTRAINTS = '2.5.29.30';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
/** The purposes that OpenSSL knows beside time stamping; one of these makes the certificate one for something else as well. */
const OTHER_PURPOSES: readonly string[] = [
  ...['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2', '1.3.6.1.5.5.7.3.3', '1.3.6.1.5.5.7.3.4'],
  ...['1.3.6.1.5.5.7.3.9', '1.3.6.1.5.5.7.3.10', '1.3.6.1.4.1.311.10.3.3', '2.16.840.1.113730.4.1'],
  '2.5.29.37.0',
];
/** What may be critical; certificate policies and the like bind those only who ask for a policy. */
const KNOWN_EXTENSIONS: readonly string[] = [
  ...[KEY_USAGE, BASIC_CONSTRAINTS, NAME_CONSTRAINTS, EXTENDED_KEY_USAGE],
  ...['2.5.29.17', '2.5.29.31', '2.5.29.32', '2.5.29.33', '2.5.29.36', '2.5.29.54'],
  ...['2.16.840.1.113730.1.1', '1.3.6.1.5.5.7.48.1.5', '1.3.6.1.5.5.7.1.7', '1.3.6.1.5.5.7.1.8'],
];
const DIGITAL_SIGNATURE_OR_NON_REPUDIATION = 0xc0;

/** What is wrong with the certificate that signs, in words that follow "is signed by a certificate that"; null: nothing. */
export function stampingFault(certificate: Certificate): string | null {
  const extension = faultOfExtensions(certificate);
  if (extension !== null) return extension;
  const purpose = extensionOf(certificate, EXTENDED_KEY_USAGE);
  const { parsedValue } = purpose ?? {};
  if (!(parsedValue instanceof ExtKeyUsage) || !parsedValue.keyPurposes.includes(TIME_STAMPING)) {
    return 'is not made for timestamps';
  }
  if (parsedValue.keyPurposes.some((oid) => OTHER_PURPOSES.includes(oid))) {
    return 'is made for other purposes beside timestamps';
  }
  if (purpose?.critical !== true) return 'names its purpose, timestamps, but not as critical';
  const usage = keyUsageOf(certificate);
  if (usage === null) return null;
  const [first = 0, ...others] = usage;
  const isOnlySigning =
    (first & ~DIGITAL_SIGNATURE_OR_NON_REPUDIATION) === 0 && others.every((byte) => byte === 0);
  return isOnlySigning && first !== 0 ? null : 'has a key for other uses than signing';
}

/** The chain, the signer first; why there is none, in words that follow "is signed by a certificate that". */
export function findChain(order: ChainOrder): Certificate[] | string {
  const roots = order.roots.map(toLink);
  const trusted = new Set(roots.map(({ x509 }) => x509.fingerprint256));
  // The roots first, as OpenSSL does: a longer way round by the token's own is only tried after them.
  const candidates = [...roots, ...order.inToken.map(toLink)];
  let tries = 0;
  let fault = 'does not lead to the given roots';
  const walk = (chain: readonly Link[]): Link[] | null => {
    const last = chain.at(-1);
    if (last === undefined || chain.length > CHAIN_MAX) return null;
    if (isSelfSigned(last)) {
      if (!trusted.has(last.x509.fingerprint256)) return null;
      const found = faultOfChain(chain, order.at);
      if (found === null) return [...chain];
      fault = found;
      return null;
    }
    for (const candidate of candidates) {
      const isUsed = chain.some(({ x509 }) => x509.fingerprint256 === candidate.x509.fingerprint256);
      if (isUsed || !last.x509.checkIssued(candidate.x509)) continue;
      tries += 1;
      if (tries > TRIES_MAX) return null;
      if (!last.x509.verify(candidate.x509.publicKey)) continue;
      const found = walk([...chain, candidate]);
      if (found !== null) return found;
    }
    return null;
  };
  const chain = walk([toLink(order.signer)]);
  return chain === null ? fault : chain.map(({ parsed }) => parsed);
}

function isSelfSigned({ x509 }: Link): boolean {
  return x509.checkIssued(x509) && x509.verify(x509.publicKey);
}

function toLink(parsed: Certificate): Link {
  return { parsed, x509: new X509Certificate(Buffer.from(parsed.toSchema(true).toBER(false))) };
}

function faultOfChain(chain: readonly Link[], at: Date): string | null {
  const seconds = Math.floor(at.getTime() / 1000) * 1000;
  let length = 0;
  for (const [index, link] of chain.entries()) {
    const { parsed, x509 } = link;
    const isRoot = index === chain.length - 1;
    const where = index === 0 ? '' : `leads over ${isRoot ? 'a root' : 'an intermediate'} that `;
    if (seconds < x509.validFromDate.getTime()) return `${where}was not valid yet at the time of the token`;
    // At the last second too, as OpenSSL counts it.
    if (seconds >= x509.validToDate.getTime()) return `${where}had ended at the time of the token`;
    const extension = faultOfExtensions(parsed);
    if (extension !== null) return `${where}${extension}`;
    if (index > 0 && !mayIssue(link, isRoot)) return `${where}may not issue certificates`;
    const longest = pathLengthOf(parsed);
    if (index > 1 && longest !== null && length > longest)
      return `${where}allows ${longest} below it, found ${length}`;
    if (index > 0 && !isSelfIssued(parsed)) length += 1;
    if (index > 0 && breaksNames(parsed, chain.slice(0, index))) return `${where}does not allow its name`;
  }
  return null;
}

function faultOfExtensions({ extensions = [] }: Certificate): string | null {
  const unknown = extensions.find(({ critical, extnID }) => critical && !KNOWN_EXTENSIONS.includes(extnID));
  if (unknown !== undefined) return `has a critical extension that is not known: ${unknown.extnID}`;
  const names = extensions.map(({ extnID }) => extnID);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? null : `has an extension twice: ${twice}`;
}

/** A trusted root may be of the time before extensions; an intermediate must say that it is an authority. */
function mayIssue({ parsed, x509 }: Link, isRoot: boolean): boolean {
  if (x509.ca) return true;
  if (!isRoot || extensionOf(parsed, BASIC_CONSTRAINTS) !== undefined) return false;
  // That a key usage allows signing certificates, checkIssued has seen.
  return parsed.version === 0 || keyUsageOf(parsed) !== null;
}

function pathLengthOf(certificate: Certificate): number | null {
  const value = extensionOf(certificate, BASIC_CONSTRAINTS)?.parsedValue;
  if (!(value instanceof BasicConstraints) || value.pathLenConstraint === undefined) return null;
  const { pathLenConstraint: length } = value;
  return typeof length === 'number' ? length : Number(length.toBigInt());
}

function isSelfIssued({ subject, issuer }: Certificate): boolean {
  return subject.isEqual(issuer);
}

const DIRECTORY_NAME = 4;
const SUBJECT_ALT_NAME = '2.5.29.17';

/** Constraints of directory names are judged on the subjects below; other kinds only if a certificate below has such names. */
function breaksNames(authority: Certificate, below: readonly Link[]): boolean {
  const value = extensionOf(authority, NAME_CONSTRAINTS)?.parsedValue;
  if (!(value instanceof NameConstraints)) return false;
  const { permittedSubtrees: permitted = [], excludedSubtrees: excluded = [] } = value;
  const isDirectory = ({ base }: { base: { type: number } }) => base.type === DIRECTORY_NAME;
  return below.some(({ parsed }, index) => {
    if (index > 0 && isSelfIssued(parsed)) return false;
    const isUnder = ({ base }: { base: { value: unknown } }) => startsWith(parsed.subject, base.value);
    const directories = permitted.filter(isDirectory);
    if (directories.length > 0 && !directories.some(isUnder)) return true;
    if (excluded.filter(isDirectory).some(isUnder)) return true;
    const hasOtherKinds = [...permitted, ...excluded].some((subtree) => !isDirectory(subtree));
    return hasOtherKinds && extensionOf(parsed, SUBJECT_ALT_NAME) !== undefined;
  });
}

type Name = Certificate['subject'];

function startsWith({ typesAndValues }: Name, base: unknown): boolean {
  const wanted = (base as Name).typesAndValues;
  return wanted.every((pair, index) => typesAndValues[index]?.isEqual(pair) === true);
}

/** The bytes of the bit string; null if the certificate says nothing of it. */
function keyUsageOf(certificate: Certificate): Uint8Array | null {
  const value = extensionOf(certificate, KEY_USAGE)?.parsedValue as
    | { valueBlock?: { valueHexView?: Uint8Array } }
    | undefined;
  return value?.valueBlock?.valueHexView ?? null;
}

function extensionOf({ extensions = [] }: Certificate, id: string): Extension | undefined {
  return extensions.find(({ extnID }) => extnID === id);
}
