/** Authorities and tokens of the test's own, whose certificates can be wrong in any way: made with pkijs, so that any of it can be said. */
import { createHash, KeyObject, webcrypto } from 'node:crypto';
import { BitString, Integer, Null, ObjectIdentifier, OctetString, Sequence, Utf8String } from 'asn1js';
import * as pkijs from 'pkijs';
import type { Identity } from '../certificates.ts';

export const NOW = new Date('2026-03-01T12:00:00Z');
const DAY_MS = 86_400_000;
export const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
const SHA256 = '2.16.840.1.101.3.4.2.1';
const ECDSA = { name: 'ECDSA', namedCurve: 'P-256' } as const;

const RSA = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', publicExponent: Uint8Array.of(1, 0, 1) } as const;

export interface CertificatePlan {
  name?: string;
  /** Days before and after the time of the token. */
  notBefore?: Date;
  notAfter?: Date;
  isCa?: boolean | null;
  pathLength?: number;
  /** The first byte of the bit string; null: no such extension. */
  keyUsage?: number | null;
  purposes?: readonly string[] | null;
  isPurposeCritical?: boolean;
  isPurposeTwice?: boolean;
  /** A critical extension under this OID. */
  unknownCritical?: string;
  /** Common name that certificates below must have. */
  permittedName?: string;
  /** 0 is version 1: no extension at all. */
  version?: 0 | 2;
  /** Instead of an elliptic curve. */
  rsaBits?: number;
  /** Signed by another key than that of its issuer. */
  isForged?: boolean;
}

export interface Made {
  certificate: pkijs.Certificate;
  keys: CryptoKeyPair;
}

let serial = 1000;

export async function makeCertificate(plan: CertificatePlan, issuer: Made | null): Promise<Made> {
  const { rsaBits: modulusLength } = plan;
  const algorithm = modulusLength === undefined ? ECDSA : { ...RSA, modulusLength };
  const pair = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const keys = pair as unknown as CryptoKeyPair;
  const certificate = new pkijs.Certificate();
  serial += 1;
  certificate.version = plan.version ?? 2;
  certificate.serialNumber = new Integer({ value: serial });
  certificate.subject = nameOf(plan.name ?? `Test ${serial}`);
  certificate.issuer = issuer?.certificate.subject ?? certificate.subject;
  certificate.notBefore.value = plan.notBefore ?? new Date(NOW.getTime() - DAY_MS);
  certificate.notAfter.value = plan.notAfter ?? new Date(NOW.getTime() + DAY_MS);
  await certificate.subjectPublicKeyInfo.importKey(keys.publicKey);
  if (certificate.version !== 0) {
    const identifiers = keyIdentifiers(certificate, issuer?.certificate ?? certificate);
    certificate.extensions = [...identifiers, ...extensionsOf(plan)];
  }
  const signer = plan.isForged === true ? keys : (issuer?.keys ?? keys);
  await certificate.sign(signer.privateKey, 'SHA-256');
  return { certificate, keys };
}

/** Signs media as the C2PA reader wants it. */
export function toIdentity({ certificate, keys }: Made): Identity {
  const privateKey = KeyObject.from(keys.privateKey);
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { name: '', cert: toPem([certificate]), key, privateKey };
}

/** The name has an organisation: a signature of media without one counts as broken. */
function nameOf(commonName: string): pkijs.RelativeDistinguishedNames {
  const typesAndValues = ['2.5.4.10', '2.5.4.3'].map((type) => {
    return new pkijs.AttributeTypeAndValue({ type, value: new Utf8String({ value: commonName }) });
  });
  return new pkijs.RelativeDistinguishedNames({ typesAndValues });
}

/** Identifiers of its own key and of its issuer's, which distinguish two authorities of one name. */
function keyIdentifiers(certificate: pkijs.Certificate, issuer: pkijs.Certificate): pkijs.Extension[] {
  const idOf = ({ subjectPublicKeyInfo }: pkijs.Certificate) =>
    new OctetString({
      valueHex: digest('sha1', subjectPublicKeyInfo.subjectPublicKey.valueBlock.valueHexView),
    });
  const own = { extnID: '2.5.29.14', critical: false, extnValue: idOf(certificate).toBER() };
  const authority = new pkijs.AuthorityKeyIdentifier({ keyIdentifier: idOf(issuer) }).toSchema().toBER();
  // Authorities without extensions have no identifier that could be named.
  if (issuer.version === 0) return [new pkijs.Extension(own)];
  return [new pkijs.Extension(own), new pkijs.Extension({ extnID: '2.5.29.35', extnValue: authority })];
}

function extensionsOf(plan: CertificatePlan): pkijs.Extension[] {
  const { isCa = null, pathLength, keyUsage = null, purposes = null, isPurposeCritical = true } = plan;
  const extension = (extnID: string, critical: boolean, value: { toBER(): ArrayBuffer }) =>
    new pkijs.Extension({ extnID, critical, extnValue: value.toBER() });
  const made: pkijs.Extension[] = [];
  if (isCa !== null) {
    const length = pathLength === undefined ? {} : { pathLenConstraint: pathLength };
    made.push(extension('2.5.29.19', true, new pkijs.BasicConstraints({ cA: isCa, ...length }).toSchema()));
  }
  if (keyUsage !== null) {
    made.push(extension('2.5.29.15', true, new BitString({ valueHex: Uint8Array.of(keyUsage).buffer })));
  }
  if (purposes !== null) {
    const usage = new pkijs.ExtKeyUsage({ keyPurposes: [...purposes] }).toSchema();
    for (let times = plan.isPurposeTwice === true ? 2 : 1; times > 0; times -= 1) {
      made.push(extension('2.5.29.37', isPurposeCritical, usage));
    }
  }
  if (plan.unknownCritical !== undefined) made.push(extension(plan.unknownCritical, true, new Null()));
  if (plan.permittedName !== undefined) {
    const base = new pkijs.GeneralName({ type: 4, value: nameOf(plan.permittedName) });
    const subtree = new pkijs.GeneralSubtree({ base });
    made.push(
      extension('2.5.29.30', true, new pkijs.NameConstraints({ permittedSubtrees: [subtree] }).toSchema()),
    );
  }
  return made;
}

export interface TokenPlan {
  /** The certificate that the token names as its signer's; null: it names none. The signer's unless given. */
  named?: readonly pkijs.Certificate[] | null;
  /** The name that the token gives to the authority. */
  tsa?: string;
  at?: Date;
  contentType?: string;
  version?: number;
}

/** A reply, as DER. */
export async function stamp(
  bytes: Uint8Array,
  signer: Made,
  inToken: readonly pkijs.Certificate[],
  {
    named = [signer.certificate],
    tsa,
    at = NOW,
    contentType = pkijs.id_eContentType_TSTInfo,
    version = 1,
  }: TokenPlan,
): Promise<Buffer> {
  serial += 1;
  const info = new pkijs.TSTInfo({
    version,
    policy: '1.2.3.4.1',
    messageImprint: new pkijs.MessageImprint({
      hashAlgorithm: new pkijs.AlgorithmIdentifier({ algorithmId: SHA256, algorithmParams: new Null() }),
      hashedMessage: new OctetString({ valueHex: digest('sha256', bytes) }),
    }),
    serialNumber: new Integer({ value: serial }),
    genTime: at,
    ...(tsa === undefined ? {} : { tsa: new pkijs.GeneralName({ type: 4, value: nameOf(tsa) }) }),
  });
  const content = info.toSchema().toBER();
  const attributes = [
    attribute('1.2.840.113549.1.9.3', new ObjectIdentifier({ value: contentType })),
    attribute(
      '1.2.840.113549.1.9.4',
      new OctetString({ valueHex: digest('sha256', new Uint8Array(content)) }),
    ),
  ];
  if (named !== null) attributes.push(attribute('1.2.840.113549.1.9.16.2.47', signingCertificates(named)));
  const { issuer, serialNumber } = signer.certificate;
  const signed = new pkijs.SignedData({
    version: 3,
    encapContentInfo: new pkijs.EncapsulatedContentInfo({
      eContentType: contentType,
      eContent: new OctetString({ valueHex: content }),
    }),
    signerInfos: [
      new pkijs.SignerInfo({
        version: 1,
        sid: new pkijs.IssuerAndSerialNumber({ issuer, serialNumber }),
        signedAttrs: new pkijs.SignedAndUnsignedAttributes({ type: 0, attributes }),
      }),
    ],
    certificates: [...inToken],
  });
  await signed.sign(signer.keys.privateKey, 0, 'SHA-256');
  const token = new pkijs.ContentInfo({
    contentType: '1.2.840.113549.1.7.2',
    content: signed.toSchema(true),
  });
  const status = new pkijs.PKIStatusInfo({ status: 0 });
  const response = new pkijs.TimeStampResp({ status, timeStampToken: token });
  return Buffer.from(response.toSchema().toBER());
}

function attribute(type: string, value: Sequence | ObjectIdentifier | OctetString): pkijs.Attribute {
  return new pkijs.Attribute({ type, values: [value] });
}

function signingCertificates(named: readonly pkijs.Certificate[]): Sequence {
  const ids = named.map((certificate) => {
    const der = new Uint8Array(certificate.toSchema(true).toBER());
    return new Sequence({ value: [new OctetString({ valueHex: digest('sha256', der) })] });
  });
  return new Sequence({ value: [new Sequence({ value: ids })] });
}

function digest(name: string, bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(createHash(name).update(bytes).digest()).buffer;
}

export function toPem(certificates: readonly pkijs.Certificate[]): string {
  return certificates
    .map((certificate) => {
      const base64 = Buffer.from(certificate.toSchema(true).toBER()).toString('base64');
      const lines = base64.match(/.{1,64}/g) ?? [];
      return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
    })
    .join('');
}
