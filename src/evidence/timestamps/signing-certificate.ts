/** The token's ESS signing certificate (RFC 2634, RFC 5035): a serial number alone could belong to another certificate. */
import { createHash } from 'node:crypto';
import { type BaseBlock, Constructed, OctetString, Sequence } from 'asn1js';
import { type Certificate, GeneralNames, type SignerInfo } from 'pkijs';

const SIGNING_CERTIFICATE = '1.2.840.113549.1.9.16.2.12';
const SIGNING_CERTIFICATE_V2 = '1.2.840.113549.1.9.16.2.47';
const DIGESTS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    '1.3.14.3.2.26': 'sha1',
    '2.16.840.1.101.3.4.2.1': 'sha256',
    '2.16.840.1.101.3.4.2.2': 'sha384',
    '2.16.840.1.101.3.4.2.3': 'sha512',
  }),
);

/** The fault, after the token's name; null if it names the signer first, then its chain. Null chain: only the signer. */
export function signingCertificateFault(
  { signedAttrs }: SignerInfo,
  signer: Certificate,
  chain: readonly Certificate[] | null,
): string | null {
  const attributes = (signedAttrs?.attributes ?? []).filter(({ type }) =>
    [SIGNING_CERTIFICATE, SIGNING_CERTIFICATE_V2].includes(type),
  );
  if (attributes.length === 0) return 'does not say which certificate has signed it (RFC 3161, 2.4.2)';
  for (const { type, values } of attributes) {
    const ids = idsOf(values[0]).slice(0, chain === null ? 1 : undefined);
    if (ids.length === 0) return 'does not say which certificate has signed it (RFC 3161, 2.4.2)';
    const standard = type === SIGNING_CERTIFICATE ? 'sha1' : 'sha256';
    for (const [index, id] of ids.entries()) {
      const at = (chain ?? [signer]).findIndex((certificate) => isNamedBy(certificate, id, standard));
      if (at < 0 || (at === 0) !== (index === 0)) return 'says that another certificate has signed it';
    }
  }
  return null;
}

/** `SEQUENCE { certs SEQUENCE OF ESSCertID, … }` */
function idsOf(value: unknown): readonly BaseBlock[][] {
  const [certs] = partsOf(value);
  return partsOf(certs).map(partsOf);
}

/** `[hashAlgorithm], certHash, [issuerSerial]` */
function isNamedBy(certificate: Certificate, parts: readonly BaseBlock[], standard: string): boolean {
  const at = parts.findIndex((part) => part instanceof OctetString);
  const hash = parts[at];
  if (!(hash instanceof OctetString)) return false;
  const [algorithm] = at === 0 ? [] : partsOf(parts[0]);
  const digest = at === 0 ? standard : DIGESTS.get(String(algorithm?.valueBlock));
  if (digest === undefined) return false;
  const made = createHash(digest)
    .update(Buffer.from(certificate.toSchema(true).toBER(false)))
    .digest();
  return (
    made.equals(Buffer.from(hash.valueBlock.valueHexView)) && hasIssuerSerial(certificate, parts[at + 1])
  );
}

function hasIssuerSerial(
  { issuer, serialNumber }: Certificate,
  issuerSerial: BaseBlock | undefined,
): boolean {
  if (!(issuerSerial instanceof Sequence)) return true;
  const [names, serial] = partsOf(issuerSerial);
  if (names === undefined || serial === undefined) return false;
  const [name, ...others] = new GeneralNames({ schema: names }).names;
  return (
    others.length === 0 && name?.type === 4 && issuer.isEqual(name.value) && serialNumber.isEqual(serial)
  );
}

function partsOf(value: unknown): BaseBlock[] {
  return value instanceof Sequence || value instanceof Constructed
    ? (value.valueBlock.value as BaseBlock[])
    : [];
}
