/** The facts of a manifest store: the C2PA reader's, its signers and stamps, and its thumbnails. */
import { X509Certificate } from 'node:crypto';
import type { Reader } from '@contentauth/c2pa-node';
import type {
  CodeFact,
  ManifestFacts,
  ManifestSource,
  SignerFacts,
  StoreFacts,
  TimeStampFacts,
} from '../../domain/provenance/manifest-facts.ts';
import { appliedLists, type TrustMaterial } from '../../domain/provenance/trust-list.ts';
import { MICROSECONDS_PER_MS, timeOfMs } from '../../domain/time.ts';
import { openPicture } from '../pictures/picture-file.ts';
import { nameParts } from './certificate-name.ts';
import { asText } from './hostile-json.ts';
import { type ReadManifest, readStore } from './manifest-store.ts';
import type { OpenedStore } from './opened-store.ts';
import type { SignatureBox } from './signature-box.ts';
import { readTimeStamp } from './time-stamp-token.ts';
import { hashOf, nameOf, serialOf, Vouchers } from './vouchers.ts';

/** Stamps have whole seconds, some milliseconds. */
const TIME_TOLERANCE_US = 1_000_000;

export async function readFacts(
  { reader, json, boxes }: OpenedStore,
  trust: TrustMaterial,
  source: ManifestSource,
): Promise<StoreFacts> {
  const { active, manifests, leftOut } = readStore(json);
  const vouchers = vouchersOf(trust);
  const now = new Date();
  const thumbnails = await readThumbnails(reader, manifests);
  return {
    source,
    active,
    leftOut,
    lists: appliedLists(trust),
    readAt: now.getTime() * MICROSECONDS_PER_MS,
    manifests: manifests.map(({ signature, ingredients, identitySerials, ...manifest }): ManifestFacts => {
      const own = boxes.filter(({ label }) => asText(label) === manifest.label);
      // The reader judged only one of two manifests with the same label.
      const box = own.length === 1 ? own[0] : undefined;
      const chains = (box?.identities ?? []).map(readChain);
      const identities = { chains, serials: identitySerials, at: now, isJudged: manifest.label === active };
      return {
        ...manifest,
        codes: withJudgedIdentities(manifest.codes, identities, vouchers),
        signer: signature === null ? null : toSigner(signature, box, { vouchers, now }),
        ingredients: ingredients.map(({ thumbnail, ...ingredient }) => ({
          ...ingredient,
          thumbnail: (thumbnail && thumbnails.get(thumbnail.identifier)) ?? '',
        })),
      };
    }),
  };
}

type Signature = NonNullable<ReadManifest['signature']>;

function toSigner(
  signature: Signature,
  box: SignatureBox | undefined,
  { vouchers, now }: { vouchers: Vouchers; now: Date },
): SignerFacts {
  const { name, organisation } = signature;
  const chain = box === undefined ? [] : readChain(box.certificates);
  const [own] = chain;
  const timeStamp = toTimeStamp(signature, box, vouchers);
  const isOwn = own !== undefined && serialOf(own) === signature.serialNumber;
  if (!isOwn) {
    const unknown = {
      issuer: '',
      fingerprint: '',
      notBefore: null,
      notAfter: null,
      vouchedBy: [],
      product: null,
    };
    return { name: name || organisation, organisation, ...unknown, timeStamp };
  }
  const product = vouchers.productOf(own);
  const isStamped = timeStamp !== null && timeStamp.vouchedBy.length > 0;
  const at = isStamped && timeStamp.time !== null ? new Date(timeStamp.time / MICROSECONDS_PER_MS) : now;
  return {
    name: name || organisation,
    organisation,
    timeStamp,
    issuer: issuerOf(own),
    fingerprint: hashOf(own),
    notBefore: timeOfMs(Date.parse(own.validFrom)),
    notAfter: timeOfMs(Date.parse(own.validTo)),
    vouchedBy: vouchers.forSigner(chain, at),
    product: product && {
      name: product.commonName,
      assuranceLevel: product.assuranceLevel,
      mayCapture: product.mayCapture,
    },
  };
}

function issuerOf({ issuer }: X509Certificate): string {
  const { CN, O } = nameParts(issuer);
  return asText(CN ?? O ?? '');
}

function toTimeStamp(
  { time }: Signature,
  box: SignatureBox | undefined,
  vouchers: Vouchers,
): TimeStampFacts | null {
  const token = box?.timeStamp == null ? null : readTimeStamp(box.timeStamp);
  const read = timeOfMs(Date.parse(time));
  if (token === null) return read === null ? null : { time: read, authority: '', vouchedBy: [] };
  // The stamp that the reader judged must be the one found here.
  const isSame = read !== null && Math.abs(token.time - read) <= TIME_TOLERANCE_US;
  const [own] = token.certificates;
  const authority = own === undefined ? '' : asText(nameOf(own));
  const at = new Date(token.time / MICROSECONDS_PER_MS);
  return {
    time: token.time,
    authority,
    vouchedBy: isSame ? vouchers.forTimeStamp(token.certificates, at) : [],
  };
}

/** The chain from the first certificate on, up to one that cannot be read. */
function readChain(certificates: readonly Uint8Array[]): X509Certificate[] {
  const chain: X509Certificate[] = [];
  for (const der of certificates) {
    try {
      chain.push(new X509Certificate(der));
    } catch {
      break;
    }
  }
  return chain;
}

let known: { trust: TrustMaterial; key: string; vouchers: Vouchers } | undefined;

/** Kept while the lists stay the same: parsing some hundred certificates costs as much as a reading. */
function vouchersOf(trust: TrustMaterial): Vouchers {
  const key = JSON.stringify(appliedLists(trust));
  if (known?.key !== key) known = { trust, key, vouchers: new Vouchers(trust) };
  return known.vouchers;
}

/** Each costs some milliseconds; a store with more shows the first. */
const THUMBNAILS_MAX = 8;
/** A thumbnail is small; real ones have up to 150 KB. */
const BYTES_MAX = 2 * 1024 * 1024;
const PIXELS_MAX = 16_000_000;
const SIDE_PIXELS = 96;
const QUALITY = 60;

/**
 * Thumbnails of ingredients: hostile pictures, decoded here and drawn anew, small. JPEG as data addresses, by the reader's
 * identifiers.
 */
async function readThumbnails(
  reader: Reader,
  manifests: readonly ReadManifest[],
): Promise<Map<string, string>> {
  const places = manifests.flatMap(({ ingredients }) =>
    ingredients.flatMap(({ thumbnail }) => thumbnail ?? []),
  );
  const identifiers = [...new Set(places.map(({ identifier }) => identifier))].slice(0, THUMBNAILS_MAX);
  const found = new Map<string, string>();
  for (const identifier of identifiers) {
    const drawn = await readThumbnail(reader, identifier);
    if (drawn !== '') found.set(identifier, drawn);
  }
  return found;
}

async function readThumbnail(reader: Reader, identifier: string): Promise<string> {
  try {
    const { buffer } = await reader.resourceToAsset(identifier, { buffer: null });
    if (buffer.length > BYTES_MAX) return '';
    const jpeg = await openPicture(buffer, PIXELS_MAX)
      .resize(SIDE_PIXELS, SIDE_PIXELS, { fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#ffffff' })
      .jpeg({ quality: QUALITY })
      .toBuffer();
    return `data:image/jpeg;base64,${jpeg.toString('base64')}`;
  } catch {
    // A manifest may call any bytes a thumbnail; those that are no picture are left out.
    return '';
  }
}

/** Whether lists vouch for people whom identity assertions (CAWG) name: C2PA reader 0.90.1 asks no list for them. */
const OF_TRUST = /^(signingCredential|cawg\.identity|cawg\.x509\.credential)\.(un)?trusted$/;
/** The reader's code for an identity whose signature holds, by any certificate. */
const WELL_FORMED = 'cawg.identity.well-formed';
const TRUSTED = 'cawg.identity.trusted';
const UNTRUSTED = 'cawg.x509.credential.untrusted';

interface SignedIdentities {
  /** A chain for each assertion that a certificate signs, its own first; empty if it cannot be read. */
  chains: readonly (readonly X509Certificate[])[];
  /** Certificates that the reader judged: serial numbers, in decimals. */
  serials: readonly string[];
  at: Date;
  /** Whether the reader's own code is among the codes: an ingredient may have what its writer recorded. */
  isJudged: boolean;
}

/** A certificate vouches only if the reader judged this very one, and its signature holds. */
function withJudgedIdentities(
  codes: readonly CodeFact[],
  { chains, serials, at, isJudged }: SignedIdentities,
  vouchers: Vouchers,
): CodeFact[] {
  if (serials.length === 0) return [...codes];
  const own = chains.map(([first]) => (first === undefined ? '' : serialOf(first)));
  const isSame = own.toSorted().join() === serials.toSorted().join();
  const held = codes.find(({ code, kind }) => code === WELL_FORMED && kind === 'success');
  const isVouched =
    isJudged &&
    isSame &&
    held?.count === serials.length &&
    chains.every((chain) => vouchers.forPerson(chain, at).length > 0);
  const about = { count: serials.length, isAboutIdentity: true, explanation: '' };
  const word: CodeFact = isVouched
    ? { ...about, code: TRUSTED, kind: 'success' }
    : { ...about, code: UNTRUSTED, kind: 'informational' };
  const others = codes.filter(({ code, isAboutIdentity }) => !(isAboutIdentity && OF_TRUST.test(code)));
  return [...others.filter((code) => !isVouched || code !== held), word];
}
