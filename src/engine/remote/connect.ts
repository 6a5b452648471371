/** Connects to NATS by the settings; a server that is away is retried until it is there. */
import { setTimeout as delay } from 'node:timers/promises';
import { connect, type NatsConnection, nkeyAuthenticator } from '@nats-io/transport-node';
import type { Logger } from 'pino';

export interface NatsConfig {
  servers: readonly string[];
  nkeySeed: string | null;
  caFile: string | null;
  allowUnauthenticated: boolean;
}

/** Why the server may not be used; null if it may. */
export function brokerFault(
  { info }: Pick<NatsConnection, 'info'>,
  { allowUnauthenticated }: Pick<NatsConfig, 'allowUnauthenticated'>,
): string | null {
  if (allowUnauthenticated || info?.auth_required === true) return null;
  return 'the NATS server lets anybody in, and nats.allow_unauthenticated is not set';
}

const RETRY_PAUSE_MS = 2000;

export interface ConnectParts {
  /** The client's name, as the server shows it. */
  name: string;
  /** Prefix of the subjects for answers, which only this user may read. */
  inboxPrefix: string;
  log: Logger;
  signal: AbortSignal;
  /** Called for each server that is reached and may not be used. */
  refused?: (fault: string) => void;
}

export function isByTls({ servers, caFile }: Pick<NatsConfig, 'servers' | 'caFile'>): boolean {
  return caFile !== null || servers.some((server) => server.startsWith('tls:'));
}

/** Retries until an allowed server is there. Rejects when aborted. */
export async function connectNats(config: NatsConfig, parts: ConnectParts): Promise<NatsConnection> {
  const { log, signal, refused } = parts;
  for (;;) {
    signal.throwIfAborted();
    const connection = await tryServers(config, parts);
    const fault = connection === null ? null : brokerFault(connection, config);
    if (connection !== null && fault === null) return connection;
    if (connection !== null && fault !== null) {
      await connection.close();
      log.error(fault);
      refused?.(fault);
    }
    await delay(RETRY_PAUSE_MS, undefined, { signal });
  }
}

async function tryServers(
  { servers, nkeySeed, caFile }: NatsConfig,
  { name, inboxPrefix, log }: ConnectParts,
): Promise<NatsConnection | null> {
  const isTls = isByTls({ servers, caFile });
  try {
    return await connect({
      servers: servers.map((server) => server.replace(/^(nats|tls):\/\//, '')),
      name,
      inboxPrefix,
      maxReconnectAttempts: -1,
      reconnectTimeWait: RETRY_PAUSE_MS,
      // A key that was removed may come back; a connection that gave up would stay deaf until this process ends.
      ignoreAuthErrorAbort: true,
      // Without TLS only the loopback addresses of the settings are used: a server may name others of its cluster.
      ignoreClusterUpdates: !isTls,
      ...(nkeySeed === null ? {} : { authenticator: nkeyAuthenticator(new TextEncoder().encode(nkeySeed)) }),
      ...(isTls ? { tls: caFile === null ? {} : { caFile } } : {}),
    });
  } catch (error) {
    log.warn({ err: error }, 'no NATS server can be reached; it is tried again');
    return null;
  }
}
