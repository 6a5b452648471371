/** The releaser's Ed25519 signature of the lists of checksums; `systemd/verify.sh` judges it with openssl. */
import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';

/** Throws a sentence where the file holds no Ed25519 private key in PEM. */
export async function readSigningKey(path: string): Promise<KeyObject> {
  const pem = await readFile(path, 'utf8');
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw new Error(`${path}: expected a private key in PEM without a passphrase`);
  }
  if (key.asymmetricKeyType !== 'ed25519')
    throw new Error(`${path}: expected an Ed25519 key, found ${key.asymmetricKeyType}`);
  return key;
}

/** Writes `path`.sig, 64 bytes. */
export async function signFile(path: string, key: KeyObject): Promise<void> {
  await writeFile(`${path}.sig`, sign(null, await readFile(path), key));
}

/** The key as PEM, for the boxes that trust it. */
export function publicKeyOf(key: KeyObject): string {
  return createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
}
