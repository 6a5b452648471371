/** Submits pictures over REST as a customer does, and waits for how they end. */
import { deepEqual } from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import { TEST_KEY, type TestDaemon } from '../../daemon.ts';
import { patternRgb } from '../../media/pictures.ts';
import { PATIENCE_MS } from '../../patience.ts';

export const KEY_HEADERS = { 'x-api-key': TEST_KEY };
/** Any daemon by its address, in a process of its own or not. */
type Reached = Pick<TestDaemon, 'http'>;

const POLL_MS = 40;

/** Distinct for every seed, so that none is answered from the cache. */
export async function distinctPicture(seed: number, side = 200): Promise<Buffer> {
  const rgb = patternRgb(side, side);
  for (let at = 0; at < rgb.length; at += 97) rgb[at] = (at * (seed + 1)) % 256;
  const raw = { width: side, height: side, channels: 3 } as const;
  return await sharp(rgb, { raw }).jpeg({ quality: 90 }).toBuffer();
}

export async function postPicture({ http }: Reached, bytes: Buffer): Promise<Response> {
  const body = new FormData();
  body.set('image', new Blob([new Uint8Array(bytes)]), 'picture.jpg');
  return await fetch(`${http}/api/classification`, { method: 'POST', headers: KEY_HEADERS, body });
}

/** Makes pictures cost something. */
export async function setPicturePrice({ http }: Reached, price: number): Promise<void> {
  const query = `mutation { updatePlan(id: 1, input: { imageCredits: ${price} }) { userErrors { message } } }`;
  const headers = { ...KEY_HEADERS, 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify({ query }) };
  deepEqual(await (await fetch(`${http}/graphql`, init)).json(), {
    data: { updatePlan: { userErrors: [] } },
  });
}

/** The identifier of an accepted picture. */
export async function submitPicture(daemon: Reached, bytes: Buffer): Promise<string> {
  const response = await postPicture(daemon, bytes);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`not accepted: ${response.status} ${text}`);
  return text;
}

export async function statusOf({ http }: Reached, identifier: string): Promise<string> {
  const response = await fetch(`${http}/api/classification/${identifier}`, { headers: KEY_HEADERS });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`no record: ${response.status} ${text}`);
  return JSON.parse(text).status;
}

/** Each record's status once it is no longer `new`. */
export async function awaitEnds(daemon: Reached, identifiers: readonly string[]): Promise<string[]> {
  const ends: string[] = [];
  for (const identifier of identifiers) {
    await until(async () => (await statusOf(daemon, identifier)) !== 'new', `${identifier} to end`);
    ends.push(await statusOf(daemon, identifier));
  }
  return ends;
}

export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string,
  timeoutMs = PATIENCE_MS,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`);
    await delay(POLL_MS);
  }
}

/** The value of one line of /metrics, 0 where it is not there yet. */
export async function metricOf({ http }: Reached, line: string): Promise<number> {
  const text = await (await fetch(`${http}/metrics`)).text();
  const found = text.split('\n').find((candidate) => candidate.startsWith(`${line} `));
  return Number(found?.slice(line.length + 1) ?? 0);
}

export function pidOf({ process: child }: TestDaemon): number {
  if (child.pid === undefined) throw new Error('the daemon has no process id');
  return child.pid;
}

/** Nothing waits and nothing runs, not even what was accepted without its answer arriving. */
export async function awaitIdle(daemon: TestDaemon): Promise<void> {
  const isIdle = async () =>
    (await metricOf(daemon, 'assay_queue_depth')) === 0 &&
    (await metricOf(daemon, 'assay_analyses_running')) === 0;
  await until(isIdle, 'the daemon to be idle');
}
