/** Parses a value of the file (TOML) or a variable (text): undefined if not accepted; the caller reports `expected`. */
import { isAbsolute, resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { isAuthorityAddress } from '../machinery/timestamp-authority.ts';
import { Secret } from './secret.ts';

export interface Parser<T> {
  /** Completes the sentence "expected …". */
  readonly expected: string;
  /** May be given as a file, and is never shown. */
  readonly isSecret?: true;
  parse(value: unknown): T | undefined;
}

export interface ListenAddress {
  /** Without brackets. */
  host: string;
  /** 0 = any free port. */
  port: number;
}

/** A whole number between two bounds, both allowed. */
export function integer(minimum: number, maximum: number): Parser<number> {
  return {
    expected: `a whole number from ${minimum} to ${maximum}`,
    parse(value) {
      const number = typeof value === 'string' && /^\d+$/.test(value.trim()) ? Number(value) : value;
      if (typeof number !== 'number' || !Number.isSafeInteger(number)) return undefined;
      return number >= minimum && number <= maximum ? number : undefined;
    },
  };
}

const SIZE_UNITS: ReadonlyMap<string, number> = new Map(
  Object.entries<number>({ '': 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 }),
);

/** Bytes: a number, or a number with KiB, MiB or GiB. */
export function size(minimum: number): Parser<number> {
  return {
    expected: `a size in bytes or like 512MiB or 1GiB, at least ${minimum}`,
    parse(value) {
      const match = /^(\d+)\s*(KiB|MiB|GiB|)$/.exec(String(value).trim());
      const bytes = Number(match?.[1]) * (SIZE_UNITS.get(match?.[2] ?? '') ?? 1);
      return Number.isSafeInteger(bytes) && bytes >= minimum ? bytes : undefined;
    },
  };
}

export function boolean(): Parser<boolean> {
  return {
    expected: 'true or false',
    parse(value) {
      if (typeof value === 'boolean') return value;
      if (value === 'true' || value === '1' || value === 'on') return true;
      return value === 'false' || value === '0' || value === 'off' ? false : undefined;
    },
  };
}

export function oneOf<const T extends string>(choices: readonly T[]): Parser<T> {
  return {
    expected: `one of ${choices.join(', ')}`,
    parse: (value) => choices.find((choice) => choice === value),
  };
}

/** Text of a bounded length without control characters. */
export function text(expected: string, pattern: RegExp): Parser<string> {
  return {
    expected,
    parse: (value) => (typeof value === 'string' && pattern.test(value) ? value : undefined),
  };
}

/** An absolute folder, independent of the daemon's working folder; without `.`, `..` and a trailing slash. */
export function absolutePath(): Parser<string> {
  return {
    expected: 'an absolute path',
    parse: (value) =>
      typeof value === 'string' && isAbsolute(value) && !value.includes('\0') && value.length <= 4096
        ? resolve(value)
        : undefined,
  };
}

export function secret(expected: string, pattern: RegExp): Parser<Secret> {
  return {
    expected,
    isSecret: true,
    parse: (value) => (typeof value === 'string' && pattern.test(value) ? new Secret(value) : undefined),
  };
}

/** `host:port`; an IPv6 host stands in brackets. */
export function listenAddress(): Parser<ListenAddress> {
  return {
    expected: 'host:port, as 127.0.0.1:8480 or [::1]:8480 (port 0 = any free one)',
    parse(value) {
      const match = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9.-]+)):(\d{1,5})$/.exec(String(value));
      const port = Number(match?.[3]);
      if (match === null || port > 65_535) return undefined;
      const [, bracketed, host] = match;
      if (bracketed !== undefined) {
        return ipaddr.IPv6.isValid(bracketed) ? { host: bracketed, port } : undefined;
      }
      if (host === undefined || (/^[\d.]+$/.test(host) && !ipaddr.IPv4.isValidFourPartDecimal(host))) {
        return undefined;
      }
      return { host, port };
    },
  };
}

/** An http or https address without a query; a trailing slash is dropped. */
export function httpUrl(): Parser<string> {
  return {
    expected: 'an address like https://assay.example.org',
    parse(value) {
      if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
      const url = new URL(value);
      const isPlain = url.search === '' && url.hash === '' && url.username === '' && url.password === '';
      if (!isPlain || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
      return url.href.replace(/\/+$/, '');
    },
  };
}

/** The page, its files and all links begin at the root, so a proxy must not add a prefix. */
export function webOrigin(): Parser<string> {
  const address = httpUrl();
  return {
    expected: `${address.expected}, without a path`,
    parse(value) {
      const url = address.parse(value);
      return url !== undefined && new URL(url).pathname === '/' ? url : undefined;
    },
  };
}

/** A host as it stands in an address: in lower case, without a port. */
export function hostName(): Parser<string> {
  const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
  const pattern = new RegExp(`^(?=.{1,253}$)${label}(\\.${label})*$`);
  return {
    expected: 'a host name like manifests.example.org, without a port',
    parse(value) {
      const name = typeof value === 'string' ? value.trim().toLowerCase() : '';
      return pattern.test(name) ? name : undefined;
    },
  };
}

export function timestampAuthority(): Parser<string> {
  return {
    expected: 'an address like https://time.example.org/tsa',
    parse: (value) =>
      typeof value === 'string' && value.length <= 2048 && isAuthorityAddress(value) ? value : undefined,
  };
}

/** A list of what `item` takes: an array in the file, separated by commas in a variable. */
export function listOf<T>(item: Parser<T>, what: string, countMin = 0): Parser<T[]> {
  return {
    expected: `a list (in a variable: separated by commas) of ${what}`,
    parse(value) {
      const parts = typeof value === 'string' ? splitList(value) : value;
      if (!Array.isArray(parts) || parts.length < countMin) return undefined;
      const items = parts.map((part) => item.parse(part));
      return items.every((parsed) => parsed !== undefined) ? items : undefined;
    },
  };
}

function splitList(value: string): string[] {
  return value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** A network in CIDR notation. */
export function cidr(): Parser<string> {
  return {
    expected: 'a network like 10.0.0.0/8',
    parse: (value) => (typeof value === 'string' && ipaddr.isValidCIDR(value) ? value : undefined),
  };
}

/** One address, or a network in CIDR notation. */
export function addressOrNetwork(): Parser<string> {
  return {
    expected: 'an address or a network like 10.0.0.5 or 10.0.0.0/8',
    parse: (value) =>
      typeof value === 'string' && (ipaddr.isValid(value) || ipaddr.isValidCIDR(value)) ? value : undefined,
  };
}
