/** A large file by the tus protocol (tus.io, 1.0): it goes on where the appliance says, also after the line broke. */
import type { DetailedError, HttpResponse, Upload, UploadOptions } from 'tus-js-client';
import { ApiError, session } from '../parts/api.ts';
import { t } from '../texts/language.ts';

/** Below it an upload is begun again faster than it is taken up. */
export const RESUMABLE_BYTES_MIN = 8 * 1024 * 1024;
/** Between attempts that brought nothing; whatever gets through begins the row anew. */
const RETRY_DELAYS_MS = [1000, 2000, 4000, 8000, 15_000, 15_000, 15_000, 15_000];
/** The end of the call before is not known yet to the appliance. */
const PASSING_STATUSES: readonly number[] = [409, 423];

export class ResumableUpload {
  readonly #file: File;
  readonly #options: UploadOptions;
  #upload: Upload | undefined;
  #end = Promise.withResolvers<string>();

  constructor(file: File, fields: Readonly<Record<string, unknown>>, onShare: (share: number) => void) {
    this.#file = file;
    const named = Object.entries({ filename: file.name, ...fields });
    this.#options = {
      endpoint: '/files',
      metadata: Object.fromEntries(named.map(([name, value]) => [snakeCase(name), String(value)])),
      // Others may use the same computer.
      storeFingerprintForResuming: false,
      retryDelays: RETRY_DELAYS_MS,
      onShouldRetry: ({ originalResponse }) => isPassing(originalResponse),
      onBeforeRequest: (request) => request.setHeader('x-assay-csrf', session.get()?.csrfToken ?? ''),
      onProgress: (sentBytes) => onShare(sentBytes / file.size),
      onSuccess: ({ lastResponse }) => this.#end.resolve(lastResponse.getHeader('assay-identifier') ?? ''),
      onError: (error) => this.#end.reject(toFault(error)),
    };
  }

  /** Resolves to the record's identifier; throws `PAUSED` after a pause, and can then be called again. */
  async run(): Promise<string> {
    const end = Promise.withResolvers<string>();
    this.#end = end;
    // Only who sends a large file loads what sends it.
    import('tus-js-client').then(
      ({ Upload }) => {
        if (this.#end !== end) return;
        this.#upload ??= new Upload(this.#file, this.#options);
        this.#upload.start();
      },
      (error: unknown) => end.reject(toFault(error)),
    );
    return await end.promise;
  }

  pause(): void {
    void this.#upload?.abort();
    this.#end.reject(new ApiError(t('pause'), { code: 'PAUSED' }));
    this.#end = Promise.withResolvers();
  }
}

/** Also if nothing was answered, whatever the browser thinks of its line. */
function isPassing(response: HttpResponse | null): boolean {
  const status = response?.getStatus();
  return status === undefined || PASSING_STATUSES.includes(status);
}

function toFault(error: unknown): ApiError {
  const response = (error as Partial<DetailedError>).originalResponse ?? null;
  if (response === null) return new ApiError(t('brokenOff'), { code: 'UNREACHABLE' });
  const status = String(response.getStatus());
  try {
    return new ApiError(String((JSON.parse(response.getBody()) as { error: unknown }).error), {
      code: status,
    });
  } catch {
    return new ApiError(`HTTP ${status}`, { code: status });
  }
}

/** `preventC2paForces` is `prevent_c2pa_forces` as a form's field. */
const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
