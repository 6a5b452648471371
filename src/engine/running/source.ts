/** An analysis of an address: its file is fetched, checked and kept before anything else, and then like an upload. */
import type { MediaKind } from '../../domain/media/media.ts';
import type { Analysis } from '../../domain/records/classification.ts';
import type { TemporaryBlob } from '../../store/blobs.ts';
import type { Store } from '../../store/store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import type { Probe } from '../../worker/protocol/decoded-media.ts';
import { checkProbe } from '../decode/check-probe.ts';
import type { InstalledPack } from '../packs/installed-packs.ts';
import { analysisKey } from '../queue/queue.ts';

/** Downloads into a temporary file; throws an AppError with a sentence for a person. */
export type FetchMedia = (
  source: { address: string; kind: MediaKind; accountId: number },
  signal: AbortSignal,
) => Promise<{ temporary: TemporaryBlob; name: string | null }>;

export interface SourceParts {
  store: Store;
  fetchMedia: FetchMedia;
  /** Throws MediaFaultError for the file's fault. */
  probe: (path: string, signal: AbortSignal) => Promise<Probe>;
  findPack: (key: string) => InstalledPack | undefined;
  videoHeightMin: number;
}

interface Fetched {
  temporary: TemporaryBlob;
  name: string | null;
  probe: Probe;
}

/** The analysis with its hash; undefined if it was cancelled while the file was fetched. */
export async function fetchSource(
  parts: SourceParts,
  analysis: Analysis,
  signal: AbortSignal,
): Promise<Analysis | undefined> {
  if (analysis.hash !== '') return analysis;
  if (analysis.sourceUrl === null) throw new Error('an analysis has neither a file nor an address');
  const { kind, accountId, sourceUrl: address } = analysis;
  const { temporary, name } = await parts.fetchMedia({ address, kind, accountId }, signal);
  try {
    const probe = await parts.probe(temporary.path, signal);
    checkFetched(parts, analysis, probe);
    return await keep(parts.store, analysis, { temporary, name, probe });
  } finally {
    // A kept file has another name by now.
    await parts.store.blobs.discard(temporary);
  }
}

/** The same checks as for an upload. */
function checkFetched(
  { findPack, store, videoHeightMin }: SourceParts,
  analysis: Analysis,
  probe: Probe,
): void {
  const { kind, models, accountId } = analysis;
  const plan = store.read.accounts.planOf(accountId);
  checkProbe(probe, {
    kind,
    videoHeightMin: Math.max(videoHeightMin, plan?.videoHeightMin ?? 0),
    packs: models.flatMap((key) => findPack(key)?.pack ?? []),
    allowsForeignTypes: plan?.options.includes('foreign_types') ?? false,
  });
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
  const analysis = tx.analyses.get(id);
  if (analysis?.state !== 'running') return undefined;
  const { hash, sizeBytes } = fetched.temporary;
  const known: Analysis = { ...analysis, hash };
  const kept: Analysis = { ...known, key: analysisKey(known) };
  tx.putAnalysis(kept);
  for (const classification of tx.classificationsOfAnalysis(id)) {
    // The sender's own name for the file says more than the end of its address.
    const name = fetched.name ?? classification.name;
    tx.putClassification({ ...classification, hash, sizeBytes, mime: fetched.probe.mime, name });
  }
  return kept;
}
