/** Reads the C2PA manifest store of a file. Nothing is fetched: no remote manifest, no revocation list, no trust list. */
import { Reader } from '@contentauth/c2pa-node';
import { formatOf } from '../../domain/media/formats.ts';
import type { PerceptualHash } from '../../domain/media/perceptual-hash.ts';
import { findFacts } from '../../domain/provenance/file-facts.ts';
import type { ManifestSource } from '../../domain/provenance/manifest-facts.ts';
import { canHoldManifest } from '../../domain/provenance/outer-manifest.ts';
import {
  type C2paReport,
  declaredOriginOf,
  NO_PROVENANCE,
  type Provenance,
} from '../../domain/provenance/provenance.ts';
import type { TrustMaterial } from '../../domain/provenance/trust-list.ts';
import { firstLine } from '../media/media-fault.ts';
import type { Picture } from '../media/picture.ts';
import { toDeclarations } from '../metadata/declarations.ts';
import { readFileTexts } from '../metadata/file-texts.ts';
import { walksFault } from '../provenance/ingredient-walks.ts';
import { type OpenedStore, readBoxes, unreadableStore } from '../provenance/opened-store.ts';
import { settingsFor, UNJUDGED, WITHOUT_TRUST } from '../provenance/reader-settings.ts';
import { withRevocation } from '../provenance/revocation.ts';
import { activeManifest, boundReport, cutText, toC2paReport } from './c2pa-report.ts';
import { compareThumbnail } from './thumbnail.ts';

/** A manifest that lies beside the file instead of in it. */
export interface OuterManifest {
  bytes: Buffer;
  source: Exclude<ManifestSource, 'embedded'>;
}

export interface ProvenanceOrder {
  path: string;
  mime: string;
  trust: TrustMaterial;
  /** The decoded picture, whose lowest bits may hold text. */
  picture?: Picture;
  /** The picture's hash, for a caller that needs it too. */
  hash?: () => PerceptualHash | null;
  /** Tags of a film or a sound. */
  tags?: Readonly<Record<string, string>>;
  /** Replaces one within the file. */
  manifest?: OuterManifest | null;
}

/** Reads a file's declarations: signed manifests and unsigned metadata. */
export async function readProvenance(order: ProvenanceOrder): Promise<Provenance> {
  return await addMetadata(await readManifests(order), order);
}

/** Adds the unsigned metadata, which the picture library reads. */
export async function addMetadata(provenance: Provenance, order: ProvenanceOrder): Promise<Provenance> {
  const { mime, picture } = order;
  const { texts, facts, thumbnail } = await readFileTexts(order);
  const declarations = toDeclarations(texts);
  const declared = declarations.length === 0 ? provenance : { ...provenance, declarations };
  const format = formatOf(mime);
  if (format?.kinds.image !== undefined && format.hasMetadata !== true) return declared;
  const isCompared = thumbnail !== null && picture !== undefined;
  const thumbnailBits = isCompared ? await compareThumbnail(thumbnail, picture, order.hash?.()) : null;
  return { ...declared, fileFacts: { facts: findFacts(facts), thumbnailBits } };
}

/** The signed manifests alone, without the picture library. */
export async function readManifests(order: ProvenanceOrder): Promise<Provenance> {
  const { trust, manifest } = order;
  const none: Provenance = { ...NO_PROVENANCE, hasReadFacts: true };
  const opened = await openStore(order);
  if (opened === 'format') return { ...none, isFormatUnreadable: true };
  if (opened === null) return none;
  if (!('reader' in opened)) return { ...none, ...opened };
  const report = toC2paReport(opened.json);
  // Loaded late: few files have a manifest, and the reader of its time stamps loads as slowly as the picture library.
  const { readFacts } = await import('../provenance/read-facts.ts');
  return {
    ...none,
    c2pa: boundReport(report),
    declaredOrigin: declaredOriginOf(report),
    signer: signerOf(report),
    store: await readFacts(opened, trust, manifest?.source ?? 'embedded'),
  };
}

type Unopened = Pick<Provenance, 'remoteManifestUrl' | 'fault' | 'store'>;

/** Null if the file neither has nor names a manifest; `format` if the reader does not support such files. */
async function openStore(order: ProvenanceOrder): Promise<OpenedStore | Unopened | 'format' | null> {
  if (!canHoldManifest(order.mime)) return 'format';
  try {
    const unjudged = await openReader(order, UNJUDGED);
    if (unjudged === null) return null;
    const fault = walksFault(unjudged.json());
    if (fault !== null)
      return { remoteManifestUrl: null, fault: `the C2PA manifest cannot be read (it ${fault})` };
    const reader = await openReader(order, settingsFor(order.trust));
    return reader && { reader, json: reader.json(), boxes: await readBoxes(unjudged) };
  } catch (error) {
    // A bare JPEG XL codestream has no boxes, so no manifest.
    if (/naked codestream/i.test(String(error))) return null;
    // A file whose first box is another one is no container to the reader.
    if (/UnsupportedType|type is unsupported|expected box type "ftyp"/i.test(String(error))) return 'format';
    if (!REVOKED.test(String(error))) return fromReaderError(error, order.trust);
    return (await openRevoked(order)) ?? fromReaderError(error, order.trust);
  }
}

/** The reader's text for a signer that a stapled answer of a listed authority calls revoked. */
const REVOKED = /certificate is not trusted/i;

async function openRevoked(order: ProvenanceOrder): Promise<OpenedStore | Unopened | null> {
  try {
    const reader = await openReader(order, WITHOUT_TRUST);
    if (reader === null) return null;
    const boxes = await readBoxes(reader);
    // Refused for another reason, which is then reported.
    if (!boxes.some(({ hasStapled }) => hasStapled)) return null;
    return { reader, json: withRevocation(reader.json(), boxes), boxes };
  } catch (error) {
    return fromReaderError(error, order.trust);
  }
}

/** The type is passed because a slot's file has a neutral name, and the reader otherwise asks the name. */
async function openReader(
  { path, mime, manifest }: ProvenanceOrder,
  settings: string,
): Promise<Reader | null> {
  const mimeType = formatOf(mime)?.c2pa;
  if (mimeType === undefined) return null;
  const asset = { path, mimeType };
  if (manifest == null) return await Reader.fromAsset(asset, settings);
  return await Reader.fromManifestDataAndAsset(manifest.bytes, asset, settings);
}

/** Broken bindings for which the reader throws instead of giving the code. */
const UNREADABLE: readonly [RegExp, string][] = [
  [/AssertionMissing/, 'assertion.missing'],
  [/HashMismatch/, 'assertion.hashedURI.mismatch'],
];

/** A file with a broken manifest is still judged; faulty settings are ours and end the child. */
function fromReaderError(error: unknown, trust: TrustMaterial): Unopened {
  const text = error instanceof Error ? error.message : String(error);
  if (/invalid settings/i.test(text))
    throw new Error(`the C2PA reader refuses its settings: ${firstLine(text)}`);
  // The reader puts its variant and the address into the error's name, a sentence into the message.
  const remote = /RemoteManifestUrl\("([^"]+)"\)/.exec(String(error))?.[1];
  if (remote !== undefined) return { remoteManifestUrl: cutText(remote), fault: null };
  const fault = `the C2PA manifest cannot be read (${firstLine(text)})`;
  const code = UNREADABLE.find(([pattern]) => pattern.test(String(error)))?.[1];
  return {
    remoteManifestUrl: null,
    fault,
    ...(code === undefined ? {} : { store: unreadableStore(code, trust) }),
  };
}

function signerOf(report: C2paReport): string | null {
  const active = activeManifest(report);
  if (typeof active !== 'object' || active === null || !('signature_info' in active)) return null;
  const { common_name, issuer } = active.signature_info as { common_name?: string; issuer?: string };
  const name = cutText(common_name ?? issuer);
  return name === '' ? null : name;
}
