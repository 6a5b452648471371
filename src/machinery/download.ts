/** Fetches one large file by https through the address guard: bounded in bytes, time and hops, judged by its SHA-256. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { codeOf } from '../domain/error-code.ts';
import { AppError } from '../domain/errors.ts';
import { fetchGuarded, isNetworkFault } from './guarded-fetch.ts';

export interface DownloadOrder {
  address: string;
  /** The file to write; it must not exist. */
  path: string;
  sha256: string;
  bytesMax: number;
  secondsMax: number;
  /** CIDR networks that may be fetched from although they are private. */
  allowNetworks: readonly string[];
}

/** Bytes so far and in all; 0 if the other end does not say. */
export type DownloadReport = (doneBytes: number, totalBytes: number) => void;

/** More hops than this are a loop. */
const REDIRECTS_MAX = 5;

/** Throws AppErrors `bad_address` and `bad_model`; the caller then removes what was written. */
export async function download(
  order: DownloadOrder,
  report: DownloadReport,
  signal: AbortSignal,
): Promise<void> {
  const timeout = AbortSignal.timeout(order.secondsMax * 1000);
  try {
    await fetchByHttps(order, report, AbortSignal.any([signal, timeout]));
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) throw failed(`the download took longer than ${order.secondsMax} seconds`, error);
    throw isNetworkFault(error)
      ? failed(`the address could not be fetched (${codeOf(error)})`, error)
      : error;
  }
}

async function fetchByHttps(
  order: DownloadOrder,
  report: DownloadReport,
  signal: AbortSignal,
): Promise<void> {
  const { address, allowNetworks } = order;
  await fetchGuarded(
    {
      address,
      redirectsMax: REDIRECTS_MAX,
      rule: { field: 'catalogue_name', allowNetworks },
      judge: (next) => {
        if (URL.canParse(next) && new URL(next).protocol !== 'https:')
          throw failed(`expected https, found ${next}`);
      },
      take: ({ headers, body }) => writeBody(order, body, Number(headers['content-length'] ?? 0), report),
      failed: (fault) => failed(`the address ${fault}`),
    },
    signal,
  );
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
