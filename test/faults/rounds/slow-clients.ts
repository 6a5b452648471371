/** Uploads that send a byte now and then, by many connections, and prompt ones beside them by every way in. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { openCaller } from '../../contract/ways/stage.ts';
import { distinctPicture } from './submissions.ts';

export interface Target {
  url: string;
  grpc: string;
}

const DRIP_MS = 500;
const ANNOUNCED_BYTES = 10_000_000;
const CUT = '--cut\r\nContent-Disposition: form-data; name="image"; filename="a.jpg"\r\n\r\n';

export class SlowClients implements Disposable {
  readonly #sockets: Socket[] = [];
  readonly #answers = new Map<Socket, string>();
  readonly #drip: NodeJS.Timeout;

  private constructor(dripBytes: number) {
    this.#drip = setInterval(() => {
      for (const socket of this.#sockets) if (socket.writable) socket.write(Buffer.alloc(dripBytes, 0x55));
    }, DRIP_MS);
  }

  /** Each is in the middle of its file when this resolves. */
  static async open({ url }: Target, key: string, count: number, dripBytes = 1): Promise<SlowClients> {
    const clients = new SlowClients(dripBytes);
    await Promise.all(Array.from({ length: count }, () => clients.#begin(new URL(url), key)));
    return clients;
  }

  /** What each client got so far. */
  get answers(): string[] {
    return this.#sockets.map((socket) => this.#answers.get(socket) ?? '');
  }

  [Symbol.dispose](): void {
    clearInterval(this.#drip);
    for (const socket of this.#sockets) socket.destroy();
  }

  async #begin({ hostname, port, host }: URL, key: string): Promise<void> {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.on('data', (bytes: Buffer) => {
      this.#answers.set(socket, (this.#answers.get(socket) ?? '') + bytes.toString('latin1'));
    });
    await once(socket, 'connect');
    socket.write(
      `POST /api/classification HTTP/1.1\r\nHost: ${host}\r\nX-Api-Key: ${key}\r\n` +
        `Content-Type: multipart/form-data; boundary=cut\r\nContent-Length: ${ANNOUNCED_BYTES}\r\n\r\n${CUT}`,
    );
    this.#sockets.push(socket);
  }
}

/** A picture of exactly so many bytes: decoders stop at its end mark. */
export async function pictureOf(seed: number, sizeBytes: number): Promise<Buffer> {
  const picture = await distinctPicture(seed);
  return Buffer.concat([picture, Buffer.alloc(sizeBytes - picture.length)]);
}

export const WAYS_IN = ['REST', 'GraphQL', 'gRPC', 'tus'] as const;
export type WayIn = (typeof WAYS_IN)[number];

/** Milliseconds until the picture was accepted. */
export async function timeSubmission(
  target: Target,
  way: WayIn,
  key: string,
  picture: Buffer,
): Promise<number> {
  const startedAt = performance.now();
  if (way === 'tus') await submitByTus(target, key, picture);
  else {
    using caller = openCaller(target, way, key);
    const result = await caller.submit('image', picture);
    if ('fault' in result) throw new Error(`refused: ${result.fault.reason}`);
  }
  return performance.now() - startedAt;
}

async function submitByTus({ url }: Target, key: string, picture: Buffer): Promise<void> {
  const response = await fetch(`${url}/files`, {
    method: 'POST',
    headers: {
      ...{ 'x-api-key': key, 'tus-resumable': '1.0.0', 'upload-length': String(picture.length) },
      ...{ 'content-type': 'application/offset+octet-stream' },
      'upload-metadata': `filename ${btoa('a.jpg')},kind ${btoa('image')}`,
    },
    body: new Uint8Array(picture),
  });
  if (response.status !== 200) throw new Error(`refused: ${response.status} ${await response.text()}`);
}
