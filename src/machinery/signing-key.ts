/** The Ed25519 key (RFC 8032) that signs what leaves the box; retired keys stay published, as signatures outlive them. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../domain/error-code.ts';
import { OperatorFault } from '../domain/operator-fault.ts';

export interface SigningKey {
  /** As `ssh-keygen -l` prints it: `SHA256:` and the hash of the public key in SSH's form, base64 without padding. */
  readonly fingerprint: string;
  /** SubjectPublicKeyInfo in PEM, for `openssl`. */
  readonly publicKeyPem: string;
  /** The 32 bytes of RFC 8032. */
  readonly rawPublicKey: Buffer;
  /** When this box made it or first saw it; microseconds since 1970 UTC. */
  readonly createdAt: number;
  /** 64 bytes (RFC 8032, the pure variant). */
  sign(bytes: Uint8Array): Buffer;
}

export interface PublishedKey {
  readonly fingerprint: string;
  readonly publicKeyPem: string;
  readonly rawPublicKey: Buffer;
  /** Microseconds since 1970 UTC. */
  readonly createdAt: number;
  /** When another key took its place; null: it still signs. */
  readonly retiredAt: number | null;
}

export interface SigningKeysConfig {
  /** The data folder. */
  folder: string;
  /** PKCS#8 in PEM, from the settings; null: the data folder's own. */
  givenPem: string | null;
  /** Microseconds since 1970 UTC. */
  now: () => number;
}

/** What is wrong with a key or the list of keys, as a sentence for the operator. */
export class SigningKeyError extends OperatorFault {}

export const SIGNING_KEY_FILE = 'evidence-signing.key';
/** Public, so it lies in every backup, with or without secrets. */
export const PUBLISHED_KEYS_FILE = 'evidence-keys.json';
/** Clients fetch the list; one key a day lasts for three years. */
const KEYS_MAX = 1000;
/** The end of an Ed25519 SubjectPublicKeyInfo in DER (RFC 8410). */
const RAW_KEY_BYTES = 32;
const SSH_KEY_TYPE = 'ssh-ed25519';

interface StoredKey {
  publicKeyPem: string;
  createdAt: number;
  retiredAt: number | null;
}

export class SigningKeys {
  readonly #config: SigningKeysConfig;
  #current: SigningKey;
  #published: readonly PublishedKey[];
  #rotation: Promise<unknown> = Promise.resolve();

  private constructor(config: SigningKeysConfig, current: SigningKey, published: readonly PublishedKey[]) {
    this.#config = config;
    this.#current = current;
    this.#published = published;
  }

  /** Only for the process that holds the lock of the data folder. Throws SigningKeyError if a file cannot be used. */
  static async open(config: SigningKeysConfig): Promise<SigningKeys> {
    const known = await readPublished(config.folder);
    const privateKey =
      config.givenPem === null ? await readOrMake(config.folder) : parsePrivateKey(config.givenPem);
    const { current, published } = withCurrent(known, privateKey, config.now());
    // Published before anything is signed: a signature by an unpublished key convinces no one.
    if (published !== known) await writePublished(config.folder, published);
    return new SigningKeys(config, current, published);
  }

  /** The present key. Ask each time, since a rotation replaces it. */
  current(): SigningKey {
    return this.#current;
  }

  /** All keys that ever signed here, newest first. */
  published(): readonly PublishedKey[] {
    return this.#published;
  }

  /** Whether the key comes from the settings, and is replaced only there. */
  get isGiven(): boolean {
    return this.#config.givenPem !== null;
  }

  /** Replaces the present key, whose public half stays published. Throws if the key is given. */
  rotate(): Promise<SigningKey> {
    const rotated = this.#rotation.then(() => this.#rotate());
    this.#rotation = rotated.catch(() => {});
    return rotated;
  }

  async #rotate(): Promise<SigningKey> {
    if (this.isGiven) {
      throw new SigningKeyError(
        'the signing key is given by the setting evidence.signing_key: put another one there and start again',
      );
    }
    if (this.#published.length >= KEYS_MAX) {
      throw new SigningKeyError(`there are ${KEYS_MAX} published keys already, which is the most`);
    }
    const { folder, now } = this.#config;
    const { privateKey } = generateKeyPairSync('ed25519');
    // The key comes first: a start in between publishes the new key, and the old one stays published.
    await writeDurably(join(folder, SIGNING_KEY_FILE), toPem(privateKey));
    const { current, published } = withCurrent(this.#published, privateKey, now());
    await writePublished(folder, published);
    this.#current = current;
    this.#published = published;
    return current;
  }
}

/** Throws SigningKeyError with what was found instead of an Ed25519 key; the message holds nothing of the text. */
export function parsePrivateKey(pem: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    const isLocked = pem.includes('ENCRYPTED');
    throw new SigningKeyError(isLocked ? 'a key under a passphrase' : 'no private key in PEM (PKCS#8)');
  }
  if (key.asymmetricKeyType !== 'ed25519') {
    throw new SigningKeyError(`a key of type ${key.asymmetricKeyType}`);
  }
  return key;
}

/** The public key as RFC 8709 writes it: what `ssh-keygen` reads and hashes. */
export function toSshBlob(rawPublicKey: Uint8Array): Buffer {
  return Buffer.concat([withLength(Buffer.from(SSH_KEY_TYPE)), withLength(rawPublicKey)]);
}

/** `ssh-ed25519 AAAA…`, a line of `allowed_signers` without its principal. */
export function toSshPublicKey(rawPublicKey: Uint8Array): string {
  return `${SSH_KEY_TYPE} ${toSshBlob(rawPublicKey).toString('base64')}`;
}

export function fingerprintOf(rawPublicKey: Uint8Array): string {
  const hash = createHash('sha256').update(toSshBlob(rawPublicKey)).digest('base64');
  return `SHA256:${hash.replace(/=+$/, '')}`;
}

/** The 32 bytes of a public or private Ed25519 key. */
export function rawPublicKeyOf(key: KeyObject): Buffer {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  return publicKey.export({ type: 'spki', format: 'der' }).subarray(-RAW_KEY_BYTES);
}

/** A string in SSH's wire format (RFC 4251): its length in four bytes, then its bytes. */
function withLength(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Returns `known` itself if it already says all of this. */
function withCurrent(
  known: readonly PublishedKey[],
  privateKey: KeyObject,
  now: number,
): { current: SigningKey; published: readonly PublishedKey[] } {
  const publicKey = createPublicKey(privateKey);
  const rawPublicKey = rawPublicKeyOf(publicKey);
  const fingerprint = fingerprintOf(rawPublicKey);
  const publicKeyPem = String(publicKey.export({ type: 'spki', format: 'pem' }));
  const before = known.find((key) => key.fingerprint === fingerprint);
  const createdAt = before?.createdAt ?? now;
  const current = {
    fingerprint,
    publicKeyPem,
    rawPublicKey,
    createdAt,
    sign: (bytes: Uint8Array) => sign(null, bytes, privateKey),
  };
  const others = known.filter((key) => key !== before);
  if (before?.retiredAt === null && others.every(({ retiredAt }) => retiredAt !== null)) {
    return { current, published: known };
  }
  const retired = others.map((key) => ({ ...key, retiredAt: key.retiredAt ?? now }));
  const first = { fingerprint, publicKeyPem, rawPublicKey, createdAt, retiredAt: null };
  return { current, published: [first, ...retired] };
}

async function readOrMake(folder: string): Promise<KeyObject> {
  const path = join(folder, SIGNING_KEY_FILE);
  const pem = await readIfThere(path);
  if (pem === undefined) {
    const { privateKey } = generateKeyPairSync('ed25519');
    await writeDurably(path, toPem(privateKey));
    return privateKey;
  }
  try {
    return parsePrivateKey(pem);
  } catch (error) {
    if (!(error instanceof SigningKeyError)) throw error;
    throw new SigningKeyError(
      `${path} is damaged: expected an Ed25519 private key in PEM (PKCS#8), found ${error.message}. Bring it back from a ` +
        'backup with secrets; or move it away, and this start makes a new one and goes on publishing the old public key',
    );
  }
}

async function readPublished(folder: string): Promise<readonly PublishedKey[]> {
  const path = join(folder, PUBLISHED_KEYS_FILE);
  const text = await readIfThere(path);
  if (text === undefined) return [];
  try {
    const { keys } = JSON.parse(text) as { keys: StoredKey[] };
    return keys.map(toPublished);
  } catch {
    throw new SigningKeyError(
      `${path} is damaged: expected the public signing keys of this box. Bring it back from a backup; or move it away, and ` +
        'only the present key is published from then on',
    );
  }
}

function toPublished({ publicKeyPem, createdAt, retiredAt }: StoredKey): PublishedKey {
  const key = createPublicKey(publicKeyPem);
  const isTime = (value: unknown) => Number.isSafeInteger(value);
  if (key.asymmetricKeyType !== 'ed25519' || !isTime(createdAt) || !(retiredAt === null || isTime(retiredAt)))
    throw new Error('not a published key');
  const rawPublicKey = rawPublicKeyOf(key);
  return { fingerprint: fingerprintOf(rawPublicKey), publicKeyPem, rawPublicKey, createdAt, retiredAt };
}

async function writePublished(folder: string, published: readonly PublishedKey[]): Promise<void> {
  const keys = published.map(
    ({ publicKeyPem, createdAt, retiredAt }): StoredKey => ({ publicKeyPem, createdAt, retiredAt }),
  );
  await writeDurably(join(folder, PUBLISHED_KEYS_FILE), `${JSON.stringify({ keys }, null, 2)}\n`);
}

const toPem = (privateKey: KeyObject): string => String(privateKey.export({ type: 'pkcs8', format: 'pem' }));

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new SigningKeyError(`${path} cannot be read (${codeOf(error)})`);
  }
}

/** The file is whole or absent, also after a power loss: half a key would stop every later start. */
async function writeDurably(path: string, text: string): Promise<void> {
  const partial = `${path}.new`;
  {
    await using file = await open(partial, 'w', 0o600);
    await file.writeFile(text);
    await file.sync();
  }
  await rename(partial, path);
  await using folder = await open(join(path, '..'), 'r');
  await folder.sync();
}
