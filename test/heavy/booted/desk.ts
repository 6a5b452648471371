/** Somebody on another machine: asks the box over REST by TLS, with the certificate as the only authority. */
import { type RequestOptions, request } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { patternImage } from '../../media/pictures.ts';

export interface Answered {
  status: number;
  text: string;
}

const ANSWER_MS_MAX = 60_000;
const POLL_MS = 500;

export interface Found {
  status: string;
  errors?: unknown;
  verdict?: { classification: string };
}

export class Desk {
  key = '';
  readonly #origin: Pick<RequestOptions, 'host' | 'port' | 'ca'>;

  constructor(host: string, ca: string) {
    this.#origin = { host, port: 8480, ca };
  }

  async ask(path: string, body?: FormData): Promise<Answered> {
    const sent = body === undefined ? null : new Response(body);
    const bytes = sent === null ? null : Buffer.from(await sent.arrayBuffer());
    const type = sent?.headers.get('content-type');
    const headers = { 'x-api-key': this.key, ...(type ? { 'content-type': type } : {}) };
    const method = bytes === null ? 'GET' : 'POST';
    const { promise, resolve, reject } = Promise.withResolvers<Answered>();
    const asked = request({ ...this.#origin, path, method, headers, timeout: ANSWER_MS_MAX }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => {
        text += part;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      answer.on('error', reject);
    });
    asked.on('timeout', () => asked.destroy(new Error(`no answer to ${path} in ${ANSWER_MS_MAX} ms`)));
    asked.on('error', reject);
    asked.end(bytes ?? undefined);
    return await promise;
  }

  async submit(bytes: Uint8Array): Promise<Answered> {
    const form = new FormData();
    form.set('image', new Blob([new Uint8Array(bytes)]), 'photograph.jpg');
    const { status, text } = await this.ask('/api/classification', form);
    return { status, text: text.trim() };
  }

  /** Returns the identifier; throws if the file is refused. */
  async accepted(bytes: Uint8Array): Promise<string> {
    const { status, text } = await this.submit(bytes);
    if (status !== 200) throw new Error(`${status}: ${text}`);
    return text;
  }

  async record(id: string): Promise<Found> {
    const { status, text } = await this.ask(`/api/classification/${id}`);
    if (status !== 200) throw new Error(`${id}: ${status} ${text}`);
    return JSON.parse(text);
  }

  async awaitEnded(id: string, secondsMax: number): Promise<Found> {
    return await until(`${id} ended`, secondsMax, async () => {
      const found = await this.record(id);
      return ['done', 'errored'].includes(found.status) ? found : null;
    });
  }

  async awaitReady(secondsMax: number): Promise<void> {
    await until('ready', secondsMax, async () => ((await this.ask('/readyz')).status === 200 ? true : null));
  }
}

/** What `look` finds; a refused connection is "not yet". */
export async function until<T>(what: string, secondsMax: number, look: () => Promise<T | null>): Promise<T> {
  const deadline = performance.now() + secondsMax * 1000;
  let last: unknown;
  while (performance.now() < deadline) {
    try {
      const found = await look();
      if (found !== null) return found;
    } catch (error) {
      last = error;
    }
    await delay(POLL_MS);
  }
  throw new Error(`${what}: not after ${secondsMax} s`, { cause: last });
}

/** Each number another picture; small, since the box shares its cores. */
export async function picture(number: number): Promise<Buffer> {
  return await patternImage(300 + number, 280)
    .jpeg()
    .toBuffer();
}
