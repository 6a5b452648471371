/** The signed head of the log (C2SP tlog-checkpoint and signed-note, Ed25519): origin, size, root, empty line, signatures. */
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { HASH_BYTES } from './merkle-tree.ts';

export interface Checkpoint {
  /** Names the log by box and epoch. */
  origin: string;
  size: number;
  root: Buffer;
}

export interface NoteSigner {
  /** 32 bytes. */
  rawPublicKey: Uint8Array;
  sign(bytes: Uint8Array): Uint8Array;
}

/** The log's name, which every note states beside the hash of the key. */
export const originOf = (epoch: string): string => `assay/custody/${epoch}`;

const ED25519 = 0x01;
const KEY_ID_BYTES = 4;
const SIGNATURE_BYTES = 64;
const PUBLIC_KEY_BYTES = 32;
/** Our notes have some 300 characters; several signatures fit. */
export const NOTE_CHARACTERS_MAX = 4096;

export function checkpointText({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${root.toString('base64')}\n`;
}

/** The first four bytes of SHA-256 of name, newline, algorithm and key (C2SP signed-note). */
export function keyIdOf(name: string, rawPublicKey: Uint8Array): Buffer {
  const content = Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(ED25519), rawPublicKey]);
  return createHash('sha256').update(content).digest().subarray(0, KEY_ID_BYTES);
}

export function signCheckpoint(checkpoint: Checkpoint, { rawPublicKey, sign }: NoteSigner): string {
  const text = checkpointText(checkpoint);
  const { origin } = checkpoint;
  const signature = Buffer.concat([keyIdOf(origin, rawPublicKey), sign(Buffer.from(text))]);
  return `${text}\n— ${origin} ${signature.toString('base64')}\n`;
}

export interface SignedCheckpoint extends Checkpoint {
  /** The signed bytes. */
  text: string;
  signatures: { name: string; keyId: Buffer; signature: Buffer }[];
}

/** Undefined for a note of another format. Signatures of other algorithms are kept for readers that know them. */
export function parseCheckpoint(note: string): SignedCheckpoint | undefined {
  if (note.length > NOTE_CHARACTERS_MAX) return undefined;
  const end = note.indexOf('\n\n');
  if (end < 0) return undefined;
  const text = note.slice(0, end + 1);
  const [origin = '', sizeText = '', rootText = ''] = text.split('\n');
  const size = Number(sizeText);
  const root = decodeStrictly(rootText);
  const isWhole = origin !== '' && /^(0|[1-9]\d{0,15})$/.test(sizeText) && root?.length === HASH_BYTES;
  if (!isWhole || root === undefined) return undefined;
  const signatures = note
    .slice(end + 2)
    .split('\n')
    .flatMap((line) => parseSignature(line) ?? []);
  return { origin, size, root, text, signatures };
}

function parseSignature(line: string): SignedCheckpoint['signatures'][number] | undefined {
  const [, name, encoded = ''] = /^— (\S+) ([A-Za-z0-9+/=]+)$/.exec(line) ?? [];
  const bytes = decodeStrictly(encoded);
  if (name === undefined || bytes === undefined) return undefined;
  const keyId = bytes.subarray(0, KEY_ID_BYTES);
  return { name, keyId, signature: bytes.subarray(KEY_ID_BYTES) };
}

/** Accepts only one of several spellings of the same bytes, so that a note cannot be changed and still hold. */
function decodeStrictly(encoded: string): Buffer | undefined {
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.toString('base64') === encoded ? bytes : undefined;
}

export function isSignedBy(checkpoint: SignedCheckpoint, rawPublicKey: Uint8Array): boolean {
  if (rawPublicKey.length !== PUBLIC_KEY_BYTES) return false;
  const { origin, signatures, text } = checkpoint;
  const wanted = keyIdOf(origin, rawPublicKey);
  const key = publicKeyOf(rawPublicKey);
  return signatures.some(
    ({ name, keyId, signature }) =>
      name === origin &&
      keyId.equals(wanted) &&
      signature.length === SIGNATURE_BYTES &&
      verify(null, Buffer.from(text), key, signature),
  );
}

function publicKeyOf(rawPublicKey: Uint8Array): KeyObject {
  const x = Buffer.from(rawPublicKey).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}
