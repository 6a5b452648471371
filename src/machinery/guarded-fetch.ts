/** A GET through the guard: each hop is resolved once, judged and pinned. Bodies and time are bounded by the caller. */
import { isUtf8 } from 'node:buffer';
import { Agent, type Dispatcher, interceptors, request } from 'undici';
import { codeOf } from '../domain/error-code.ts';
import { toAppError } from '../domain/errors.ts';
import { VERSION } from '../domain/version.ts';
import { type AddressRule, lookupOf, type PinnedAddress, pinAddress } from './address.ts';

export interface GuardedFetch<T> {
  address: string;
  rule: AddressRule;
  /** More hops than this are a loop. */
  redirectsMax: number;
  accept?: string;
  /** Contact for the other end's operator; null if no one is named. */
  contact?: string | null;
  /** Throws to refuse a hop before its name is resolved; `hop` is 0 for the address itself. */
  judge?: (address: string, hop: number) => void;
  /** Takes the answer, whose status is 200. The connection ends when it resolves. */
  take: (answer: Dispatcher.ResponseData, pinned: PinnedAddress) => Promise<T>;
  /** The error for a fault of the other end: `redirects …` or `answered …`, without a subject. */
  failed: (fault: string) => Error;
}

const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308];

/** Throws what `judge`, `take` and `failed` give, the guard's AppErrors, faults of the network and the signal's reason. */
export async function fetchGuarded<T>(order: GuardedFetch<T>, signal: AbortSignal): Promise<T> {
  let next = order.address;
  for (let hop = 0; hop <= order.redirectsMax; hop += 1) {
    order.judge?.(next, hop);
    const pinned = await pinAddress(order.rule, next, signal);
    const outcome = await fetchOnce(order, pinned, signal);
    if (!('location' in outcome)) return outcome.taken;
    if (!URL.canParse(outcome.location, pinned.url.href)) {
      throw order.failed('redirects to what is no address');
    }
    next = new URL(outcome.location, pinned.url).href;
  }
  throw order.failed(`redirects more than ${order.redirectsMax} times`);
}

/** Many servers send raw UTF-8, which the client reads as Latin-1. Empty without the header. */
export function headerText(header: string | string[] | undefined): string {
  const text = String(header ?? '');
  const bytes = Buffer.from(text, 'latin1');
  return bytes.toString('latin1') === text && isUtf8(bytes) ? bytes.toString('utf8') : text;
}

/** Whether the other end or the way there failed. A lack of this box is no fault of an address. */
export function isNetworkFault(error: unknown): boolean {
  if (toAppError(error).reason !== 'internal') return false;
  return /^(E[A-Z]|UND_ERR|ERR_|CERT_|DEPTH_|UNABLE_|SELF_|HPE_)/.test(codeOf(error, ''));
}

async function fetchOnce<T>(
  { accept = '*/*', contact = null, take, failed }: GuardedFetch<T>,
  pinned: PinnedAddress,
  signal: AbortSignal,
): Promise<{ location: string } | { taken: T }> {
  const agent = new Agent({ connect: { lookup: lookupOf(pinned) } });
  try {
    const answer = await request(pinned.url, {
      // Some servers compress in spite of `identity`. The reader of the body bounds its unpacked size.
      dispatcher: agent.compose(interceptors.decompress()),
      signal,
      headers: { 'accept-encoding': 'identity', accept, 'user-agent': userAgentOf(contact) },
    });
    const { statusCode, headers, body } = answer;
    // The connection is cut below although the body may have a rest, which raises an error here.
    body.on('error', () => {});
    const location = headerText(headers.location);
    if (REDIRECT_STATUSES.includes(statusCode) && location !== '') return { location };
    if (statusCode !== 200) throw failed(`answered with status ${statusCode}`);
    return { taken: await take(answer, pinned) };
  } finally {
    await agent.destroy();
  }
}

function userAgentOf(contact: string | null): string {
  return contact === null ? `Assay/${VERSION}` : `Assay/${VERSION} (+${contact})`;
}
