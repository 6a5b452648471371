/**
 * A large file on its way by the tus protocol (tus.io, 1.0): it can be paused, and goes on where the appliance says that
 * it has got to, also after the line broke off.
 */
import { ApiError, session } from '../parts/api.ts';

/** Below it an upload is begun again faster than it is taken up. */
export const RESUMABLE_BYTES_MIN = 8 * 1024 * 1024;
const VERSION = '1.0.0';
const RETRIES_MAX = 8;
const RETRY_MS_MAX = 15_000;

export class ResumableUpload {
  readonly #file: File;
  readonly #metadata: string;
  readonly #onShare: (share: number) => void;
  #address: string | undefined;
  #request: XMLHttpRequest | undefined;
  #isPaused = false;

  constructor(file: File, fields: Readonly<Record<string, unknown>>, onShare: (share: number) => void) {
    this.#file = file;
    this.#onShare = onShare;
    const named = { filename: file.name, ...fields };
    this.#metadata = Object.entries(named)
      .map(([name, value]) => `${snakeCase(name)} ${base64(String(value))}`)
      .join(',');
  }

  /** Resolves to the record's identifier; throws `PAUSED` after a pause, and can then be called again. */
  async run(): Promise<string> {
    this.#isPaused = false;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#sendRest();
      } catch (error) {
        if (this.#isPaused) throw new ApiError('Paused.', { code: 'PAUSED' });
        const isBroken = error instanceof ApiError && error.code === 'UNREACHABLE';
        if (!isBroken || attempt >= RETRIES_MAX) throw error;
        await new Promise((done) => setTimeout(done, Math.min(RETRY_MS_MAX, 1000 * 2 ** attempt)));
      }
    }
  }

  pause(): void {
    this.#isPaused = true;
    this.#request?.abort();
  }

  async #sendRest(): Promise<string> {
    const { size } = this.#file;
    if (this.#address === undefined) {
      const begun = { 'upload-length': String(size), 'upload-metadata': this.#metadata };
      this.#address = (await this.#ask('POST', '/files', begun)).getResponseHeader('location') ?? undefined;
    }
    const address = this.#address ?? '';
    const state = await this.#ask('HEAD', address, {});
    const known = state.getResponseHeader('assay-identifier');
    if (known !== null) return known;
    const offset = Number(state.getResponseHeader('upload-offset'));
    const headers = { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' };
    const answer = await this.#ask('PATCH', address, headers, this.#file.slice(offset), offset);
    const identifier = answer.getResponseHeader('assay-identifier');
    if (identifier !== null) return identifier;
    throw new ApiError('The upload ended early.', { code: 'UNREACHABLE' });
  }

  #ask(
    method: string,
    address: string,
    headers: Readonly<Record<string, string>>,
    body?: Blob,
    offset = 0,
  ): Promise<XMLHttpRequest> {
    const { promise, resolve, reject } = Promise.withResolvers<XMLHttpRequest>();
    const request = new XMLHttpRequest();
    this.#request = request;
    request.open(method, address);
    const all = { 'tus-resumable': VERSION, 'x-assay-csrf': session.get()?.csrfToken ?? '', ...headers };
    for (const [name, value] of Object.entries(all)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => {
      if (body !== undefined) this.#onShare((offset + loaded) / this.#file.size);
    };
    request.onload = () => (request.status < 400 ? resolve(request) : reject(toFault(request)));
    request.onerror = () => reject(new ApiError('The connection broke off.', { code: 'UNREACHABLE' }));
    request.onabort = () => reject(new ApiError('Stopped.', { code: 'CANCELLED' }));
    request.send(body);
    return promise;
  }
}

function toFault({ status, responseText }: XMLHttpRequest): ApiError {
  try {
    return new ApiError(String((JSON.parse(responseText) as { error: unknown }).error), {
      code: String(status),
    });
  } catch {
    return new ApiError(`HTTP ${status}`, { code: String(status) });
  }
}

/** `preventC2paForces` is `prevent_c2pa_forces` as a form's field. */
function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
