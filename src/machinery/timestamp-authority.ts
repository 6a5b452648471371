/** Asks a timestamp authority once (RFC 3161): at the judged and pinned address, no redirects, a bounded answer. */
import { isIP } from 'node:net';
import { Agent, request } from 'undici';
import { codeOf } from '../domain/error-code.ts';
import { AppError } from '../domain/errors.ts';
import { VERSION } from '../domain/version.ts';
import { lookupOf, pinAddress } from './address.ts';
import { readBounded } from './read-bounded.ts';

export interface AuthorityQuestion {
  url: string;
  /** DER of a TimeStampReq. */
  query: Uint8Array;
  /** CIDR networks that an authority may lie in although they are private. */
  allowNetworks: readonly string[];
}

/** The authority gave no reply; the message says why. */
export class NoReplyError extends Error {}

/** A reply is a signature of some hundred bytes; a slower authority is asked again later. */
const TIMEOUT_MS = 15_000;
/** A token with a chain of long certificates has some 10 KB. */
const REPLY_BYTES_MAX = 65_536;
/** A loopback address means this very box. */
const LOOPBACK_NETWORKS = ['127.0.0.0/8', '::1/128'];

/** https, or http on this box itself: on the way no one may change what a certificate of the web vouches for. */
export function isAuthorityAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackName(url));
}

/** DER of a TimeStampResp. Throws NoReplyError, or what `signal` aborted with. */
export async function askAuthority(question: AuthorityQuestion, signal: AbortSignal): Promise<Buffer> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    return await post(question, AbortSignal.any([signal, timeout]));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof NoReplyError) throw error;
    if (timeout.aborted)
      throw new NoReplyError(`no answer within ${TIMEOUT_MS / 1000} seconds`, { cause: error });
    if (error instanceof AppError) throw new NoReplyError(error.message, { cause: error });
    throw new NoReplyError(`it could not be reached (${codeOf(error, 'unknown')})`, { cause: error });
  }
}

async function post({ url, query, allowNetworks }: AuthorityQuestion, signal: AbortSignal): Promise<Buffer> {
  const networks = isLoopbackName(new URL(url)) ? LOOPBACK_NETWORKS : allowNetworks;
  const pinned = await pinAddress({ field: 'timestamp_authority', allowNetworks: networks }, url, signal);
  const agent = new Agent({ connect: { lookup: lookupOf(pinned) } });
  try {
    const { statusCode, body } = await request(pinned.url, {
      method: 'POST',
      dispatcher: agent,
      signal,
      headers: {
        'content-type': 'application/timestamp-query',
        accept: 'application/timestamp-reply',
        'user-agent': `Assay/${VERSION}`,
      },
      body: query,
    });
    if (statusCode !== 200) throw new NoReplyError(`it answered with status ${statusCode}`);
    const tooLarge = () => new NoReplyError(`its answer has more than ${REPLY_BYTES_MAX} bytes`);
    return await readBounded(body, REPLY_BYTES_MAX, tooLarge);
  } finally {
    await agent.destroy();
  }
}

function isLoopbackName({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
