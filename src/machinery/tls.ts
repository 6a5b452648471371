/** Certificate and key from files, read again when they change; an unusable change is logged, and the previous one stays. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { Logger } from 'pino';

export interface TlsConfig {
  certFile: string;
  keyFile: string;
  /** Issuers of client certificates; with it, gRPC takes only clients that show one. */
  clientCaFile: string | null;
}

export interface TlsMaterial {
  cert: Buffer;
  key: Buffer;
  clientCa: Buffer | null;
}

/** No client of Assay needs an older version. */
export const TLS_VERSION_MIN = 'TLSv1.3';
/** Renewals come every few weeks; a few seconds of the old certificate hurt no one. */
const CHECK_INTERVAL_MS = 5_000;

export class TlsFiles implements Disposable {
  readonly #config: TlsConfig;
  readonly #log: Logger;
  readonly #listeners: ((material: TlsMaterial) => void)[] = [];
  readonly #timer: NodeJS.Timeout;
  #material: TlsMaterial;
  #stamp: string;
  #isChecking = false;

  private constructor(config: TlsConfig, log: Logger, material: TlsMaterial, stamp: string) {
    this.#config = config;
    this.#log = log;
    this.#material = material;
    this.#stamp = stamp;
    this.#timer = setInterval(() => void this.check(), CHECK_INTERVAL_MS).unref();
  }

  /** Throws if the files cannot be used. */
  static async open(config: TlsConfig, log: Logger): Promise<TlsFiles> {
    const stamp = await stampOf(config);
    return new TlsFiles(config, log, await load(config), stamp);
  }

  get material(): TlsMaterial {
    return this.#material;
  }

  /** When the certificate expires; milliseconds since 1970 UTC. */
  get validUntil(): number {
    return new X509Certificate(this.#material.cert).validToDate.getTime();
  }

  /** Called with each later material. */
  onChange(listener: (material: TlsMaterial) => void): void {
    this.#listeners.push(listener);
  }

  /** Looks whether the files changed; never rejects. */
  async check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      const stamp = await stampOf(this.#config);
      if (stamp === this.#stamp) return;
      // Noted before the files are read: a file that is being written changes again, and is read again.
      this.#stamp = stamp;
      this.#material = await load(this.#config);
      for (const listener of this.#listeners) listener(this.#material);
      this.#log.info({ validUntil: new Date(this.validUntil).toISOString() }, 'TLS certificate read again');
    } catch (error) {
      this.#log.error(
        { err: error },
        'the changed TLS files cannot be used; the certificate before them stays',
      );
    } finally {
      this.#isChecking = false;
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

async function stampOf({ certFile, keyFile, clientCaFile }: TlsConfig): Promise<string> {
  const paths = [certFile, keyFile, ...(clientCaFile === null ? [] : [clientCaFile])];
  const stats = await Promise.all(paths.map((path) => stat(path)));
  return stats.map(({ mtimeMs, size, ino }) => `${mtimeMs}/${size}/${ino}`).join(' ');
}

async function load({ certFile, keyFile, clientCaFile }: TlsConfig): Promise<TlsMaterial> {
  const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) {
    throw new Error(`${keyFile} is not the private key of the certificate in ${certFile}`);
  }
  return { cert, key, clientCa: clientCaFile === null ? null : await readFile(clientCaFile) };
}
