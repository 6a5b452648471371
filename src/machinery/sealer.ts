/** Seals secrets that must be shown again (API keys) under a key file of the data folder: AES-256-GCM. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../domain/error-code.ts';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
export const SEALING_KEY_FILE = 'sealing.key';

export class Sealer {
  readonly #key: Buffer;

  private constructor(key: Buffer) {
    this.#key = key;
  }

  /** Reads the key file, or makes it at the first start. */
  static async open(folder: string): Promise<Sealer> {
    const path = join(folder, SEALING_KEY_FILE);
    try {
      // Flushed: a power cut soon after the first start once left an empty key, with which no later start worked.
      await writeFile(path, randomBytes(KEY_BYTES), { flag: 'wx', mode: 0o600, flush: true });
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    const key = await readFile(path);
    if (key.length !== KEY_BYTES)
      throw new Error(`${SEALING_KEY_FILE} is damaged: expected ${KEY_BYTES} bytes`);
    return new Sealer(key);
  }

  /** Nonce, tag, ciphertext. */
  seal(secret: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce, { authTagLength: TAG_BYTES });
    const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  }

  /** Throws if the bytes were changed or sealed under another key. */
  unseal(sealed: Uint8Array): string {
    const nonce = sealed.subarray(0, NONCE_BYTES);
    const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', this.#key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(tag);
    const text = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    return text.toString('utf8');
  }
}
