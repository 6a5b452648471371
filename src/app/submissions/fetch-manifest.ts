/** Fetches a manifest that a file names: only from allowed hosts, bounded in bytes, time and hops, each hop judged. */
import { codeOf } from '../../domain/error-code.ts';
import { AppError } from '../../domain/errors.ts';
import { OUTER_MANIFEST_BYTES_MAX } from '../../domain/provenance/outer-manifest.ts';
import type { FetchedManifest } from '../../engine/running/outer-manifest.ts';
import { fetchRule, type ResolveHost } from '../../machinery/address.ts';
import { fetchGuarded } from '../../machinery/guarded-fetch.ts';
import { readBounded } from '../../machinery/read-bounded.ts';

export interface FetchManifestConfig {
  /** Host names in lower case. */
  manifestHosts: readonly string[];
  fetchAllowNetworks: readonly string[];
  fetchContact?: string | null;
  /** How names are resolved; the system's own way unless a test says otherwise. */
  resolve?: ResolveHost;
  /** Longest fetch; 20 seconds unless a test says otherwise. */
  manifestTimeoutMs?: number;
}

/** An analysis waits for it, and a person for the analysis. */
const TIMEOUT_MS = 20_000;
/** Manifest stores answer at once or redirect once; more hops are a loop. */
const REDIRECTS_MAX = 3;

/** Carries the reason why there is no manifest. */
class NotFetchedError extends Error {
  override readonly name = 'NotFetchedError';
  readonly fetched: FetchedManifest;

  constructor(fetched: FetchedManifest) {
    super(fetched.outcome);
    this.fetched = fetched;
  }
}

export async function fetchManifest(
  config: FetchManifestConfig,
  address: string,
  signal: AbortSignal,
): Promise<FetchedManifest> {
  const { manifestTimeoutMs = TIMEOUT_MS } = config;
  const timeout = AbortSignal.timeout(manifestTimeoutMs);
  try {
    return await fetchAllowed(config, address, AbortSignal.any([signal, timeout]));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof NotFetchedError) return error.fetched;
    if (timeout.aborted) return failed(`it took longer than ${manifestTimeoutMs / 1000} seconds`);
    return failed(reasonOf(error));
  }
}

async function fetchAllowed(
  config: FetchManifestConfig,
  address: string,
  signal: AbortSignal,
): Promise<FetchedManifest> {
  const { resolve } = config;
  return await fetchGuarded(
    {
      address,
      redirectsMax: REDIRECTS_MAX,
      contact: config.fetchContact ?? null,
      accept: 'application/c2pa, */*',
      rule: { ...fetchRule(config), ...(resolve === undefined ? {} : { resolve }) },
      judge: (next, hop) => {
        const refused = refusalOf(config, next, hop > 0);
        if (refused !== null) throw new NotFetchedError(refused);
      },
      take: async ({ body }) => {
        const bytes = await readBounded(body, OUTER_MANIFEST_BYTES_MAX, tooLarge);
        return { outcome: 'fetched', bytes };
      },
      failed: (fault) => new NotFetchedError(failed(`it ${fault}`)),
    },
    signal,
  );
}

function refusalOf(
  { manifestHosts }: FetchManifestConfig,
  address: string,
  isRedirected: boolean,
): FetchedManifest | null {
  if (!URL.canParse(address)) return failed('it is no address');
  const { hostname } = new URL(address);
  if (manifestHosts.includes(hostname)) return null;
  const reason = isRedirected
    ? `it redirects to ${hostname}, which is not allowed`
    : 'the host is not allowed';
  return { outcome: 'host_not_allowed', reason: reason.slice(0, REASON_CHARACTERS_MAX) };
}

function tooLarge(): NotFetchedError {
  return new NotFetchedError(failed(`it has more than ${OUTER_MANIFEST_BYTES_MAX} bytes`));
}

function failed(reason: string): FetchedManifest {
  return { outcome: 'not_fetched', reason: reason.slice(0, REASON_CHARACTERS_MAX) };
}

/** A sentence's length; a host's name has up to 253 characters. */
const REASON_CHARACTERS_MAX = 500;

/** The guard reports under a field of the submission, which did not exist here. */
function reasonOf(error: unknown): string {
  if (error instanceof AppError) return error.message.replace(/^file_url: /, '');
  return `it could not be fetched (${codeOf(error)})`;
}
