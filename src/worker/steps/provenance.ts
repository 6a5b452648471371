/**
 * Reads the C2PA manifest store of a file. Nothing is fetched: no remote manifest, no revocation list, no trust
 * list. The settings are snake_case JSON because other spellings are silently ignored.
 */
import { Reader } from '@contentauth/c2pa-node';
import { formatOf } from '../../domain/media/formats.ts';
import type { ManifestSource } from '../../domain/provenance/manifest-facts.ts';
import type { TrustMaterial } from '../../domain/provenance/trust-list.ts';
import {
  type C2paReport,
  declaredOriginOf,
  NO_PROVENANCE,
  type Provenance,
} from '../../domain/verdicts/provenance.ts';
import { firstLine } from '../media-fault.ts';
import { readFacts } from '../provenance/read-facts.ts';
import { settingsFor } from '../provenance/reader-settings.ts';
import { boundReport, cutText, toC2paReport } from './c2pa-report.ts';
import { readDeclarations, readTags } from './declarations.ts';

/** A manifest that lies beside the file instead of in it. */
export interface OuterManifest {
  bytes: Buffer;
  source: Exclude<ManifestSource, 'embedded'>;
}

export interface ProvenanceOrder {
  path: string;
  mime: string;
  trust: TrustMaterial;
  /** Of a film or a sound. */
  tags?: Readonly<Record<string, string>>;
  /** Instead of one within the file. */
  manifest?: OuterManifest | null;
}

/** What the file declares of its origin: signed manifests and unsigned metadata. */
export async function readProvenance(order: ProvenanceOrder): Promise<Provenance> {
  const provenance = await readManifests(order);
  const declarations = [...(await readDeclarations(order.path, order.mime)), ...readTags(order.tags ?? {})];
  return declarations.length === 0 ? provenance : { ...provenance, declarations };
}

async function readManifests(order: ProvenanceOrder): Promise<Provenance> {
  const { trust, manifest } = order;
  const none: Provenance = { ...NO_PROVENANCE, hasReadFacts: true };
  const opened = await openReader(order);
  if (opened === null) return none;
  if (!('reader' in opened)) return { ...none, ...opened };
  const { reader } = opened;
  const report = toC2paReport(reader.json());
  return {
    ...none,
    c2pa: boundReport(report),
    declaredOrigin: declaredOriginOf(report),
    signer: signerOf(report),
    store: await readFacts(reader, trust, manifest?.source ?? 'embedded'),
  };
}

type Opened = { reader: Reader } | Pick<Provenance, 'remoteManifestUrl' | 'fault'>;

/** The type goes along because a slot's file has a neutral name, and the reader asks the name when it is not told. */
async function openReader({ path, mime, trust, manifest }: ProvenanceOrder): Promise<Opened | null> {
  const mimeType = formatOf(mime)?.c2pa;
  if (mimeType === undefined) return null;
  const settings = settingsFor(trust);
  try {
    const asset = { path, mimeType };
    const reader =
      manifest == null
        ? await Reader.fromAsset(asset, settings)
        : await Reader.fromManifestDataAndAsset(manifest.bytes, asset, settings);
    return reader === null ? null : { reader };
  } catch (error) {
    if (/UnsupportedType|type is unsupported|naked codestream/i.test(String(error))) return null;
    return fromReaderError(error);
  }
}

/** A file with a broken manifest is still a picture to be judged; faulty settings are ours and end the child. */
function fromReaderError(error: unknown): Pick<Provenance, 'remoteManifestUrl' | 'fault'> {
  const text = error instanceof Error ? error.message : String(error);
  if (/invalid settings/i.test(text))
    throw new Error(`the C2PA reader refuses its settings: ${firstLine(text)}`);
  // The reader puts its variant and the address into the error's name, a sentence into the message.
  const remote = /RemoteManifestUrl\("([^"]+)"\)/.exec(String(error))?.[1];
  if (remote !== undefined) return { remoteManifestUrl: cutText(remote), fault: null };
  return { remoteManifestUrl: null, fault: `the C2PA manifest cannot be read (${firstLine(text)})` };
}

function signerOf(report: C2paReport): string | null {
  const active = report.manifests[report.active_manifest];
  if (typeof active !== 'object' || active === null || !('signature_info' in active)) return null;
  const { common_name, issuer } = active.signature_info as { common_name?: string; issuer?: string };
  const name = cutText(common_name ?? issuer);
  return name === '' ? null : name;
}
