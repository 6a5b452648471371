/** Equal work of one holder is done once; others' is not, since a quick answer would show what they have submitted. */
import { randomUUID } from 'node:crypto';
import { type Held, heldFor, holderOf } from '../../domain/desk.ts';
import { figureThatIsNotFinite } from '../../domain/finite-figures.ts';
import type { MediaKind } from '../../domain/media/media.ts';
import { type ModelPack, packKey } from '../../domain/packs/model-pack.ts';
import type { Analysis, Classification, Origin, Priority } from '../../domain/records/classification.ts';
import { type AnalysisOptions, optionsKey } from '../../domain/records/options.ts';
import { lacksTranscript } from '../../domain/verdicts/transcripts-of.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { assertRoom, type QueueParts, UNSTARTED } from './queue-room.ts';
import { cancelAnalysis } from './transitions.ts';

export interface AnalysisSpec extends Held {
  kind: MediaKind;
  /** Empty for an address that is not fetched yet. */
  hash: string;
  sourceUrl: string | null;
  /** Hash of the manifest beside the file; undefined if none is. */
  manifestHash: string | undefined;
  options: AnalysisOptions;
  models: readonly ModelPack[];
  priority: Priority;
  noCache: boolean;
}

export interface Joined {
  analysis: Analysis;
  origin: Origin;
}

/** Finds the holder's finished or open analysis of the same work, or queues a new one. */
export function joinOrQueue(tx: StoreTransaction, spec: AnalysisSpec, parts: QueueParts): Joined {
  const models = spec.models.map(packKey).sort();
  const key = analysisKey({ ...spec, models });
  const twin = spec.noCache || spec.hash === '' ? undefined : findTwin(tx, key, spec.priority);
  if (twin !== undefined) return twin;
  assertRoom(parts);
  const analysis: Analysis = {
    id: parts.id,
    key,
    kind: spec.kind,
    hash: spec.hash,
    sourceUrl: spec.sourceUrl,
    ...(spec.manifestHash === undefined ? {} : { manifestHash: spec.manifestHash }),
    options: spec.options,
    models,
    ...heldFor(spec.accountId, spec.deskId),
    priority: spec.priority,
    queuedAt: parts.now,
    ...UNSTARTED,
  };
  tx.putAnalysis(analysis);
  return { analysis, origin: 'analysed' };
}

export type KeyFields = Pick<Analysis, 'accountId' | 'deskId' | 'kind' | 'hash' | 'options' | 'models'> & {
  manifestHash?: string | undefined;
};

/** `holder/kind/hash/options/models`; a file that is not fetched yet equals no other. */
export function analysisKey({ kind, hash, options, models, manifestHash, ...held }: KeyFields): string {
  const content = hash === '' ? `address:${randomUUID()}` : hash;
  const beside = manifestHash === undefined ? [] : [`manifest:${manifestHash}`];
  return [holderOf(held), kind, content, optionsKey(kind, options), models.join(','), ...beside].join('/');
}

/** Open batch work that somebody now waits for becomes interactive. */
function findTwin(tx: StoreTransaction, key: string, priority: Priority): Joined | undefined {
  const id = tx.analysisIdOfKey(key);
  const analysis = id === undefined ? undefined : tx.analyses.getUnlessDamaged(id);
  if (analysis?.state === 'done') {
    // An older version stored a result that no record could show: the work is done again.
    const isShowable = figureThatIsNotFinite(analysis.result) === undefined;
    const isWhole = !lacksTranscript(analysis.options.withTranscript, analysis.result);
    return isShowable && isWhole ? { analysis, origin: 'cached' } : undefined;
  }
  // Otherwise a sender that keeps trying would kill a worker each time.
  if (analysis?.isQuarantined === true) return { analysis, origin: 'cached' };
  if (analysis?.state !== 'queued' && analysis?.state !== 'running') return undefined;
  if (analysis.priority !== 'batch' || priority === 'batch') return { analysis, origin: 'joined' };
  const hurried: Analysis = { ...analysis, priority };
  tx.putAnalysis(hurried);
  return { analysis: hurried, origin: 'joined' };
}

/** Cancels the analysis if the record was the last that waited for it. */
export function leaveAnalysis(
  tx: StoreTransaction,
  { identifier, analysisId }: Pick<Classification, 'identifier' | 'analysisId'>,
  now: number,
): void {
  const others = tx.classificationsOfAnalysis(analysisId);
  const isWaitedFor = others.some((other) => other.identifier !== identifier && !other.cancelled);
  if (!isWaitedFor) cancelAnalysis(tx, analysisId, now);
}
