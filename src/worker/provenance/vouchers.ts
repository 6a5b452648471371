/** Lists that vouch for a certificate; the reader takes chains that RFC 5280 refuses, but alone judges revocation. */
import { X509Certificate } from 'node:crypto';
import {
  findChain,
  keyFault,
  MEDIA_SIGNING,
  TIME_STAMPING,
} from '../../domain/provenance/certificate-chain.ts';
import type { Voucher } from '../../domain/provenance/manifest-facts.ts';
import {
  type ConformingProduct,
  type TrustListMaterial,
  type TrustMaterial,
  vouchesForPeople,
  vouchesForSigners,
  vouchesForTime,
} from '../../domain/provenance/trust-list.ts';
import { nameParts } from './certificate-name.ts';

interface OpenList {
  id: string;
  forSigners: boolean;
  forPeople: boolean;
  forTime: boolean;
  authorities: readonly X509Certificate[];
  single: ReadonlySet<string>;
}

export class Vouchers {
  readonly #lists: OpenList[];
  readonly #products: Map<string, ConformingProduct[]>;
  readonly #signing: readonly string[];

  constructor({ lists, uses }: TrustMaterial) {
    this.#lists = lists.map(openList);
    const products = lists.flatMap((list) => list.products);
    this.#products = Map.groupBy(products, ({ commonName }) => commonName);
    this.#signing = [...MEDIA_SIGNING, ...uses];
  }

  /** `chain`: the signer's own first. Judged at that time, or at the nearest at which the certificate was valid. */
  forSigner(chain: readonly X509Certificate[], at: Date): Voucher[] {
    const [own] = chain;
    if (own === undefined) return [];
    const last = own.validToDate.getTime() - 1000;
    const nearest = new Date(Math.max(own.validFromDate.getTime(), Math.min(at.getTime(), last)));
    return this.#find(chain, nearest, this.#signing, ({ forSigners }) => forSigners);
  }

  /** Vouchers for a certificate that signs an identity assertion. */
  forPerson(chain: readonly X509Certificate[], at: Date): Voucher[] {
    return this.#find(chain, at, this.#signing, ({ forPeople }) => forPeople);
  }

  forTimeStamp(chain: readonly X509Certificate[], at: Date): Voucher[] {
    // Certificates above without a named use allow all; a stamper must name it (RFC 3161, 2.3).
    if (chain[0]?.keyUsage?.includes(TIME_STAMPING) !== true) return [];
    return this.#find(chain, at, [TIME_STAMPING], ({ forTime }) => forTime);
  }

  /** The product named in the certificate; null if the list does not have it. */
  productOf(certificate: X509Certificate): ConformingProduct | null {
    const { CN = '', O = '', OU = '' } = nameParts(certificate.subject);
    const named = (this.#products.get(CN) ?? []).filter(({ organisation }) => organisation === O);
    return named.find(({ unit }) => unit === OU) ?? named.find(({ unit }) => unit === '') ?? null;
  }

  #find(
    [own, ...others]: readonly X509Certificate[],
    at: Date,
    purposes: readonly string[],
    isAsked: (list: OpenList) => boolean,
  ): Voucher[] {
    if (own === undefined || keyFault(own) !== null) return [];
    const hash = hashOf(own);
    return this.#lists.filter(isAsked).flatMap(({ id, single, authorities }) => {
      if (single.has(hash)) return { list: id, by: nameOf(own) };
      const order = { signer: own, others, anchors: authorities, isToRoot: false, purposes, at };
      const chain = findChain(order);
      const anchor = typeof chain === 'string' ? undefined : chain.at(-1);
      return anchor === undefined ? [] : { list: id, by: nameOf(anchor) };
    });
  }
}

function openList(list: TrustListMaterial): OpenList {
  return {
    id: list.id,
    forSigners: vouchesForSigners(list),
    forPeople: vouchesForPeople(list),
    forTime: vouchesForTime(list),
    authorities: list.authorities.map((der) => new X509Certificate(Buffer.from(der, 'base64'))),
    single: new Set(list.single),
  };
}

/** In decimals, as the C2PA reader writes it. */
export const serialOf = ({ serialNumber }: X509Certificate): string => BigInt(`0x${serialNumber}`).toString();

export function hashOf({ fingerprint256 }: X509Certificate): string {
  return fingerprint256.replaceAll(':', '').toLowerCase();
}

export function nameOf({ subject }: X509Certificate): string {
  const { CN, O } = nameParts(subject);
  return CN ?? O ?? '';
}
