/** A manifest beside its file or at an address that the file names; read on this box, so workers need not have it. */
import { createHash } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import {
  canHoldManifest,
  isManifestStore,
  type OuterManifest,
} from '../../domain/provenance/outer-manifest.ts';
import type { OuterOutcome, OuterReading } from '../../domain/provenance/outer-reading.ts';
import { hasEmbedded, type Provenance } from '../../domain/provenance/provenance.ts';
import type { TrustMaterial } from '../../domain/provenance/trust-list.ts';
import type { Analysis } from '../../domain/records/classification.ts';
import type { AnalysisResult } from '../../domain/verdicts/result.ts';
import type { Store } from '../../store/store.ts';
import type { Attempt } from '../analyses/analysis-parts.ts';
import type { DecodePool } from '../decode/decode-pool.ts';
import { readStoredProvenance } from '../decode/read-provenance.ts';
import type { Execution } from '../executors/executor.ts';

export type FetchedManifest =
  | { outcome: 'fetched'; bytes: Uint8Array }
  | { outcome: 'host_not_allowed' | 'not_fetched'; reason: string };

/** Throws only if the signal aborts: the record says why nothing was fetched. */
export type FetchManifest = (address: string, signal: AbortSignal) => Promise<FetchedManifest>;

export interface OuterManifestParts {
  store: Store;
  decodePool: Pick<DecodePool, 'run'>;
  trust: () => TrustMaterial;
  fetchManifest: FetchManifest;
}

/** An analysis whose file is in the store. */
type ReadAnalysis = Pick<Analysis, 'id' | 'hash'> & { manifestHash: string | undefined };

/** Adds such a manifest's facts to the execution. If it throws, the execution is settled as not stored. */
export async function withOuterManifest(
  parts: OuterManifestParts,
  { id, manifestHash }: Analysis,
  { analysis: { hash }, signal }: Attempt,
  execution: Execution,
): Promise<Execution> {
  try {
    const provenance = await readOuter(parts, { id, hash, manifestHash }, execution.result, signal);
    return { ...execution, result: { ...execution.result, provenance } };
  } catch (error) {
    execution.settled(false);
    throw error;
  }
}

async function readOuter(
  parts: OuterManifestParts,
  analysis: ReadAnalysis,
  result: AnalysisResult,
  signal: AbortSignal,
): Promise<Provenance> {
  // An executor has seen no such manifest, so its own report does not count.
  const { outer: _, ...provenance } = result.provenance;
  const within = { ...result, provenance };
  const kept = parts.store.read.outerManifests.of(analysis.id);
  if (analysis.manifestHash !== undefined) {
    if (kept?.hash !== analysis.manifestHash) throw new AppError('media', GONE);
    if (!hasEmbedded(provenance)) return await readFrom(parts, analysis, { within, manifest: kept }, signal);
    return { ...provenance, outer: toReading(kept, 'embedded_speaks') };
  }
  const { remoteManifestUrl: address } = provenance;
  if (address === null || hasEmbedded(provenance)) return provenance;
  const found = kept ?? (await fetchAndKeep(parts, analysis.id, address, signal));
  if ('outcome' in found) return { ...provenance, outer: found };
  return await readFrom(parts, analysis, { within, manifest: found }, signal);
}

const GONE = 'the manifest beside the file is missing from the appliance’s store; submit both again';

async function readFrom(
  { store, decodePool, trust }: OuterManifestParts,
  { hash }: ReadAnalysis,
  { within, manifest }: { within: Pick<AnalysisResult, 'mime' | 'provenance'>; manifest: OuterManifest },
  signal: AbortSignal,
): Promise<Provenance> {
  const { mime, provenance } = within;
  const unreadable = { ...provenance, outer: toReading(manifest, 'format_not_readable') };
  if (!canHoldManifest(mime)) return unreadable;
  const stored = { hash, trust: trust(), manifest, turn: 'analysis', signal } as const;
  const read = await readStoredProvenance(decodePool, store.blobs, stored);
  if (read.isFormatUnreadable === true) return unreadable;
  const { remoteManifestUrl, declarations } = provenance;
  const outer = toReading(manifest, read.c2pa === null ? 'unreadable' : 'read');
  return { ...read, remoteManifestUrl, outer, ...(declarations === undefined ? {} : { declarations }) };
}

async function fetchAndKeep(
  { store, fetchManifest }: OuterManifestParts,
  analysisId: string,
  address: string,
  signal: AbortSignal,
): Promise<OuterManifest | OuterReading> {
  const fetched = await fetchManifest(address, signal);
  const nothing = { source: 'remote', host: hostOf(address), sha256: '' } as const;
  if (fetched.outcome !== 'fetched') return { ...nothing, ...fetched };
  const { bytes } = fetched;
  if (!isManifestStore(bytes)) {
    return { ...nothing, outcome: 'no_manifest', reason: `what lies there has ${bytes.length} bytes` };
  }
  const hash = createHash('sha256').update(bytes).digest('hex');
  const manifest: OuterManifest = { source: 'remote', bytes, hash, address };
  await store.transact((tx) => {
    // If it was cancelled meanwhile, no one else removes it.
    if (tx.analyses.get(analysisId)?.state === 'running') tx.outerManifests.put(analysisId, manifest);
  });
  return manifest;
}

function toReading({ source, address, hash }: OuterManifest, outcome: OuterOutcome): OuterReading {
  return { source, outcome, host: source === 'remote' ? hostOf(address) : '', sha256: hash, reason: '' };
}

/** Empty if it is no address, since files may name anything. */
function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host.slice(0, HOST_CHARACTERS_MAX) : '';
}

const HOST_CHARACTERS_MAX = 300;
