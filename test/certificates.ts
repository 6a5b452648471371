/** X.509 certificates made on the spot (DER by hand, P-256), so that no private key lies in the repository. */
import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';

export interface Identity {
  /** PEM. */
  cert: string;
  key: string;
  name: string;
  privateKey: KeyObject;
}

export interface IdentityOptions {
  name: string;
  /** The issuer; without one the certificate signs itself and is an authority. */
  issuer?: Identity;
  notBefore?: Date;
  notAfter?: Date;
  /** The extended key usage of a certificate that signs media. */
  use?: readonly number[];
  /** The certificate signs media as C2PA wants it, instead of serving `localhost`. */
  signsMedia?: boolean;
}

const SHA256_ECDSA = sequence(oid([1, 2, 840, 10045, 4, 3, 2]));
const EMAIL_PROTECTION = [1, 3, 6, 1, 5, 5, 7, 3, 4];
const YEAR_MS = 365 * 24 * 3600 * 1000;

/** Makes a certificate for `localhost` and 127.0.0.1. */
export function makeIdentity(options: IdentityOptions): Identity {
  const { name, issuer, notBefore, notAfter, signsMedia = false, use = EMAIL_PROTECTION } = options;
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const body = sequence(
    tag(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    SHA256_ECDSA,
    nameOf(issuer?.name ?? name),
    sequence(
      time(notBefore ?? new Date(Date.now() - YEAR_MS)),
      time(notAfter ?? new Date(Date.now() + YEAR_MS)),
    ),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tag(
      0xa3,
      sequence(
        ...(signsMedia && issuer !== undefined
          ? mediaExtensions(publicKey, createPublicKey(issuer.privateKey), use)
          : extensions(issuer === undefined)),
      ),
    ),
  );
  const signature = sign('sha256', body, issuer?.privateKey ?? privateKey);
  const der = sequence(body, SHA256_ECDSA, tag(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = der.toString('base64').replace(/.{64}(?=.)/g, '$&\n');
  return {
    name,
    privateKey,
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function extensions(isAuthority: boolean): Buffer[] {
  const names = sequence(tag(0x82, Buffer.from('localhost')), tag(0x87, Buffer.from([127, 0, 0, 1])));
  const subjectAltName = sequence(oid([2, 5, 29, 17]), tag(0x04, names));
  if (!isAuthority) return [subjectAltName];
  const authority = sequence(tag(0x01, Buffer.from([0xff])));
  return [
    sequence(oid([2, 5, 29, 19]), tag(0x01, Buffer.from([0xff])), tag(0x04, authority)),
    subjectAltName,
  ];
}

/** Each certificate names its own key and that of its issuer, so that authorities of one name differ. */
function mediaExtensions(own: KeyObject, issuers: KeyObject, use: readonly number[]): Buffer[] {
  const digitalSignature = Buffer.from([0x03, 0x02, 0x07, 0x80]);
  const critical = tag(0x01, Buffer.from([0xff]));
  return [
    sequence(oid([2, 5, 29, 15]), critical, tag(0x04, digitalSignature)),
    sequence(oid([2, 5, 29, 37]), tag(0x04, sequence(oid([...use])))),
    sequence(oid([2, 5, 29, 14]), tag(0x04, tag(0x04, keyIdentifier(own)))),
    sequence(oid([2, 5, 29, 35]), tag(0x04, sequence(tag(0x80, keyIdentifier(issuers))))),
  ];
}

function keyIdentifier(key: KeyObject): Buffer {
  return createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest();
}

/** The name has an organisation: a signature of media without one counts as broken. */
function nameOf(name: string): Buffer {
  const part = (kind: number) => tag(0x31, sequence(oid([2, 5, 4, kind]), tag(0x0c, Buffer.from(name))));
  return sequence(part(10), part(3));
}

function time(date: Date): Buffer {
  return tag(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`));
}

function tag(kind: number, body: Buffer): Buffer {
  const { length } = body;
  if (length < 128) return Buffer.concat([Buffer.from([kind, length]), body]);
  return Buffer.concat([Buffer.from([kind, 0x82, length >> 8, length & 255]), body]);
}

function sequence(...parts: Buffer[]): Buffer {
  return tag(0x30, Buffer.concat(parts));
}

function integer(bytes: Buffer): Buffer {
  return tag(0x02, bytes);
}

function oid([first = 0, second = 0, ...rest]: number[]): Buffer {
  const bytes = rest.flatMap((number) => {
    const digits = [number & 127];
    for (let left = number >> 7; left > 0; left >>= 7) digits.unshift((left & 127) | 128);
    return digits;
  });
  return tag(0x06, Buffer.from([first * 40 + second, ...bytes]));
}
