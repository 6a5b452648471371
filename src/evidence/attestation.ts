/** An in-toto Statement (in-toto.io/Statement/v1) in a DSSE envelope; it signs bytes, so no canonical JSON is needed. */
import { createPublicKey, verify } from 'node:crypto';
import type { SigningKey } from '../machinery/signing-key.ts';

export interface Subject {
  name: string;
  digest: { sha256: string };
}

export interface Statement {
  _type: typeof STATEMENT_TYPE;
  subject: Subject[];
  predicateType: string;
  predicate: unknown;
}

const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
const PAYLOAD_TYPE = 'application/vnd.in-toto+json';
/** Type of a package's statement; docs/evidence.md describes it. */
export const FINDING_TYPE = 'urn:assay:evidence:finding:v1';
/** Type of a re-score difference. */
export const RESCORE_TYPE = 'urn:assay:evidence:rescore:v1';

interface Envelope {
  payload: string;
  payloadType: string;
  signatures: { keyid: string; sig: string }[];
}

export function toEnvelope(
  key: SigningKey,
  { subject, predicateType, predicate }: Omit<Statement, '_type'>,
): string {
  const statement: Statement = { _type: STATEMENT_TYPE, subject, predicateType, predicate };
  const payload = Buffer.from(JSON.stringify(statement));
  const sig = key.sign(preAuthEncoding(payload)).toString('base64');
  const envelope: Envelope = {
    payload: payload.toString('base64'),
    payloadType: PAYLOAD_TYPE,
    signatures: [{ keyid: key.fingerprint, sig }],
  };
  return `${JSON.stringify(envelope)}\n`;
}

/** Verified before it is parsed; returns the fault in words if the signature does not match. */
export function openEnvelope(text: string, publicKeyPem: string): Statement | string {
  let envelope: Partial<Envelope> | null;
  try {
    envelope = JSON.parse(text) as Partial<Envelope> | null;
  } catch {
    return 'is no JSON';
  }
  const [signature] = Array.isArray(envelope?.signatures) ? envelope.signatures : [];
  if (
    typeof envelope?.payload !== 'string' ||
    envelope.payloadType !== PAYLOAD_TYPE ||
    typeof signature?.sig !== 'string'
  )
    return 'is no DSSE envelope of an in-toto statement';
  const payload = Buffer.from(envelope.payload, 'base64');
  const holds = verify(
    null,
    preAuthEncoding(payload),
    createPublicKey(publicKeyPem),
    Buffer.from(signature.sig, 'base64'),
  );
  if (!holds) return 'is not signed by the key';
  return parseStatement(payload.toString('utf8')) ?? 'holds no in-toto statement about files';
}

function parseStatement(text: string): Statement | null {
  try {
    const statement = JSON.parse(text) as Partial<Statement> | null;
    const { _type, subject, predicateType } = statement ?? {};
    const isWhole =
      _type === STATEMENT_TYPE &&
      typeof predicateType === 'string' &&
      Array.isArray(subject) &&
      subject.every((it) => typeof it?.name === 'string' && typeof it.digest?.sha256 === 'string');
    return isWhole ? (statement as Statement) : null;
  } catch {
    return null;
  }
}

/** The signed bytes (DSSE 1.0.0): each length precedes its part, so that no two messages have the same bytes. */
function preAuthEncoding(payload: Buffer): Buffer {
  const head = `DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}
