/** Whose address a caller has behind proxies, for upgrades: they pass no hook of Fastify, which reads those of requests by the same library. */
import type { IncomingMessage } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';

export type CallerAddress = (request: IncomingMessage) => string;

/** `trusted`: addresses or CIDR networks of proxies. The nearest address that is none of theirs; what comes before it anybody may have made up. */
export function callerAddress(trusted: readonly string[]): CallerAddress {
  const isTrusted = proxyAddr.compile([...trusted]);
  return (request) => proxyAddr(request, isTrusted);
}
