/** The guard of addresses that callers name: http(s), resolved once and pinned; private and metadata ranges refused. */
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { codeOf } from '../domain/error-code.ts';
import { AppError } from '../domain/errors.ts';

export interface AddressRule {
  /** The field that names the address, for errors. */
  field: 'file_url' | 'webhook_url' | 'catalogue_name' | 'target' | 'timestamp_authority';
  /** CIDR networks that are let through although they are not public. */
  allowNetworks: readonly string[];
  /** How names are resolved; the system's own way unless a test says otherwise. */
  resolve?: ResolveHost;
}

/** Every address of a name; rejects with a `code` of the resolver. */
export type ResolveHost = (host: string) => Promise<string[]>;

/** An address with the only places that may be connected to. */
export interface PinnedAddress {
  url: URL;
  /** At least one. */
  places: readonly { address: string; family: 4 | 6 }[];
}

export function fetchRule({ fetchAllowNetworks }: { fetchAllowNetworks: readonly string[] }): AddressRule {
  return { field: 'file_url', allowNetworks: fetchAllowNetworks };
}

export function webhookRule({
  webhookAllowNetworks,
}: {
  webhookAllowNetworks: readonly string[];
}): AddressRule {
  return { field: 'webhook_url', allowNetworks: webhookAllowNetworks };
}

/** Parses, resolves and checks; the caller connects to the pinned places only, so that DNS cannot change its mind. */
export async function pinAddress(
  rule: AddressRule,
  text: string,
  signal: AbortSignal,
): Promise<PinnedAddress> {
  const url = parseAddress(rule, text);
  const host = hostOf(url);
  const addresses = isIP(host) === 0 ? await resolveHost(rule, host, signal) : [host];
  const usable = usableAddresses(rule, addresses);
  if (usable.length === 0) throw badAddress(rule, `the host ${host} has no address`);
  return { url, places: usable.map((address) => ({ address, family: isIP(address) === 6 ? 6 : 4 })) };
}

/** Judges an address that is used later: one that does not resolve now is let through, and judged again then. */
export async function assertDeliverable(rule: AddressRule, text: string, signal: AbortSignal): Promise<void> {
  try {
    await pinAddress(rule, text, signal);
  } catch (error) {
    if (!(error instanceof AppError) || !(error.cause instanceof UnresolvedHostError)) throw error;
  }
}

/** Answers every look-up of a connection with the places that were judged. */
export function lookupOf({ places }: PinnedAddress): LookupFunction {
  return (_host, options, callback) => {
    const [first] = places;
    if (options.all === true) callback(null, [...places]);
    else if (first !== undefined) callback(null, first.address, first.family);
  };
}

/** The last segment of the path as a person reads it, or an empty string. */
export function nameOfAddress(url: URL): string {
  const segment = url.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

class UnresolvedHostError extends Error {
  override readonly name = 'UnresolvedHostError';
}

function badAddress({ field }: AddressRule, description: string, cause?: unknown): AppError {
  return new AppError('bad_address', `${field}: ${description}`, { fields: [{ field, description }], cause });
}

function parseAddress(rule: AddressRule, text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw badAddress(rule, 'expected an absolute http or https address');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw badAddress(rule, `expected http or https, found ${url.protocol.slice(0, -1)}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw badAddress(rule, 'credentials in the address are not accepted');
  }
  if (url.port === '0') throw badAddress(rule, 'expected a port from 1 to 65535, found 0');
  return url;
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

async function resolveHost(rule: AddressRule, host: string, signal: AbortSignal): Promise<string[]> {
  signal.throwIfAborted();
  try {
    return await orAbort((rule.resolve ?? resolveBySystem)(host), signal);
  } catch (error) {
    signal.throwIfAborted();
    const description = `the host ${host} cannot be resolved (${codeOf(error)})`;
    throw badAddress(rule, description, new UnresolvedHostError(description, { cause: error }));
  }
}

async function resolveBySystem(host: string): Promise<string[]> {
  return (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);
}

/** Lets a caller leave the system's look-up, which cannot be cancelled. */
function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  return promise;
}

/** A name with public and refused addresses is a trick, so refused; of the operator's own names allowed ones are used. */
function usableAddresses(rule: AddressRule, addresses: readonly string[]): string[] {
  const isPublic = addresses.filter(isPublicAddress);
  const allowed = addresses.filter((address) => !isPublicAddress(address) && isInNetworks(rule, address));
  const refused = addresses.find((address) => !isPublic.includes(address) && !allowed.includes(address));
  if (refused === undefined) return [...addresses];
  if (isPublic.length === 0 && allowed.length > 0) return allowed;
  const verb = rule.field === 'webhook_url' ? 'delivered to' : 'fetched from';
  throw badAddress(rule, `the address leads to ${describeRange(refused)}, which may not be ${verb}`);
}

/** The range that the registry has allotted to the public; `::127.0.0.1` and the like lie outside it. */
const PUBLIC_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

function isPublicAddress(address: string): boolean {
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(PUBLIC_IPV6);
}

function isInNetworks({ allowNetworks }: AddressRule, address: string): boolean {
  const parsed = ipaddr.process(address);
  return allowNetworks.some((network) => {
    const [base, bits] = ipaddr.parseCIDR(network);
    return base.kind() === parsed.kind() && parsed.match(base, bits);
  });
}

function describeRange(address: string): string {
  const range = ipaddr.process(address).range();
  if (range === 'unicast') return 'a reserved range';
  return `the ${range === 'uniqueLocal' ? 'private' : range} range`;
}
