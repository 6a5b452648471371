/**
 * Which lists vouch for a certificate: that its chain leads to an authority of a list by names, key identifiers and
 * signatures, or that the list holds the certificate itself. Times, revocation and permitted uses are the C2PA reader's.
 */
import { X509Certificate } from 'node:crypto';
import type { Voucher } from '../../domain/provenance/manifest-facts.ts';
import {
  type ConformingProduct,
  type TrustListMaterial,
  type TrustMaterial,
  vouchesForSigners,
  vouchesForTime,
} from '../../domain/provenance/trust-list.ts';
import { nameParts } from './certificate-name.ts';

const CHAIN_MAX = 8;

interface OpenList {
  id: string;
  forSigners: boolean;
  forTime: boolean;
  /** By their subject. */
  authorities: Map<string, X509Certificate[]>;
  single: ReadonlySet<string>;
}

export class Vouchers {
  readonly #lists: OpenList[];
  readonly #products: Map<string, ConformingProduct[]>;

  constructor({ lists }: TrustMaterial) {
    this.#lists = lists.map(openList);
    const products = lists.flatMap((list) => list.products);
    this.#products = Map.groupBy(products, ({ commonName }) => commonName);
  }

  /** Vouchers for a certificate that signs media; `chain` has the signer's own first. */
  forSigner(chain: readonly X509Certificate[]): Voucher[] {
    return this.#find(chain, ({ forSigners }) => forSigners);
  }

  forTimeStamp(chain: readonly X509Certificate[]): Voucher[] {
    return this.#find(chain, ({ forTime }) => forTime);
  }

  /** The product whose name the certificate carries; null if the list has none. */
  productOf(certificate: X509Certificate): ConformingProduct | null {
    const { CN = '', O = '', OU = '' } = nameParts(certificate.subject);
    const named = (this.#products.get(CN) ?? []).filter(({ organisation }) => organisation === O);
    return named.find(({ unit }) => unit === OU) ?? named.find(({ unit }) => unit === '') ?? null;
  }

  #find(chain: readonly X509Certificate[], isAsked: (list: OpenList) => boolean): Voucher[] {
    const [own] = chain;
    if (own === undefined) return [];
    const hash = hashOf(own);
    const path = pathOf(chain);
    return this.#lists.filter(isAsked).flatMap(({ id, single, authorities }) => {
      if (single.has(hash)) return { list: id, by: nameOf(own) };
      const authority = findAuthority(path, authorities);
      return authority === null ? [] : { list: id, by: nameOf(authority) };
    });
  }
}

function openList(list: TrustListMaterial): OpenList {
  const authorities = list.authorities.map((der) => new X509Certificate(Buffer.from(der, 'base64')));
  return {
    id: list.id,
    forSigners: vouchesForSigners(list),
    forTime: vouchesForTime(list),
    authorities: Map.groupBy(authorities, ({ subject }) => subject),
    single: new Set(list.single),
  };
}

/** From the signer's own on, each issued by the next, with the name of its issuer. The signatures are checked once for all lists. */
function pathOf([own, ...others]: readonly X509Certificate[]): {
  certificate: X509Certificate;
  issuer: string;
}[] {
  const path: { certificate: X509Certificate; issuer: string }[] = [];
  for (let next = own; next !== undefined && path.length < CHAIN_MAX; ) {
    const child: X509Certificate = next;
    path.push({ certificate: child, issuer: child.issuer });
    next = others.find((other) => other !== child && other.ca && hasIssued(other, child));
  }
  return path;
}

function findAuthority(
  path: readonly { certificate: X509Certificate; issuer: string }[],
  authorities: ReadonlyMap<string, X509Certificate[]>,
): X509Certificate | null {
  for (const { certificate, issuer } of path) {
    const found = (authorities.get(issuer) ?? []).find((authority) => hasIssued(authority, certificate));
    if (found !== undefined) return found;
  }
  return null;
}

function hasIssued(issuer: X509Certificate, certificate: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

export function hashOf({ fingerprint256 }: X509Certificate): string {
  return fingerprint256.replaceAll(':', '').toLowerCase();
}

export function nameOf({ subject }: X509Certificate): string {
  const { CN, O } = nameParts(subject);
  return CN ?? O ?? '';
}
