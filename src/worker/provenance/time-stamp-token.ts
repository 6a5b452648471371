/** The certificates of a time stamp (RFC 3161), its signer's own first; the C2PA reader judges the token. */
import { X509Certificate } from 'node:crypto';
import { fromBER, type OctetString, Sequence } from 'asn1js';
import { Certificate, ContentInfo, IssuerAndSerialNumber, SignedData, TimeStampResp, TSTInfo } from 'pkijs';
import { timeOfMs } from '../../domain/time.ts';

export interface TimeStampToken {
  /** Microseconds since 1970. */
  time: number;
  certificates: X509Certificate[];
}

const SIGNED_DATA = '1.2.840.113549.1.7.2';
const CERTIFICATES_MAX = 10;

/** Null if it cannot be read, or lacks its signer's certificate. */
export function readTimeStamp(bytes: Uint8Array): TimeStampToken | null {
  try {
    const signed = openToken(bytes);
    const content = signed.encapContentInfo.eContent as OctetString | undefined;
    const [signer, ...others] = signed.signerInfos;
    if (content === undefined || signer === undefined || others.length > 0) return null;
    const { sid } = signer;
    if (!(sid instanceof IssuerAndSerialNumber)) return null;
    const all = (signed.certificates ?? []).filter((item) => item instanceof Certificate);
    const own = all.filter(
      ({ issuer, serialNumber }) => issuer.isEqual(sid.issuer) && serialNumber.isEqual(sid.serialNumber),
    );
    const [leaf] = own;
    if (leaf === undefined || own.length > 1) return null;
    const chain = [leaf, ...all.filter((certificate) => certificate !== leaf)].slice(0, CERTIFICATES_MAX);
    const time = timeOfMs(TSTInfo.fromBER(content.getValue()).genTime.getTime());
    if (time === null) return null;
    return {
      time,
      certificates: chain.map((item) => new X509Certificate(Buffer.from(item.toSchema(true).toBER()))),
    };
  } catch {
    // Hostile bytes that cannot be read have no authority.
    return null;
  }
}

/** Claims of version 1 hold the whole reply, those of version 2 the token. */
function openToken(bytes: Uint8Array): SignedData {
  const { result } = fromBER(bytes);
  if (!(result instanceof Sequence)) throw new Error('no sequence');
  const isReply = result.valueBlock.value[0] instanceof Sequence;
  const token = isReply
    ? new TimeStampResp({ schema: result }).timeStampToken
    : new ContentInfo({ schema: result });
  if (token?.contentType !== SIGNED_DATA) throw new Error('no signed data');
  return new SignedData({ schema: token.content });
}
