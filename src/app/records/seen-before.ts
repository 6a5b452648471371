/**
 * Earlier copies of a picture in an account's own history. Each picture's likeness is kept, and looked for among the
 * earlier ones, before the analysis is written down, so that both are in its transaction or neither. Verdicts are never
 * inherited: an earlier record is shown with what was found then. Nothing is kept or looked for under zero retention.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Plan } from '../../domain/accounts/plan.ts';
import { PDQ_BITS, type PerceptualHash } from '../../domain/media/perceptual-hash.ts';
import type { Analysis, Classification } from '../../domain/records/classification.ts';
import { outcomeOf } from '../../domain/records/outcome.ts';
import {
  COPY_DISTANCE_MAX,
  LIKENESS_QUALITY_MIN,
  LIKENESSES_MAX,
  NEAR_MATCHES_MAX,
  type NearMatch,
  type SeenBefore,
} from '../../domain/records/seen-before.ts';
import type { FoundLikenesses, SeenLikeness } from '../../engine/analyses/analysis-parts.ts';
import { type IndexHit, LikenessIndex } from '../../machinery/likeness-index.ts';
import type { Store } from '../../store/store.ts';
import type { Principal } from '../callers/principal.ts';
import type { Core } from '../core.ts';
import { recordUnlessRefused } from './find-records.ts';
import { currentRecord } from './record.ts';

/** Rows read from the store between two breaths of the event loop. */
const READ_MAX = 500;
/** Bound per search: more copies than that say no more. */
const HITS_MAX = 1000;

export class SeenBeforeIndex {
  readonly #store: Store;
  readonly #index = new LikenessIndex();
  #reading: Promise<void> = Promise.resolve();

  constructor(store: Store) {
    this.#store = store;
  }

  /** What is to be kept of an analysis that is about to end; null where nothing is. */
  async look(
    { id, accountId }: Pick<Analysis, 'id' | 'accountId'>,
    seen: readonly SeenLikeness[],
  ): Promise<FoundLikenesses | null> {
    const { read } = this.#store;
    const account = read.accountUnlessDamaged(accountId);
    const plan = account === undefined ? undefined : read.planUnlessDamaged(account.planId);
    if (account === undefined || plan === undefined || plan.zeroRetention) return null;
    const likenesses = seen
      .filter(({ likeness: { quality } }) => quality >= LIKENESS_QUALITY_MIN)
      .slice(0, LIKENESSES_MAX);
    if (likenesses.length === 0) return null;
    await this.#catchUp();
    const queries = likenesses.flatMap(({ likeness }) => queriesOf(likeness));
    const hits = await this.#index.search(queries, this.#peersOf(account, plan), HITS_MAX);
    return { likenesses, earlier: this.#nearest(id, likenesses, hits) };
  }

  /** Removed from the store, so from here as well. */
  forget(sequence: number): void {
    this.#index.remove(sequence);
  }

  /** Reads what was stored since the last time; at first everything, which a start does not wait for. */
  async #catchUp(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#readOn());
    await this.#reading;
  }

  async #readOn(): Promise<void> {
    for (;;) {
      const rows = this.#store.read.likenessesAfter(this.#index.last, READ_MAX);
      for (const { sequence, likeness } of rows) this.#index.add({ ...likeness, sequence });
      if (rows.length < READ_MAX) return;
      await nextTurn();
    }
  }

  /** The account alone, unless its plan lets a partner's users see each other's. */
  #peersOf({ id, partnerId }: { id: number; partnerId: number | null }, plan: Plan): Set<number> {
    if (!plan.seenBeforeAcrossUsers || partnerId === null) return new Set([id]);
    const { read } = this.#store;
    const allows = (planId: number) => read.planUnlessDamaged(planId)?.seenBeforeAcrossUsers === true;
    const peers = [...read.accounts()].filter(
      (account) =>
        (account.partnerId === partnerId || account.id === partnerId) &&
        account.deletedAt === null &&
        allows(account.planId),
    );
    return new Set([id, ...peers.map((account) => account.id)]);
  }

  /** The nearest pair of pictures for each earlier analysis, the nearest analyses first. */
  #nearest(ownId: string, likenesses: readonly SeenLikeness[], hits: readonly IndexHit[]): NearMatch[] {
    const nearest = new Map<string, NearMatch>();
    for (const { sequence, query, distance } of hits) {
      const earlier = this.#store.read.likeness(sequence);
      if (earlier === undefined || earlier.analysisId === ownId) continue;
      const known = nearest.get(earlier.analysisId);
      if (known !== undefined && known.distance <= distance) continue;
      nearest.set(earlier.analysisId, {
        ...{ analysisId: earlier.analysisId, distance, isMirrored: query % 2 === 1 },
        timeSeconds: likenesses[query >> 1]?.timeSeconds ?? null,
        earlierSeconds: earlier.timeSeconds,
      });
    }
    return [...nearest.values()].toSorted((a, b) => a.distance - b.distance).slice(0, NEAR_MATCHES_MAX);
  }
}

function queriesOf({ hash, mirrored }: PerceptualHash): { hash: string; distanceMax: number }[] {
  return [hash, mirrored].map((one) => ({ hash: one, distanceMax: Math.min(PDQ_BITS, COPY_DISTANCE_MAX) }));
}

/** A record that was answered from an earlier analysis. */
const SAME_ANALYSIS = { distance: 0, isMirrored: false, timeSeconds: null, earlierSeconds: null } as const;

/** Earlier records of the same pictures, the nearest first, as they are read now; of frames and tracks none. */
export function seenBefore(
  app: Core,
  { principal, identifier }: { principal: Principal; identifier: string },
): SeenBefore[] {
  const { read } = app.store;
  const own = read.classification(identifier);
  if (own === undefined || own.accountId !== principal.account.id) return [];
  const { plan } = principal;
  const same: NearMatch = { analysisId: own.analysisId, ...SAME_ANALYSIS };
  return [same, ...(read.nearMatches(own.analysisId)?.earlier ?? [])].flatMap((match) => {
    const earlier = read
      .classificationsOfAnalysis(match.analysisId)
      .filter(({ createdAt }) => createdAt < own.createdAt)
      .filter(({ accountId }) => accountId === own.accountId || plan.seenBeforeAcrossUsers)
      .toSorted((a, b) => b.createdAt - a.createdAt)[0];
    if (earlier === undefined) return [];
    // Where the earlier one cannot be shown, the one that is asked for still can; the log names the earlier.
    const record = recordUnlessRefused(() => currentRecord(app, earlier));
    return record === undefined
      ? []
      : [{ ...describe(app, own, earlier, match), outcome: outcomeOf(record) }];
  });
}

function describe(
  app: Core,
  own: Classification,
  earlier: Classification,
  { distance, isMirrored, timeSeconds, earlierSeconds }: NearMatch,
): Omit<SeenBefore, 'outcome'> {
  const { identifier, accountId, name, createdAt, kind, hash } = earlier;
  const finding = app.store.read.override(accountId, kind, hash);
  const copy = isMirrored ? 'mirrored_copy' : 'copy';
  return {
    ...{ identifier, accountId, name, createdAt, distance, timeSeconds, earlierSeconds },
    relation: own.hash === hash ? 'same_file' : copy,
    finding: finding?.classification ?? null,
    foundAt: finding?.at ?? null,
    foundByAccountId: finding?.byAccountId ?? null,
  };
}
