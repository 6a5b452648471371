/** Timestamps (RFC 3161). A token says that bytes existed at its time; its author is known only by a trusted root. */
import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { fromBER, Integer, Null, OctetString, type Sequence } from 'asn1js';
import {
  AlgorithmIdentifier,
  AltName,
  Certificate,
  type ContentInfo,
  type GeneralName,
  MessageImprint,
  SignedData,
  SignedDataVerifyError,
  TimeStampReq,
  TimeStampResp,
  TSTInfo,
} from 'pkijs';
import {
  findChain,
  parsedOf,
  stampingFault,
  TIME_STAMPING,
} from '../../domain/provenance/certificate-chain.ts';
import { showText } from '../../domain/shown-text.ts';
import { MICROSECONDS_PER_MS } from '../../domain/time.ts';
import { signingCertificateFault } from './signing-certificate.ts';

export interface Timestamp {
  /** The authority's time; microseconds since 1970 UTC. */
  time: number;
  /** Subject of the authority's certificate. */
  authority: string;
  /** Hex. */
  serialNumber: string;
}

/** Why a reply is no timestamp of the bytes, in words that follow a name: `asks for …`, `is no …`. */
export class TimestampError extends Error {}

export interface TimestampQuery {
  /** DER, to be sent as application/timestamp-query. */
  query: Buffer;
  /** Hex; the reply must hold it. */
  nonce: string;
}

export interface JudgeOrder {
  /** The stamped bytes. */
  bytes: Uint8Array;
  /** Nonce of the query; absent if it is no longer known. */
  nonce?: string;
  /** PEM bundle that the authority's certificate must lead to; null: not checked. */
  rootsPem: string | null;
}

const SHA256 = '2.16.840.1.101.3.4.2.1';
const DIGESTS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    [SHA256]: 'sha256',
    '2.16.840.1.101.3.4.2.2': 'sha384',
    '2.16.840.1.101.3.4.2.3': 'sha512',
  }),
);
const NONCE_BYTES = 16;
/** An authority's bundle has a few; that of a whole system some hundred. */
const ROOTS_MAX = 1000;
/** Content type of a token (RFC 3161, 2.4.2). */
const TST_INFO = '1.2.840.113549.1.9.16.1.4';
/** RFC 3161, 2.4.2. */
const STATUSES = ['granted', 'granted with changes', 'rejected', 'waiting', 'revocation warning', 'revoked'];

/** Asks for the authority's certificate too, so that the token can be judged without it. */
export function toTimestampQuery(bytes: Uint8Array): TimestampQuery {
  const nonce = randomBytes(NONCE_BYTES);
  // Positive, and in DER's shortest form.
  nonce[0] = ((nonce[0] ?? 0) & 0x7f) | 0x40;
  const request = new TimeStampReq({
    version: 1,
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({ algorithmId: SHA256, algorithmParams: new Null() }),
      hashedMessage: new OctetString({ valueHex: toArrayBuffer(digestOf('sha256', bytes)) }),
    }),
    nonce: new Integer({ valueHex: toArrayBuffer(nonce) }),
    certReq: true,
  });
  return { query: Buffer.from(request.toSchema().toBER(false)), nonce: nonce.toString('hex') };
}

/** Throws a TimestampError with the fault. */
export async function judgeTimestamp(
  reply: Uint8Array,
  { bytes, nonce, rootsPem }: JudgeOrder,
): Promise<Timestamp> {
  const signedData = openReply(reply);
  const { eContent: content, eContentType } = signedData.encapContentInfo;
  if (content === undefined || eContentType !== TST_INFO) throw new TimestampError('holds no timestamp');
  const info = parse('holds no timestamp that can be read', () => TSTInfo.fromBER(content.getValue()));
  if (info.version !== 1) throw new TimestampError(`is of version ${info.version}, expected 1`);
  assertImprint(info, bytes);
  if (nonce !== undefined && toHex(info.nonce?.valueBlock.valueHexView) !== nonce) {
    const found = info.nonce === undefined ? 'has no nonce' : 'has another nonce';
    throw new TimestampError(`answers another query: it ${found}`);
  }
  const signer = await assertSigned(signedData, { bytes, rootsPem, info });
  return {
    time: info.genTime.getTime() * MICROSECONDS_PER_MS,
    authority: showText(nameOf(signer)),
    serialNumber: toHex(info.serialNumber.valueBlock.valueHexView),
  };
}

/** Throws a TimestampError if a bundle holds no certificate, or one that cannot be read. */
export function readRoots(pem: string): Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new TimestampError('holds no certificate in PEM');
  if (blocks.length > ROOTS_MAX) {
    throw new TimestampError(`expected at most ${ROOTS_MAX} certificates, found ${blocks.length}`);
  }
  return blocks.map((block) =>
    parse('holds a certificate that cannot be read', () =>
      Certificate.fromBER(toArrayBuffer(Buffer.from(block.replace(/-----[^-]+-----/g, ''), 'base64'))),
    ),
  );
}

function openReply(reply: Uint8Array): SignedData {
  const response = parse('is no reply of a timestamp authority (RFC 3161)', () => {
    // Trailing bytes could carry anything.
    if (fromBER(toArrayBuffer(reply)).offset !== reply.length) throw new Error('bytes behind it');
    return TimeStampResp.fromBER(toArrayBuffer(reply));
  });
  const { status, statusStrings = [] } = response.status;
  const token: ContentInfo | undefined = response.timeStampToken;
  if (status > 1 || token === undefined) {
    const said = statusStrings.map((text) => showText(String(text.valueBlock.value))).join('; ');
    const name = STATUSES[status] ?? `status ${status}`;
    throw new TimestampError(`is no timestamp: the authority answered "${name}"${said && `: ${said}`}`);
  }
  return parse(
    'holds a token that cannot be read',
    () => new SignedData({ schema: token.content as Sequence }),
  );
}

function assertImprint({ messageImprint }: TSTInfo, bytes: Uint8Array): void {
  const { hashAlgorithm, hashedMessage } = messageImprint;
  const digest = DIGESTS.get(hashAlgorithm.algorithmId);
  if (digest === undefined) {
    throw new TimestampError(`is made by a digest that is not taken: ${hashAlgorithm.algorithmId}`);
  }
  if (digestOf(digest, bytes).equals(Buffer.from(hashedMessage.valueBlock.valueHexView))) return;
  throw new TimestampError('is a timestamp of other bytes: its message imprint differs');
}

/** The certificate that signed it. Checked at the token's own time, as the certificate may have expired since. */
async function assertSigned(
  signedData: SignedData,
  { bytes, rootsPem, info }: { bytes: Uint8Array; rootsPem: string | null; info: TSTInfo },
): Promise<Certificate> {
  const roots = rootsPem === null ? null : readRoots(rootsPem);
  const [signerInfo, ...others] = signedData.signerInfos;
  if (signerInfo === undefined || others.length > 0) {
    throw new TimestampError(`expected one signature in it, found ${signedData.signerInfos.length}`);
  }
  const signer = await verifySignature(signedData, bytes);
  const fault = stampingFault(signer);
  if (fault !== null) throw new TimestampError(`is signed by a certificate that ${fault}`);
  const chain = roots === null ? null : leadToRoots(signer, signedData, roots, info.genTime);
  const named = signingCertificateFault(signerInfo, signer, chain);
  if (named !== null) throw new TimestampError(named);
  if (info.tsa !== undefined && !isNameOf(signer, info.tsa)) {
    throw new TimestampError('names another authority than its certificate');
  }
  return signer;
}

function leadToRoots(
  signer: Certificate,
  { certificates = [] }: SignedData,
  roots: readonly Certificate[],
  at: Date,
): Certificate[] {
  const others = certificates.filter((it) => it instanceof Certificate).flatMap((it) => toX509(it) ?? []);
  const own = toX509(signer);
  if (own === null) throw new TimestampError('is signed by a certificate that cannot be read');
  const anchors = roots.flatMap((root) => toX509(root) ?? []);
  const chain = findChain({ signer: own, others, anchors, isToRoot: true, purposes: [TIME_STAMPING], at });
  if (typeof chain === 'string') throw new TimestampError(`is signed by a certificate that ${chain}`);
  return chain.map(parsedOf);
}

/** Null if OpenSSL cannot read it: then it leads nowhere. */
function toX509(certificate: Certificate): X509Certificate | null {
  try {
    return new X509Certificate(Buffer.from(certificate.toSchema(true).toBER(false)));
  } catch {
    return null;
  }
}

async function verifySignature(signedData: SignedData, bytes: Uint8Array): Promise<Certificate> {
  const order = { signer: 0, data: toArrayBuffer(bytes), extendedMode: true, checkChain: false } as const;
  try {
    const { signatureVerified, signerCertificate } = await signedData.verify(order);
    if (signatureVerified === true && signerCertificate) return signerCertificate;
  } catch (error) {
    if (!(error instanceof SignedDataVerifyError)) throw error;
    throw new TimestampError(`does not verify: ${showText(error.message)}`, { cause: error });
  }
  throw new TimestampError('is not signed by the certificate in it');
}

const DIRECTORY_NAME = 4;
const SUBJECT_ALT_NAME = '2.5.29.17';

function isNameOf({ subject, extensions = [] }: Certificate, tsa: GeneralName): boolean {
  if (tsa.type === DIRECTORY_NAME && subject.isEqual(tsa.value)) return true;
  const other = extensions.find(({ extnID }) => extnID === SUBJECT_ALT_NAME)?.parsedValue;
  const wanted = tsa.toString('hex');
  return other instanceof AltName && other.altNames.some((it) => it.toString('hex') === wanted);
}

function nameOf({ subject }: Certificate): string {
  const values = subject.typesAndValues.map(({ value }) => String(value.valueBlock.value));
  return values.at(-1) ?? '';
}

function parse<T>(fault: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new TimestampError(fault, { cause: error });
  }
}

function digestOf(digest: string, bytes: Uint8Array): Buffer {
  return createHash(digest).update(bytes).digest();
}

function toHex(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? '' : Buffer.from(bytes).toString('hex');
}

/** A copy: a view of a pool would include its neighbours. */
function toArrayBuffer(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
