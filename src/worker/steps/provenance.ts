/**
 * Reads the C2PA manifest store of a file. Nothing is fetched: no remote manifest, no revocation list, no trust
 * list. The settings are snake_case JSON because other spellings are silently ignored (libraries.md section 1).
 */
import { Reader } from '@contentauth/c2pa-node';
import { formatOf } from '../../domain/media/formats.ts';
import {
  type C2paReport,
  declaredOriginOf,
  NO_PROVENANCE,
  type Provenance,
} from '../../domain/verdicts/provenance.ts';
import { firstLine } from '../media-fault.ts';
import { boundReport, cutText, toC2paReport } from './c2pa-report.ts';
import { readDeclarations, readTags } from './declarations.ts';

/** What the file declares of its origin: signed manifests and unsigned metadata; `tags` are those of a film or a sound. */
export async function readProvenance(
  path: string,
  mimeType: string,
  trustAnchorsPem: string,
  tags: Readonly<Record<string, string>> = {},
): Promise<Provenance> {
  const provenance = await readManifests(path, mimeType, trustAnchorsPem);
  const declarations = [...(await readDeclarations(path, mimeType)), ...readTags(tags)];
  return declarations.length === 0 ? provenance : { ...provenance, declarations };
}

/** The type goes along because a slot's file has a neutral name, and the reader asks the name when it is not told. */
async function readManifests(path: string, mimeType: string, trustAnchorsPem: string): Promise<Provenance> {
  const readerMime = formatOf(mimeType)?.c2pa;
  if (readerMime === undefined) return NO_PROVENANCE;
  let reader: Reader | null;
  try {
    reader = await Reader.fromAsset({ path, mimeType: readerMime }, settingsFor(trustAnchorsPem));
  } catch (error) {
    if (/UnsupportedType|type is unsupported|naked codestream/i.test(String(error))) return NO_PROVENANCE;
    return fromReaderError(error);
  }
  if (reader === null) return NO_PROVENANCE;
  const report = toC2paReport(reader.json());
  return {
    ...NO_PROVENANCE,
    c2pa: boundReport(report),
    declaredOrigin: declaredOriginOf(report),
    signer: signerOf(report),
  };
}

function settingsFor(trustAnchorsPem: string): string {
  return JSON.stringify({
    verify: { remote_manifest_fetch: false, ocsp_fetch: false, verify_trust: true },
    core: { allowed_network_hosts: [] },
    // The reader refuses an empty bundle.
    ...(trustAnchorsPem === '' ? {} : { trust: { trust_anchors: trustAnchorsPem } }),
  });
}

/** A file with a broken manifest is still a picture to be judged; faulty settings are ours and end the child. */
function fromReaderError(error: unknown): Provenance {
  const text = error instanceof Error ? error.message : String(error);
  if (/invalid settings/i.test(text))
    throw new Error(`the C2PA reader refuses its settings: ${firstLine(text)}`);
  // The reader puts its variant and the address into the error's name, a sentence into the message.
  const remote = /RemoteManifestUrl\("([^"]+)"\)/.exec(String(error))?.[1];
  if (remote !== undefined) return { ...NO_PROVENANCE, remoteManifestUrl: cutText(remote) };
  return { ...NO_PROVENANCE, fault: `the C2PA manifest cannot be read (${firstLine(text)})` };
}

function signerOf(report: C2paReport): string | null {
  const active = report.manifests[report.active_manifest];
  if (typeof active !== 'object' || active === null || !('signature_info' in active)) return null;
  const { common_name, issuer } = active.signature_info as { common_name?: string; issuer?: string };
  const name = cutText(common_name ?? issuer);
  return name === '' ? null : name;
}
