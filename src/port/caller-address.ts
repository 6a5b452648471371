/** Whose address a caller has behind proxies, for upgrades: they pass no hook of Fastify, which reads those of requests alike. */
import ipaddr from 'ipaddr.js';
import { isInNetworks } from '../machinery/address.ts';

/** What of a request says it. */
interface Incoming {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  socket: { remoteAddress?: string | undefined };
}

export type CallerAddress = (request: Incoming) => string;

/** `trusted`: addresses or CIDR networks of proxies. The nearest address that is none of theirs; what comes before it anybody may have made up. */
export function callerAddress(trusted: readonly string[]): CallerAddress {
  const networks = trusted.map((one) => (one.includes('/') ? one : `${one}/${one.includes(':') ? 128 : 32}`));
  const isTrusted = (address: string) => ipaddr.isValid(address) && isInNetworks(networks, address);
  return ({ headers, socket }) => {
    const forwarded = String(headers['x-forwarded-for'] ?? '').split(',');
    const named = forwarded.map((part) => part.trim()).filter((part) => part !== '');
    const nearestFirst = [socket.remoteAddress ?? '', ...named.reverse()];
    return nearestFirst.find((address) => !isTrusted(address)) ?? nearestFirst.at(-1) ?? '';
  };
}
