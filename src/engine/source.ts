/** An analysis of an address: its file is fetched, checked and kept before anything else, and then like an upload. */
import type { Analysis } from '../domain/classification.ts';
import { AppError } from '../domain/errors.ts';
import type { TemporaryBlob } from '../store/blobs.ts';
import type { Store } from '../store/store.ts';
import type { StoreTransaction } from '../store/transaction.ts';
import type { Probe } from '../worker/protocol.ts';
import type { InstalledPack } from './packs.ts';
import { analysisKey } from './queue.ts';

/** Downloads into a temporary file; throws an AppError with a sentence for a person. */
export type FetchMedia = (
  url: string,
  signal: AbortSignal,
) => Promise<{ temporary: TemporaryBlob; name: string | null }>;

export interface SourceParts {
  store: Store;
  fetchMedia: FetchMedia;
  /** Throws MediaFaultError for the file's fault. */
  probe: (path: string, signal: AbortSignal) => Promise<Probe>;
  findPack: (key: string) => InstalledPack | undefined;
}

interface Fetched {
  temporary: TemporaryBlob;
  name: string | null;
  probe: Probe;
}

/** The analysis with its hash, or undefined where it was cancelled while the file was fetched. */
export async function fetchSource(
  parts: SourceParts,
  analysis: Analysis,
  signal: AbortSignal,
): Promise<Analysis | undefined> {
  if (analysis.hash !== '') return analysis;
  if (analysis.sourceUrl === null) throw new Error('an analysis has neither a file nor an address');
  const { temporary, name } = await parts.fetchMedia(analysis.sourceUrl, signal);
  try {
    const probe = await parts.probe(temporary.path, signal);
    checkProbe(parts, analysis, probe);
    return await keep(parts.store, analysis, { temporary, name, probe });
  } finally {
    // What was kept has another name by now.
    await parts.store.blobs.discard(temporary);
  }
}

/** The checks that an upload passes inside its submission. */
function checkProbe({ findPack }: SourceParts, analysis: Analysis, { kind, width, height }: Probe): void {
  if (kind !== analysis.kind) {
    throw new AppError('unsupported_media_type', `the address leads to ${kind}, not to ${analysis.kind}`);
  }
  if (width === null || height === null) return;
  const minimums = analysis.models.flatMap((key) => findPack(key)?.pack.minimumShortSide ?? []);
  const needed = Math.min(...minimums);
  if (minimums.length > 0 && Math.min(width, height) < needed) {
    const sentence = `the ${kind} has ${width} × ${height} pixels; the models need ${needed} on the short side`;
    throw new AppError('below_minimum', sentence);
  }
}

async function keep(store: Store, analysis: Analysis, fetched: Fetched): Promise<Analysis | undefined> {
  const { temporary } = fetched;
  return await store.blobs.withLock(temporary.hash, async () => {
    await store.blobs.keep(temporary);
    const kept = await store.transact((tx) => setSource(tx, analysis.id, fetched));
    const isNeeded = kept !== undefined || store.read.hasBlobReference(temporary.hash);
    if (!isNeeded) await store.blobs.remove(temporary.hash);
    return kept;
  });
}

function setSource(tx: StoreTransaction, id: string, fetched: Fetched): Analysis | undefined {
  const analysis = tx.analysis(id);
  if (analysis?.state !== 'running') return undefined;
  const { hash, sizeBytes } = fetched.temporary;
  const known: Analysis = { ...analysis, hash };
  const kept: Analysis = { ...known, key: analysisKey(known) };
  tx.putAnalysis(kept);
  for (const classification of tx.classificationsOfAnalysis(id)) {
    const name = classification.name === '' ? (fetched.name ?? '') : classification.name;
    tx.putClassification({ ...classification, hash, sizeBytes, mime: fetched.probe.mime, name });
  }
  return kept;
}
