/** Every lease left has a dead holder: work runs again one at a time, and a file alone at the death is suspected. */
import type { Clock } from '../../domain/clock.ts';
import type { Analysis, Suspicion } from '../../domain/records/classification.ts';
import type { Store } from '../../store/store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { failAnalysis, requeueAnalysis } from './transitions.ts';

/** Twice may be chance; the third time the file is put aside. */
const DEATHS_ALONE_MAX = 3;
const PUT_ASIDE = `put aside: the appliance ended ${DEATHS_ALONE_MAX} times while it analysed this file and no other; retry it once the cause is known`;

export interface Recovered {
  /** Analyses put aside now. */
  ended: Analysis[];
  /** Analyses to be done, in this order: suspected files come last. */
  open: Analysis[];
  /** Ids of those under way when the daemon ended, or suspected since an earlier end. */
  careful: Set<string>;
}

export interface RecoveryParts {
  store: Store;
  clock: Pick<Clock, 'now'>;
  bootId: string;
}

export async function recoverAnalyses({ store, clock, bootId }: RecoveryParts): Promise<Recovered> {
  return await store.transact((tx) => {
    const found = [...tx.openAnalyses()];
    const running = found.filter(({ state }) => state === 'running');
    const isAlone = running.length === 1;
    const recovered = found.map((analysis) => {
      if (analysis.state !== 'running') return analysis;
      const suspicion = isAlone ? suspect(analysis, bootId, found.length === 1) : analysis.suspicion;
      return recover(tx, analysis.id, suspicion, clock.now());
    });
    const open = recovered.filter(({ state }) => state === 'queued');
    return {
      ended: recovered.filter(({ state }) => state !== 'queued'),
      open: open.toSorted((left, right) => deathsOf(left) - deathsOf(right)),
      careful: new Set([...running, ...open.filter((it) => it.suspicion !== undefined)].map(({ id }) => id)),
    };
  });
}

const deathsOf = ({ suspicion }: Analysis): number => suspicion?.deaths ?? 0;

/** A further death counts only if the box did other work since, or has none. Undefined after the machine's restart. */
function suspect({ lease, suspicion }: Analysis, bootId: string, isOnly: boolean): Suspicion | undefined {
  if (lease?.bootId !== bootId) return undefined;
  const known = suspicion?.bootId === bootId ? suspicion : undefined;
  const isCounted = known === undefined || known.isWitnessed || isOnly;
  return { bootId, deaths: (known?.deaths ?? 0) + (isCounted ? 1 : 0), isWitnessed: false };
}

function recover(tx: StoreTransaction, id: string, suspicion: Suspicion | undefined, now: number): Analysis {
  const isGivenUp = (suspicion?.deaths ?? 0) >= DEATHS_ALONE_MAX;
  const moved = isGivenUp
    ? failAnalysis(tx, id, { error: PUT_ASIDE, isQuarantined: true }, now)
    : requeueAnalysis(tx, id, { isCounted: false });
  if (moved === undefined) throw new Error(`the analysis ${id} was running a moment ago`);
  // Its row went with its end.
  if (isGivenUp && moved.addsTo !== undefined) return moved;
  const { suspicion: _, ...rest } = moved;
  const judged: Analysis = suspicion === undefined || isGivenUp ? rest : { ...rest, suspicion };
  tx.putAnalysis(judged);
  return judged;
}

/** An analysis ended well alone: the box works, whatever the suspected files do. */
export function markHealthy(tx: StoreTransaction, suspectedIds: Iterable<string>): void {
  for (const id of suspectedIds) {
    const analysis = tx.analyses.getUnlessDamaged(id);
    if (analysis?.suspicion === undefined || analysis.suspicion.isWitnessed) continue;
    tx.putAnalysis({ ...analysis, suspicion: { ...analysis.suspicion, isWitnessed: true } });
  }
}
