/** Asks one address again and again over kept connections, from a process of its own. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Client } from 'undici';
import { quantile } from '../evaluate/quantile.ts';
import { TEST_KEY } from '../test/daemon.ts';

const CONNECTIONS = 16;
const WARM_UP_MS = 500;
const MEASURED_MS = 2000;

export interface GetFigures {
  perSecond: number;
  p99Ms: number;
  /** The answers to the warm-up are among them. */
  answers: number;
}

export async function measureGets(address: string): Promise<GetFigures> {
  const child = fork(import.meta.filename, [address]);
  // Its end comes after the message, or instead of it.
  const [figures] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [
    GetFigures | number,
  ];
  if (typeof figures !== 'object') throw new Error('the client ended before it had figures');
  return figures;
}

async function load(address: string): Promise<GetFigures> {
  const { origin, pathname: path } = new URL(address);
  const startAt = performance.now() + WARM_UP_MS;
  const endAt = startAt + MEASURED_MS;
  const times: number[] = [];
  let answers = 0;
  const ask = async () => {
    await using stack = new AsyncDisposableStack();
    // Over TLS the certificate is the bench's own.
    const connect = { rejectUnauthorized: false };
    const client = stack.adopt(new Client(origin, { connect }), (opened) => opened.close());
    for (let from = performance.now(); from < endAt; ) {
      const { statusCode, body } = await client.request({
        path,
        method: 'GET',
        headers: { 'x-api-key': TEST_KEY },
      });
      await body.dump();
      if (statusCode !== 200) throw new Error(`${address} was answered ${statusCode}`);
      answers += 1;
      const to = performance.now();
      if (from >= startAt) times.push(to - from);
      from = to;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, ask));
  return {
    perSecond: times.length / (MEASURED_MS / 1000),
    p99Ms: quantile(times, 0.99),
    answers,
  };
}

if (import.meta.main) {
  process.send?.(await load(process.argv[2] ?? ''));
  process.disconnect();
}
