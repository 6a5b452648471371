/** The connection to NATS, from settings; a server that is away is tried again until it is there. */
import { setTimeout as delay } from 'node:timers/promises';
import { connect, type NatsConnection, nkeyAuthenticator } from '@nats-io/transport-node';
import type { Logger } from 'pino';

export interface NatsConfig {
  servers: readonly string[];
  nkeySeed: string | null;
  caFile: string | null;
}

const RETRY_PAUSE_MS = 2000;

/** `name`: as the server shows it; `inboxPrefix`: where answers come, which only this user may read. Rejects when aborted. */
export async function connectNats(
  { servers, nkeySeed, caFile }: NatsConfig,
  { name, inboxPrefix, log, signal }: { name: string; inboxPrefix: string; log: Logger; signal: AbortSignal },
): Promise<NatsConnection> {
  const isTls = caFile !== null || servers.some((server) => server.startsWith('tls:'));
  for (;;) {
    signal.throwIfAborted();
    try {
      return await connect({
        ...{ servers: servers.map((server) => server.replace(/^(nats|tls):\/\//, '')), name, inboxPrefix },
        ...{ maxReconnectAttempts: -1, reconnectTimeWait: RETRY_PAUSE_MS },
        // A key that is taken out may be put back; a connection that gave up would stay deaf until this process ends.
        ignoreAuthErrorAbort: true,
        ...(nkeySeed === null
          ? {}
          : { authenticator: nkeyAuthenticator(new TextEncoder().encode(nkeySeed)) }),
        ...(isTls ? { tls: caFile === null ? {} : { caFile } } : {}),
      });
    } catch (error) {
      log.warn({ err: error }, 'no NATS server can be reached; it is tried again');
      await delay(RETRY_PAUSE_MS, undefined, { signal });
    }
  }
}
