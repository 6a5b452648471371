/** Fetching media from an address: pinned connections, redirects judged again, bounded in size, time and hops. */
import type { Dispatcher } from 'undici';
import { codeOf } from '../../domain/error-code.ts';
import { AppError, diskFull, tooLarge } from '../../domain/errors.ts';
import type { MediaKind } from '../../domain/media/media.ts';
import { fetchRule, nameOfAddress, type ResolveHost } from '../../machinery/address.ts';
import { fetchGuarded, headerText, isNetworkFault } from '../../machinery/guarded-fetch.ts';
import type { TemporaryBlob } from '../../store/blobs.ts';
import { BlobTooLargeError, isDiskFull, type ReceiveBounds } from '../../store/media-writer.ts';
import type { Store } from '../../store/store.ts';
import { cleanName } from './uploads.ts';

export interface FetchConfig {
  fetchAllowNetworks: readonly string[];
  fetchTimeoutMs: number;
  /** Sent in the `User-Agent`; null without a contact in the settings. */
  fetchContact?: string | null;
  /** Bytes that must stay free on the disk; 0 unless given. */
  diskFreeBytesMin?: number;
  /** How names are resolved; the system's own way unless a test says otherwise. */
  resolve?: ResolveHost;
}

export interface MediaSource {
  /** As the caller gave it. */
  address: string;
  kind: MediaKind;
  /** The account whose plan bounds the file. */
  accountId: number;
}

/** More hops than this are a loop. */
const REDIRECTS_MAX = 5;
const FIELD = 'file_url';

/** Streams the body to a temporary blob; throws an AppError with a sentence for the record's `errors`. */
export async function fetchMedia(
  config: FetchConfig,
  store: Store,
  source: MediaSource,
  signal: AbortSignal,
): Promise<{ temporary: TemporaryBlob; name: string | null }> {
  const timeout = AbortSignal.timeout(config.fetchTimeoutMs);
  const bounded = AbortSignal.any([signal, timeout]);
  try {
    return await fetchBounded(config, store, source, bounded);
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) {
      throw failed(`the address took longer than ${config.fetchTimeoutMs / 1000} seconds`, error);
    }
    throw toFetchError(error);
  }
}

async function fetchBounded(
  config: FetchConfig,
  store: Store,
  source: MediaSource,
  signal: AbortSignal,
): Promise<{ temporary: TemporaryBlob; name: string | null }> {
  const bounds = { bytesMax: bytesMaxOf(store, source), freeBytesMin: config.diskFreeBytesMin ?? 0 };
  const rule = { ...fetchRule(config), ...(config.resolve === undefined ? {} : { resolve: config.resolve }) };
  return await fetchGuarded(
    {
      address: source.address,
      rule,
      redirectsMax: REDIRECTS_MAX,
      contact: config.fetchContact ?? null,
      take: async (answer, pinned) => {
        const temporary = await receive(answer, store, bounds, signal);
        const name =
          nameOfDisposition(headerText(answer.headers['content-disposition'])) ||
          nameOfAddress(new URL(source.address));
        return { temporary, name: cleanName(name || nameOfAddress(pinned.url)) || null };
      },
      failed: (fault) => failed(`the address ${fault}`),
    },
    signal,
  );
}

function bytesMaxOf({ read }: Store, { accountId, kind }: MediaSource): number {
  const plan = read.accounts.planOf(accountId);
  if (plan === undefined) throw new AppError('not_enabled', 'the account has no pricing plan');
  return plan.fileBytesMax[kind];
}

async function receive(
  { headers, body }: Dispatcher.ResponseData,
  store: Store,
  bounds: ReceiveBounds,
  signal: AbortSignal,
): Promise<TemporaryBlob> {
  const { bytesMax } = bounds;
  const stated = Number(headers['content-length'] ?? 0);
  if (stated > bytesMax) throw tooLarge(FIELD, stated, bytesMax);
  return await store.blobs.receive(body, bounds, signal).catch((error: unknown) => {
    throw error instanceof BlobTooLargeError
      ? tooLarge(FIELD, error.readBytes, bytesMax, 'at least ')
      : error;
  });
}

function failed(sentence: string, cause?: unknown): AppError {
  return new AppError('bad_address', sentence, { cause });
}

/** Faults of the network are the address' fault, and final: the record says why and can be retried. */
function toFetchError(error: unknown): unknown {
  if (isDiskFull(error)) return diskFull(error);
  return isNetworkFault(error) ? failed(`the address could not be fetched (${codeOf(error)})`, error) : error;
}

/** The file name of a Content-Disposition (RFC 6266), the extended form first; an empty string if there is none. */
export function nameOfDisposition(header: string): string {
  const extended = /;\s*filename\*\s*=\s*utf-8''([^;\s]+)/i.exec(header)?.[1];
  if (extended !== undefined) {
    try {
      return decodeURIComponent(extended);
    } catch {
      // A broken extended form leaves the plain one.
    }
  }
  const quoted = /;\s*filename\s*=\s*"((?:[^"\\]|\\.)*)"/i.exec(header)?.[1];
  if (quoted !== undefined) return quoted.replace(/\\(.)/g, '$1');
  return /;\s*filename\s*=\s*([^;\s"]+)/i.exec(header)?.[1] ?? '';
}
