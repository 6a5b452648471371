/** Fetches one large file by https through the address guard: bounded in bytes, time and hops, judged by its SHA-256. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { Agent, request } from 'undici';
import { AppError } from '../domain/errors.ts';
import { type AddressRule, lookupOf, pinAddress } from './address.ts';

export interface DownloadOrder {
  address: string;
  /** File to write; it must not exist. */
  path: string;
  sha256: string;
  bytesMax: number;
  secondsMax: number;
  /** CIDR networks that may be fetched from although they are private. */
  allowNetworks: readonly string[];
}

/** Bytes so far and in all; 0 where the other end does not say. */
export type DownloadReport = (doneBytes: number, totalBytes: number) => void;

/** More hops than this are a loop or a maze. */
const REDIRECTS_MAX = 5;
const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308];
const REQUEST_HEADERS = { 'accept-encoding': 'identity', accept: '*/*', 'user-agent': 'Assay' };

/** Throws AppErrors `bad_address` and `bad_model`; what was written then is the caller's to remove. */
export async function download(
  order: DownloadOrder,
  report: DownloadReport,
  signal: AbortSignal,
): Promise<void> {
  const timeout = AbortSignal.timeout(order.secondsMax * 1000);
  try {
    await followRedirects(order, report, AbortSignal.any([signal, timeout]));
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) throw failed(`the download took longer than ${order.secondsMax} seconds`, error);
    throw error instanceof AppError || !isNetworkFault(error)
      ? error
      : failed(`the address could not be fetched (${String((error as { code?: unknown }).code)})`, error);
  }
}

async function followRedirects(
  order: DownloadOrder,
  report: DownloadReport,
  signal: AbortSignal,
): Promise<void> {
  const rule: AddressRule = { field: 'catalogue_name', allowNetworks: order.allowNetworks };
  let next = order.address;
  for (let hop = 0; hop <= REDIRECTS_MAX; hop += 1) {
    const pinned = await pinAddress(rule, next, signal);
    if (pinned.url.protocol !== 'https:') throw failed(`expected https, found ${next}`);
    const agent = new Agent({ connect: { lookup: lookupOf(pinned) } });
    try {
      const { statusCode, headers, body } = await request(pinned.url, {
        ...{ dispatcher: agent, signal, headers: REQUEST_HEADERS },
      });
      // The connection is cut below whatever is left of the body; no one else listens for that.
      body.on('error', () => {});
      const { location } = headers;
      if (REDIRECT_STATUSES.includes(statusCode) && typeof location === 'string') {
        if (!URL.canParse(location, pinned.url.href))
          throw failed('it redirects to something that is no address');
        next = new URL(location, pinned.url).href;
        continue;
      }
      if (statusCode !== 200) throw failed(`the address answered with status ${statusCode}`);
      return await writeBody(order, body, Number(headers['content-length'] ?? 0), report);
    } finally {
      await agent.destroy();
    }
  }
  throw failed(`the address redirects more than ${REDIRECTS_MAX} times`);
}

async function writeBody(
  { path, sha256, bytesMax }: DownloadOrder,
  body: AsyncIterable<Uint8Array>,
  totalBytes: number,
  report: DownloadReport,
): Promise<void> {
  if (totalBytes > bytesMax) throw failed(`it has ${totalBytes} bytes, at most ${bytesMax} are expected`);
  await using file = await open(path, 'wx');
  const hash = createHash('sha256');
  let doneBytes = 0;
  for await (const chunk of body) {
    doneBytes += chunk.length;
    if (doneBytes > bytesMax) throw failed(`it has more than the ${bytesMax} bytes that are expected`);
    hash.update(chunk);
    await file.writeFile(chunk);
    report(doneBytes, totalBytes);
  }
  const found = hash.digest('hex');
  if (found !== sha256)
    throw new AppError('bad_model', `expected a file with SHA-256 ${sha256}, found ${found}`);
}

function failed(sentence: string, cause?: unknown): AppError {
  return new AppError('bad_address', sentence, { cause });
}

function isNetworkFault(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^(E[A-Z]|UND_ERR|ERR_|CERT_|DEPTH_|UNABLE_|SELF_|HPE_)/.test(code) && code !== 'ENOSPC';
}
