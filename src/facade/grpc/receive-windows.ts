/**
 * How far a client may send ahead of what was read. grpc-js' own option for it holds on the client's side only, and the
 * platform's 64 KiB stop a sender four times within one chunk.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { Http2Session, ServerHttp2Stream } from 'node:http2';

/**
 * Two chunks: one arrives while the other is taken. It is also all that one connection can have lie here unread. Measured:
 * 235 instead of 175 MB/s of uploads; larger windows gave no more.
 */
export const RECEIVE_WINDOW_BYTES = 512 * 1024;

const widened = new WeakSet<Http2Session>();

/** Widens the windows of every HTTP/2 server of this process, for each connection from its first call on. */
export function widenReceiveWindows(): void {
  subscribe('http2.server.stream.created', widen);
}

function widen(message: unknown): void {
  const { session } = (message as { stream: ServerHttp2Stream }).stream;
  if (session === undefined || session.destroyed || widened.has(session)) return;
  widened.add(session);
  session.setLocalWindowSize(RECEIVE_WINDOW_BYTES);
  session.settings({ initialWindowSize: RECEIVE_WINDOW_BYTES });
}
