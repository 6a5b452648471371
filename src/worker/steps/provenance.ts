/** Reads the C2PA manifest store of a file. Nothing is fetched: no remote manifest, no revocation list, no trust list. */

import { Reader } from '@contentauth/c2pa-node';
import { formatOf } from '../../domain/media/formats.ts';
import type { PerceptualHash } from '../../domain/media/perceptual-hash.ts';
import { DECLARATION_ROWS, type FileText, findDeclarations } from '../../domain/provenance/declared-marks.ts';
import { findFacts } from '../../domain/provenance/file-facts.ts';
import type { ManifestSource } from '../../domain/provenance/manifest-facts.ts';
import { canHoldManifest } from '../../domain/provenance/outer-manifest.ts';
import {
  type C2paReport,
  type Declaration,
  declaredOriginOf,
  NO_PROVENANCE,
  type Provenance,
} from '../../domain/provenance/provenance.ts';
import type { TrustMaterial } from '../../domain/provenance/trust-list.ts';
import { onOneLine } from '../../domain/shown-text.ts';
import { firstLine } from '../media/media-fault.ts';
import type { Picture } from '../media/picture.ts';
import { readFileTexts } from '../metadata/file-texts.ts';
import { asList, asObject, type Json } from '../provenance/hostile-json.ts';
import { type OpenedStore, readBoxes, unreadableStore } from '../provenance/opened-store.ts';
import { settingsFor, UNJUDGED, WITHOUT_TRUST } from '../provenance/reader-settings.ts';
import type { SignatureBox } from '../provenance/signature-box.ts';
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

const VALUE_CHARACTERS_MAX = 120;
const DECLARATIONS_MAX = 8;

export function toDeclarations(texts: readonly FileText[]): Declaration[] {
  return findDeclarations(texts)
    .slice(0, DECLARATIONS_MAX)
    .map(({ row, field, value, origin }) => ({
      kind: DECLARATION_ROWS[row].kind,
      field: onOneLine(field, VALUE_CHARACTERS_MAX),
      value: onOneLine(value, VALUE_CHARACTERS_MAX),
      origin,
      name: row,
    }));
}

/** Turns the reader's exception for a revoked signer (by a stapled OCSP answer) into its code. */
const CODE = 'signingCredential.ocsp.revoked';

/** Reports it for each manifest with a stapled answer: the reader does not say which one it was. */
function withRevocation(value: unknown, boxes: readonly SignatureBox[]): unknown {
  const json = asObject(value);
  const results = asObject(json.validation_results);
  const active = asObject(results.activeManifest);
  const statuses = boxes
    .filter(({ hasStapled }) => hasStapled)
    .map(({ label }) => ({
      code: CODE,
      url: `self#jumbf=/c2pa/${label}/c2pa.signature`,
      explanation: 'the stapled answer says that the certificate was revoked',
    }));
  const failure = [...asList(active.failure), ...statuses];
  return {
    ...json,
    validation_state: 'Invalid',
    validation_status: [...asList(json.validation_status), ...statuses],
    validation_results: { ...results, activeManifest: { ...active, failure } },
  };
}

/** A page of fifty pictures with five edits each; some milliseconds a walk. */
const WALKS_MAX = 256;
/** Manifests of a store, and so of its longest way. */
const MANIFESTS_MAX = 256;

/**
 * Counts walks of the C2PA reader before it judges: it judges an ingredient anew for each way that leads to it, a million
 * times if two ingredients at each of twenty levels share the manifest below. The fault after "the manifest"; null if they
 * are few enough. `store` is the reader's JSON of an unjudged store.
 */
export function walksFault(store: unknown): string | null {
  const json = asObject(store);
  const manifests = new Map(Object.entries(asObject(json.manifests)).map(([key, it]) => [key, asObject(it)]));
  if (manifests.size > MANIFESTS_MAX)
    return `has ${manifests.size} manifests within; at most ${MANIFESTS_MAX} are read`;
  const known = new Map<string, number>();
  const walks = Math.max(0, ...[...manifests.keys()].map((label) => countWalks(manifests, label, known)));
  if (walks <= WALKS_MAX) return null;
  return `is led to by its ingredients in more than ${WALKS_MAX} ways; no more are followed`;
}

/** Walks from a manifest on, itself included; infinite for a circle. */
function countWalks(manifests: ReadonlyMap<string, Json>, label: string, known: Map<string, number>): number {
  const counted = known.get(label);
  if (counted !== undefined) return counted;
  // A way that leads back here meanwhile is a circle.
  known.set(label, Number.POSITIVE_INFINITY);
  let walks = 1;
  for (const { active_manifest: below } of asList(manifests.get(label)?.ingredients).map(asObject)) {
    if (typeof below === 'string' && manifests.has(below)) walks += countWalks(manifests, below, known);
  }
  known.set(label, walks);
  return walks;
}
