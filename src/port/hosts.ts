/** A name that an attacker points at 127.0.0.1 would be same-origin: only known names are answered (docs/security.md). */
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

export interface HostRule {
  host: string;
  publicUrl: string;
  allowedHosts: readonly string[];
}

export type HostCheck = (header: string | undefined) => boolean;

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const WILDCARDS = ['0.0.0.0', '::', '[::]'];

/** Names count, ports do not: a proxy or a forwarded port may show another one. */
export function hostCheck(rule: HostRule): HostCheck {
  const listen = WILDCARDS.includes(rule.host) ? [] : [rule.host];
  const names = [...LOOPBACK, ...listen, ...rule.allowedHosts].map(hostnameOf);
  const allowed = new Set([...names, new URL(rule.publicUrl).hostname]);
  return (header) => {
    // The whole text must match: `[::1]evil` and `localhost:1, evil` begin with a served name and are not one.
    const name = HOST.exec(header ?? '')?.[1];
    return name !== undefined && allowed.has(name.toLowerCase());
  };
}

/** `uri-host [ ":" port ]` (RFC 9110, 7.2), the name by itself. */
const HOST = /^(\[[\da-f:.]+\]|[^\s:,;@/[\]]+)(?::\d{0,5})?$/i;

/** Node keeps the first of several `Host` lines; a proxy before it may have judged another. */
export function hostOf({ headersDistinct: { host } }: IncomingMessage): string | undefined {
  return host?.join(', ');
}

export const WRONG_HOST = {
  status: 421,
  body: {
    error: 'this host name is not served: set ASSAY_PUBLIC_URL or allow the name in the settings',
  },
};

/** Upgrades pass no hook of Fastify, so the server itself refuses those of a foreign name. */
export function guardUpgrades(server: Server, isAllowed: HostCheck): void {
  const emit = server.emit.bind(server);
  server.emit = (event: string, ...args: unknown[]): boolean => {
    const [request, socket] = args as [IncomingMessage, Duplex];
    if (event !== 'upgrade' || isAllowed(hostOf(request))) return emit(event, ...args);
    const body = JSON.stringify(WRONG_HOST.body);
    socket.end(
      `HTTP/1.1 ${WRONG_HOST.status} ${STATUS_CODES[WRONG_HOST.status]}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
    return true;
  };
}

/** `name:port` or `[v6]:port` without its port, lower case; IPv6 always in brackets. */
function hostnameOf(host: string): string {
  const text = host.trim().toLowerCase();
  if (text.startsWith('[')) return text.slice(0, text.indexOf(']') + 1);
  const colon = text.indexOf(':');
  if (colon === -1) return text;
  return text.indexOf(':', colon + 1) === -1 ? text.slice(0, colon) : `[${text}]`;
}
