/** A line between a browser and the daemon that breaks off once, amid a large body, and stays dead for a while. */

import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

export interface BreakingLine extends AsyncDisposable {
  http: string;
  /** Until the line broke off; 0 as long as it holds. */
  bytesSent: number;
}

export async function openBreakingLine(
  target: string,
  { breakAtBytes, deadMs }: { breakAtBytes: number; deadMs: number },
): Promise<BreakingLine> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isDead = false;
  const breakOff = (bytes: number): void => {
    line.bytesSent = bytes;
    isDead = true;
    setTimeout(() => {
      isDead = false;
    }, deadMs);
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    let bytes = 0;
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    if (isDead) near.destroy();
    near.on('data', (chunk) => {
      bytes += chunk.length;
      if (bytes >= breakAtBytes && line.bytesSent === 0) breakOff(bytes);
    });
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const line: BreakingLine = {
    http: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bytesSent: 0,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return line;
}
