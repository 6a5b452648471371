/** Signatures of a C2PA store (JUMBF; C2PA 2.4, 11), time stamps and CAWG identities: the reader gives no certificate. */
import { decode } from 'cborg';

export interface SignatureBox {
  label: string;
  /** DER, the signer's own first; empty without a chain, or with several. */
  certificates: Uint8Array[];
  /** RFC 3161, a reply or its token. */
  timeStamp: Uint8Array | null;
  /** Whether the signer stapled an answer on its revocation. */
  hasStapled: boolean;
  /** Certificates of each identity assertion: DER, the signer's own first; empty if it cannot be read. */
  identities: Uint8Array[][];
}

const SIGNATURE_LABEL = 'c2pa.signature';
const ASSERTIONS_LABEL = 'c2pa.assertions';
const IDENTITY_LABEL = /^cawg\.identity/;
/** The kind of identity assertion that a certificate signs. */
export const BY_CERTIFICATE = 'cawg.x509.cose';
/** A store holds manifests, which hold assertion stores, which hold assertions. */
const DEPTH_MAX = 4;
const BOXES_MAX = 10_000;
const CERTIFICATES_MAX = 10;
/** IANA COSE header parameter; old writers used the name. */
const X5CHAIN = [33, 'x5chain'] as const;

interface Box {
  type: string;
  body: Uint8Array;
}

interface SuperBox {
  label: string;
  boxes: Box[];
}

/** Leaves out manifests without a valid signature box: the reader reports their fault. */
export function readSignatures(store: Uint8Array): SignatureBox[] {
  const bound = { left: BOXES_MAX };
  return openBoxes(store, bound).flatMap(({ type, body }) =>
    type === 'jumb' ? signaturesIn(openSuperBox(body, bound), bound, DEPTH_MAX) : [],
  );
}

function signaturesIn({ label, boxes }: SuperBox, bound: { left: number }, depth: number): SignatureBox[] {
  if (depth === 0) return [];
  const inner = boxes.filter(({ type }) => type === 'jumb').map(({ body }) => openSuperBox(body, bound));
  return inner.flatMap((box) => {
    if (box.label !== SIGNATURE_LABEL) return signaturesIn(box, bound, depth - 1);
    const content = contentOf(box);
    const signature = content === undefined ? null : readCose(content);
    return signature === null ? [] : [{ label, ...signature, identities: identitiesIn(inner, bound) }];
  });
}

function identitiesIn(boxes: readonly SuperBox[], bound: { left: number }): Uint8Array[][] {
  const assertions = boxes
    .filter(({ label }) => label === ASSERTIONS_LABEL)
    .flatMap((store) => store.boxes.filter(({ type }) => type === 'jumb'))
    .map(({ body }) => openSuperBox(body, bound));
  return assertions
    .filter(({ label }) => IDENTITY_LABEL.test(label))
    .flatMap((box) => {
      const content = contentOf(box);
      const assertion = content === undefined ? undefined : decodeCbor(content);
      if (!(assertion instanceof Map)) return [[]];
      const payload: unknown = assertion.get('signer_payload');
      if (payload instanceof Map && payload.get('sig_type') !== BY_CERTIFICATE) return [];
      const signature: unknown = assertion.get('signature');
      return [signature instanceof Uint8Array ? (readCose(signature)?.certificates ?? []) : []];
    });
}

function contentOf({ boxes }: SuperBox): Uint8Array | undefined {
  return boxes.find(({ type }) => type === 'cbor')?.body;
}

function openSuperBox(bytes: Uint8Array, bound: { left: number }): SuperBox {
  const [description, ...boxes] = openBoxes(bytes, bound);
  const label = description?.type === 'jumd' ? labelOf(description.body) : '';
  return { label, boxes };
}

/** A description has sixteen bytes of type, one of toggles, then the label up to a zero. */
function labelOf(description: Uint8Array): string {
  const end = description.indexOf(0, 17);
  return Buffer.from(description.subarray(17, end === -1 ? undefined : end)).toString('utf8');
}

function openBoxes(bytes: Uint8Array, bound: { left: number }): Box[] {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const boxes: Box[] = [];
  let at = 0;
  while (at + 8 <= view.length && bound.left > 0) {
    bound.left -= 1;
    const declared = view.readUInt32BE(at);
    const isLong = declared === 1 && at + 16 <= view.length;
    const size = declared === 0 ? view.length - at : isLong ? Number(view.readBigUInt64BE(at + 8)) : declared;
    const head = isLong ? 16 : 8;
    if (size < head || at + size > view.length) break;
    boxes.push({ type: view.toString('latin1', at + 4, at + 8), body: view.subarray(at + head, at + size) });
    at += size;
  }
  return boxes;
}

function readCose(bytes: Uint8Array): Omit<SignatureBox, 'label' | 'identities'> | null {
  const parts = decodeCbor(bytes);
  if (!Array.isArray(parts) || parts.length !== 4) return null;
  const [protectedBytes, open] = parts as [unknown, unknown];
  const sealed = protectedBytes instanceof Uint8Array ? decodeCbor(protectedBytes) : null;
  const headers = [sealed, open].filter((header) => header instanceof Map);
  const hasStapled = headers.some((header) => header.has('rVals'));
  const chains = X5CHAIN.flatMap((name) => headers.map((header) => bytesIn(header.get(name))));
  const stamps = ['sigTst2', 'sigTst'].flatMap((name) =>
    headers.flatMap((header) => tokensIn(header.get(name))),
  );
  return {
    certificates: onlyOf(chains.filter(({ length }) => length > 0)) ?? [],
    timeStamp: onlyOf(stamps),
    hasStapled,
  };
}

/** The reader may have judged another of several than the one looked at here: then none counts. */
const onlyOf = <T>(found: readonly T[]): T | null => (found.length === 1 ? (found[0] ?? null) : null);

/** One certificate, or several. */
function bytesIn(value: unknown): Uint8Array[] {
  return (Array.isArray(value) ? value : [value])
    .filter((item) => item instanceof Uint8Array)
    .slice(0, CERTIFICATES_MAX);
}

function tokensIn(value: unknown): Uint8Array[] {
  const tokens: unknown = value instanceof Map ? value.get('tstTokens') : null;
  return (Array.isArray(tokens) ? tokens : []).flatMap((token: unknown) =>
    token instanceof Map ? bytesIn(token.get('val')) : [],
  );
}

/** Undefined for invalid CBOR. */
function decodeCbor(bytes: Uint8Array): unknown {
  try {
    return decode(bytes, { useMaps: true, rejectDuplicateMapKeys: true, tags: TAGS });
  } catch {
    return undefined;
  }
}

/** The COSE_Sign1 tag (RFC 9052) is optional. */
const TAGS = { 18: (decodeContent: () => unknown) => decodeContent() };
