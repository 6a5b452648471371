/** Fetching media from an address: pinned connections, redirects judged again, bounded in size, time and hops. */
import type { LookupFunction } from 'node:net';
import { Agent, request } from 'undici';
import { AppError } from '../domain/errors.ts';
import { VIDEO_BYTES_MAX } from '../domain/limits.ts';
import type { BlobStore, TemporaryBlob } from '../store/blobs.ts';
import { type AddressConfig, type PinnedAddress, pinAddress } from './address.ts';

export interface FetchConfig extends AddressConfig {
  fetchTimeoutMs: number;
}

/** More hops than this are a loop or a maze. */
const REDIRECTS_MAX = 5;
const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308];

/** Streams the body to a temporary blob; throws an AppError with a sentence for the record's `errors`. */
export async function fetchMedia(
  config: FetchConfig,
  blobs: BlobStore,
  address: string,
  signal: AbortSignal,
): Promise<{ temporary: TemporaryBlob; name: string | null }> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(config.fetchTimeoutMs)]);
  let next = address;
  for (let hop = 0; hop <= REDIRECTS_MAX; hop += 1) {
    const pinned = await pinAddress(config, next, bounded);
    const outcome = await fetchOnce(pinned, blobs, bounded);
    if (outcome.location === null) return { temporary: outcome.temporary, name: nameOf(pinned.url) };
    next = new URL(outcome.location, pinned.url).href;
  }
  throw new AppError('bad_address', `the address redirects more than ${REDIRECTS_MAX} times`);
}

type Outcome = { location: string } | { location: null; temporary: TemporaryBlob };

async function fetchOnce(pinned: PinnedAddress, blobs: BlobStore, signal: AbortSignal): Promise<Outcome> {
  const agent = new Agent({ connect: { lookup: lookupOf(pinned) } });
  try {
    const { statusCode, headers, body } = await request(pinned.url, { dispatcher: agent, signal });
    const location = headers.location;
    if (REDIRECT_STATUSES.includes(statusCode) && typeof location === 'string') {
      await body.dump();
      return { location };
    }
    if (statusCode !== 200) {
      await body.dump();
      throw new AppError('bad_address', `the address answered with status ${statusCode}`);
    }
    return { location: null, temporary: await blobs.receive(body, { bytesMax: VIDEO_BYTES_MAX }, signal) };
  } finally {
    await agent.destroy();
  }
}

/** Answers every look-up with the address that was judged. */
function lookupOf({ address, family }: PinnedAddress): LookupFunction {
  return (_host, options, callback) => {
    if (options.all === true) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
}

function nameOf(url: URL): string | null {
  const last = url.pathname.split('/').at(-1) ?? '';
  return last === '' ? null : last;
}
