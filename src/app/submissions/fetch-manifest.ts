/**
 * Fetches a manifest from the address that a file names, in the daemon and never in a decode child: only from hosts that the
 * operator allows, through the guard of addresses, bounded in bytes, time and hops. Each hop is judged anew.
 */
import { Agent, request } from 'undici';
import { AppError } from '../../domain/errors.ts';
import { OUTER_MANIFEST_BYTES_MAX } from '../../domain/provenance/outer-manifest.ts';
import type { FetchedManifest } from '../../engine/analyses/outer-manifest.ts';
import { fetchRule, lookupOf, pinAddress, type ResolveHost } from '../../machinery/address.ts';

export interface FetchManifestConfig {
  /** Host names in lower case. */
  manifestHosts: readonly string[];
  fetchAllowNetworks: readonly string[];
  /** How names are resolved; the system's own way unless a test says otherwise. */
  resolve?: ResolveHost;
  /** Longest fetch; 20 seconds unless a test says otherwise. */
  manifestTimeoutMs?: number;
}

/** An analysis waits for it, and a person for the analysis. */
const TIMEOUT_MS = 20_000;
/** Stores of manifests answer at once or from another host; more hops are a loop or a maze. */
const REDIRECTS_MAX = 3;
const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308];
const REQUEST_HEADERS = {
  'accept-encoding': 'identity',
  accept: 'application/c2pa, */*',
  'user-agent': 'Assay',
};

export async function fetchManifest(
  config: FetchManifestConfig,
  address: string,
  signal: AbortSignal,
): Promise<FetchedManifest> {
  const { manifestTimeoutMs = TIMEOUT_MS } = config;
  const timeout = AbortSignal.timeout(manifestTimeoutMs);
  try {
    return await followRedirects(config, address, AbortSignal.any([signal, timeout]));
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) return failed(`it took longer than ${manifestTimeoutMs / 1000} seconds`);
    return failed(reasonOf(error));
  }
}

async function followRedirects(
  config: FetchManifestConfig,
  address: string,
  signal: AbortSignal,
): Promise<FetchedManifest> {
  const { resolve } = config;
  const rule = { ...fetchRule(config), ...(resolve === undefined ? {} : { resolve }) };
  let next = address;
  for (let hop = 0; hop <= REDIRECTS_MAX; hop += 1) {
    const refused = refusalOf(config, next, hop > 0);
    if (refused !== null) return refused;
    const pinned = await pinAddress(rule, next, signal);
    const agent = new Agent({ connect: { lookup: lookupOf(pinned) } });
    try {
      const { statusCode, headers, body } = await request(pinned.url, {
        ...{ dispatcher: agent, signal, headers: REQUEST_HEADERS },
      });
      // The connection is cut below whatever is left of the body; no one else listens for that.
      body.on('error', () => {});
      const { location } = headers;
      if (REDIRECT_STATUSES.includes(statusCode) && typeof location === 'string') {
        if (!URL.canParse(location, pinned.url.href)) return failed('it redirects to what is no address');
        next = new URL(location, pinned.url).href;
        continue;
      }
      if (statusCode !== 200) return failed(`the host answered with status ${statusCode}`);
      return await readBody(body);
    } finally {
      await agent.destroy();
    }
  }
  return failed(`it redirects more than ${REDIRECTS_MAX} times`);
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

async function readBody(body: AsyncIterable<Uint8Array>): Promise<FetchedManifest> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > OUTER_MANIFEST_BYTES_MAX) {
      return failed(`it has more than ${OUTER_MANIFEST_BYTES_MAX} bytes`);
    }
    pieces.push(piece);
  }
  return { outcome: 'fetched', bytes: Buffer.concat(pieces) };
}

function failed(reason: string): FetchedManifest {
  return { outcome: 'not_fetched', reason: reason.slice(0, REASON_CHARACTERS_MAX) };
}

/** A sentence's length; a host's name has up to 253 characters. */
const REASON_CHARACTERS_MAX = 500;

/** The guard names the field of a submission, which nobody sent here. */
function reasonOf(error: unknown): string {
  if (error instanceof AppError) return error.message.replace(/^file_url: /, '');
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return `it could not be fetched (${code})`;
}
