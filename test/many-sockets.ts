/** Thousands of connections of one process, each a bare socket: a client library would measure itself. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { TEST_KEY } from './daemon.ts';

/** How many connect at once: the kernel's queue of a listener is 511 long. */
const CONNECT_BATCH = 250;

export async function openSockets(
  address: string,
  count: number,
  greet: (socket: Socket) => void,
): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const batch = Array.from({ length: Math.min(CONNECT_BATCH, count - sockets.length) }, () =>
      openSocket(address),
    );
    for (const socket of await Promise.all(batch)) {
      greet(socket);
      sockets.push(socket);
    }
  }
  return sockets;
}

async function openSocket(address: string): Promise<Socket> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.resume();
  await once(socket, 'connect');
  return socket;
}

/** A GraphQL subscription by server-sent events over a socket of its own, as a browser has one. */
export function subscribe(query: string, variables: Record<string, unknown> = {}): (socket: Socket) => void {
  const body = JSON.stringify({ query, variables });
  return (socket) =>
    void socket.write(
      'POST /graphql HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\n' +
        `X-Api-Key: ${TEST_KEY}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
}
