/** Signatures that `ssh-keygen -Y verify` reads (OpenSSH, PROTOCOL.sshsig), made with the same Ed25519 key. */
import { createHash } from 'node:crypto';
import { type SigningKey, toSshBlob } from '../machinery/signing-key.ts';

/** A signature under another namespace says nothing about evidence. */
export const SSH_NAMESPACE = 'assay-evidence';
/** The signer's name in `allowed_signers`. */
export const SSH_PRINCIPAL = 'assay';
const MAGIC = Buffer.from('SSHSIG');
const VERSION = 1;
const HASH = 'sha512';
const LINE_CHARACTERS = 70;
const BEGIN = '-----BEGIN SSH SIGNATURE-----';
const END = '-----END SSH SIGNATURE-----';

/** Armoured, as `ssh-keygen -Y sign` writes it. */
export function toSshSignature(key: SigningKey, bytes: Uint8Array): string {
  const signature = Buffer.concat([string('ssh-ed25519'), string(key.sign(signedBytes(bytes)))]);
  const version = Buffer.alloc(4);
  version.writeUInt32BE(VERSION);
  const blob = Buffer.concat([
    MAGIC,
    version,
    ...[toSshBlob(key.rawPublicKey), SSH_NAMESPACE, '', HASH, signature].map(string),
  ]);
  return armour(blob);
}

function armour(blob: Buffer): string {
  const lines = blob.toString('base64').match(new RegExp(`.{1,${LINE_CHARACTERS}}`, 'g')) ?? [];
  return [BEGIN, ...lines, END, ''].join('\n');
}

/** The bare signature by the key, and the bytes that it signs; null if the text is no such signature. */
export function readSshSignature(
  text: string,
  rawPublicKey: Uint8Array,
  bytes: Uint8Array,
): { signature: Buffer; signed: Buffer } | null {
  const blob = Buffer.from(text.slice(BEGIN.length, -END.length - 1), 'base64');
  const expected = Buffer.concat([
    MAGIC,
    Buffer.from([0, 0, 0, VERSION]),
    ...[toSshBlob(rawPublicKey), SSH_NAMESPACE, '', HASH].map(string),
  ]);
  // Any other encoding is refused: there is only one way to write the same signature.
  const tail = Buffer.concat([string('ssh-ed25519'), Buffer.from([0, 0, 0, SIGNATURE_BYTES])]);
  const head = Buffer.concat([expected, lengthOf(tail.length + SIGNATURE_BYTES), tail]);
  if (blob.length !== head.length + SIGNATURE_BYTES || !blob.subarray(0, head.length).equals(head))
    return null;
  // Decoding skips characters outside base64: a line of them could carry a message to a person.
  if (text !== armour(blob)) return null;
  return { signature: blob.subarray(head.length), signed: signedBytes(bytes) };
}

const SIGNATURE_BYTES = 64;

/** One line for the verifier: only this key, only for evidence. */
export function toAllowedSigners(sshPublicKey: string): string {
  return `${SSH_PRINCIPAL} namespaces="${SSH_NAMESPACE}" ${sshPublicKey}\n`;
}

function signedBytes(bytes: Uint8Array): Buffer {
  const digest = createHash(HASH).update(bytes).digest();
  return Buffer.concat([MAGIC, ...[SSH_NAMESPACE, '', HASH, digest].map(string)]);
}

function string(value: string | Uint8Array): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([lengthOf(bytes.length), bytes]);
}

function lengthOf(length: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
}
