/** Reads what a trust list holds: certificates in PEM, the C2PA's list of conforming products, permitted key usages. */
import { createHash, X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { mayIssue } from '../../domain/provenance/certificate-chain.ts';
import type { ConformingProduct, TrustFile, TrustList } from '../../domain/provenance/trust-list.ts';

export type TrustContent = Pick<TrustList, 'sha256' | 'authorities' | 'singles' | 'products' | 'uses'>;

/** A file that is no trust list; the message follows its name: `holds …`. */
export class TrustListError extends Error {}

/** The official list has 30, the interim one a hundred, a system's whole store some hundred. */
export const CERTIFICATES_MAX = 1000;
const PRODUCTS_MAX = 5000;

/**
 * A certificate that may not issue others vouches for itself alone: its key could otherwise make signers of any name. Files that
 * came with Assay are known by their hashes, and not parsed: a test checks that each of their certificates is an authority.
 */
export function readTrustContent(files: readonly TrustFile[], { isShipped = false } = {}): TrustContent {
  const content: TrustContent = {
    sha256: hashOf(files),
    authorities: [],
    singles: [],
    products: [],
    uses: [],
  };
  for (const { holds, text } of files) {
    if (holds === 'authorities' || holds === 'single') {
      for (const der of isShipped ? blocksOf(text) : readCertificates(text)) {
        const isAuthority = holds === 'authorities' && (isShipped || mayIssue(new X509Certificate(der)));
        if (isAuthority) content.authorities.push(der.toString('base64'));
        else content.singles.push({ der: der.toString('base64'), sha256: sha256Of(der) });
      }
    }
    if (holds === 'products') content.products.push(...readProducts(text));
    if (holds === 'uses') content.uses.push(...(text.match(/^\d+(\.\d+)+$/gm) ?? []));
  }
  return content;
}

const BEGIN = '-----BEGIN CERTIFICATE-----';
const BLOCK = new RegExp(`${BEGIN}([^-]+)-----END CERTIFICATE-----`, 'g');

/** DER of each. */
function blocksOf(pem: string): Buffer[] {
  return Array.from(pem.matchAll(BLOCK), ([, base64 = '']) => Buffer.from(base64, 'base64'));
}

/** Every certificate must be readable: an unreadable one would be left out silently. */
function readCertificates(pem: string): Buffer[] {
  const blocks = blocksOf(pem);
  const begun = pem.split(BEGIN).length - 1;
  if (begun === 0) throw new TrustListError('holds no certificate in PEM');
  if (begun > CERTIFICATES_MAX) {
    throw new TrustListError(`holds ${begun} certificates; at most ${CERTIFICATES_MAX} are read`);
  }
  return Array.from({ length: begun }, (_, index) => {
    try {
      return new X509Certificate(blocks[index] ?? '').raw;
    } catch {
      throw new TrustListError(`holds a certificate that cannot be read (number ${index + 1} of ${begun})`);
    }
  });
}

const conformingProducts = z
  .array(
    z.object({
      status: z.string(),
      product: z.object({
        productType: z.string(),
        DN: z.object({ CN: z.string().max(300), O: z.string().max(300), OU: z.string().max(300).optional() }),
        assurance: z.object({ maxAssuranceLevel: z.int().min(1).max(9).nullish() }).nullish(),
        disallowedSignals: z.object({ inception: z.array(z.string()).nullish() }).nullish(),
      }),
    }),
  )
  .max(PRODUCTS_MAX);

function readProducts(text: string): ConformingProduct[] {
  const read = conformingProducts.safeParse(parseJson(text));
  if (!read.success) throw new TrustListError('is no list of conforming products as the C2PA publishes it');
  return read.data
    .filter(({ status, product }) => status === 'conformant' && product.productType === 'generatorProduct')
    .map(({ product: { DN, assurance, disallowedSignals } }) => ({
      commonName: DN.CN,
      organisation: DN.O,
      unit: DN.OU ?? '',
      assuranceLevel: assurance?.maxAssuranceLevel ?? null,
      mayCapture: !(disallowedSignals?.inception ?? []).includes('capturedMedia'),
    }));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function hashOf(files: readonly TrustFile[]): string {
  const hash = createHash('sha256');
  for (const { text } of files) hash.update(text);
  return hash.digest('hex');
}

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
