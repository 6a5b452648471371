/** The daemon's side of workers on other boxes; loaded only if there may be any, since NATS' client comes with it. */
import type { NatsConnection } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import { brokerFault, connectNats, isByTls, type NatsConfig } from './engine/remote/connect.ts';
import { LeaseBook } from './engine/remote/lease-book.ts';
import { DAEMON_INBOX } from './engine/remote/messages.ts';
import { RemoteExecutor, type RemoteExecutorParts } from './engine/remote/remote-executor.ts';
import type { TlsFiles } from './machinery/tls.ts';
import { WorkerMedia, type WorkerMediaConfig } from './port/worker-media.ts';
import type { Store } from './store/store.ts';

export interface RemoteConfig extends Pick<RemoteExecutorParts, 'clock'> {
  store: Store;
  log: Logger;
  nats: NatsConfig;
  listener: WorkerMediaConfig;
  tls: TlsFiles | null;
  leaseMs: number;
  /** Null: the listener's own address. */
  mediaUrl: string | null;
}

export async function openRemoteExecutor(
  stack: AsyncDisposableStack,
  { store, clock, log, nats, listener, tls, leaseMs, mediaUrl }: RemoteConfig,
): Promise<RemoteExecutor> {
  const book = new LeaseBook(leaseMs, store, clock);
  const media = stack.use(await WorkerMedia.open(listener, book, log));
  const host = listener.host.includes(':') ? `[${listener.host}]` : listener.host;
  const ownUrl = `${tls === null ? 'http' : 'https'}://${host}:${media.port}`;
  const connect: RemoteExecutorParts['connect'] = (signal, refused) =>
    connectNats(nats, { name: 'assay-daemon', inboxPrefix: DAEMON_INBOX, log, signal, refused });
  const broker = { brokerFault: (known: NatsConnection) => brokerFault(known, nats), isByTls: isByTls(nats) };
  const certificatePem = () => tls?.material.cert.toString() ?? null;
  return stack.use(
    new RemoteExecutor(
      { leaseMs, mediaUrl: () => mediaUrl ?? ownUrl, certificatePem },
      { connect, ...broker, book, log, clock, drained: store.read.automation },
    ),
  );
}
