/**
 * The guard in front of every address that a caller names: http(s) only, resolved once and pinned, private,
 * loopback, link-local and metadata ranges refused unless the operator allows the network.
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { AppError } from '../domain/errors.ts';

export interface AddressConfig {
  fetchAllowNetworks: string[];
}

/** A host with the one address that may be connected to. */
export interface PinnedAddress {
  url: URL;
  address: string;
  family: 4 | 6;
}

function badAddress(description: string): AppError {
  return new AppError('bad_address', `file_url: ${description}`, {
    fields: [{ field: 'file_url', description }],
  });
}

/** Throws `bad_address` for an address that may not be fetched; resolves its name to check every answer. */
export async function assertFetchable(
  config: AddressConfig,
  text: string,
  signal: AbortSignal,
): Promise<void> {
  await pinAddress(config, text, signal);
}

/** Parses, resolves and checks; the caller connects to the pinned address only, so that DNS cannot change its mind. */
export async function pinAddress(
  config: AddressConfig,
  text: string,
  signal: AbortSignal,
): Promise<PinnedAddress> {
  const url = parseAddress(text);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  signal.throwIfAborted();
  for (const address of addresses) {
    if (!isAllowed(config, address)) {
      throw badAddress(`the address leads to ${describeRange(address)}, which may not be fetched from`);
    }
  }
  const [address] = addresses;
  if (address === undefined) throw badAddress(`the host ${host} has no address`);
  return { url, address, family: isIP(address) === 6 ? 6 : 4 };
}

function parseAddress(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw badAddress('expected an absolute http or https address');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw badAddress(`expected http or https, found ${url.protocol.slice(0, -1)}`);
  }
  if (url.username !== '' || url.password !== '')
    throw badAddress('credentials in the address are not accepted');
  return url;
}

async function resolve(host: string): Promise<string[]> {
  try {
    return (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);
  } catch (error) {
    throw badAddress(`the host ${host} cannot be resolved (${(error as NodeJS.ErrnoException).code})`);
  }
}

function isAllowed(config: AddressConfig, address: string): boolean {
  const parsed = ipaddr.process(address);
  if (parsed.range() === 'unicast') return true;
  return config.fetchAllowNetworks.some((network) => {
    const [base, bits] = ipaddr.parseCIDR(network);
    return base.kind() === parsed.kind() && parsed.match(base, bits);
  });
}

function describeRange(address: string): string {
  const range = ipaddr.process(address).range();
  return `the ${range === 'uniqueLocal' ? 'private' : range} range`;
}
