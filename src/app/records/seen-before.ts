/** Earlier copies in the account's and its desks' history, none under zero retention. Verdicts are never inherited. */
import type { Plan } from '../../domain/accounts/plan.ts';
import { holderOf } from '../../domain/desk.ts';
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
import { AccountCounts } from '../../machinery/likeness/account-counts.ts';
import { type IndexHit, LikenessIndex } from '../../machinery/likeness/likeness-index.ts';
import { isMostlyRemoved, TailReader } from '../../machinery/likeness/tail-reader.ts';
import type { StoreReader } from '../../store/reader.ts';
import type { Store } from '../../store/store.ts';
import type { Reader } from '../callers/principal.ts';
import { findingOn, holdersOf } from '../callers/rights.ts';
import { unlessRefused } from './find-records.ts';
import type { RecordParts } from './parts.ts';
import { currentRecord } from './record.ts';

/** Rows read from the store between two turns of the event loop. */
const READ_MAX = 500;
/** Bound per search: more copies prove no more. */
const HITS_MAX = 1000;

export class SeenBeforeIndex {
  readonly #store: Store;
  #index = new LikenessIndex();
  #counts = new AccountCounts();
  /** Rows of the index whose picture was removed. */
  #removed = 0;
  /** Reads everything at first, which a start does not wait for. */
  readonly #tail = new TailReader(() => this.#readPiece());

  constructor(store: Store) {
    this.#store = store;
  }

  /** The likenesses to store for an analysis that is about to end; null for none. */
  async look(
    { id, ...held }: Pick<Analysis, 'id' | 'accountId' | 'deskId'>,
    seen: readonly SeenLikeness[],
  ): Promise<FoundLikenesses | null> {
    const { read } = this.#store;
    const account = read.accounts.getUnlessDamaged(held.accountId);
    const plan = account === undefined ? undefined : read.accounts.plans.getUnlessDamaged(account.planId);
    if (account === undefined || plan === undefined || plan.zeroRetention) return null;
    const likenesses = seen
      .filter(({ likeness: { quality } }) => quality >= LIKENESS_QUALITY_MIN)
      .slice(0, LIKENESSES_MAX);
    if (likenesses.length === 0) return null;
    await this.#tail.catchUp();
    const queries = likenesses.flatMap(({ likeness }) => queriesOf(likeness));
    const holders = peersOf(read, account, plan).add(holderOf(held));
    const hits = await this.#index.search(queries, holders, HITS_MAX);
    return { likenesses, earlier: this.#nearest(id, likenesses, hits) };
  }

  /** Pictures and frames of these accounts near to one of the hashes. */
  async near(
    hashes: readonly string[],
    accounts: ReadonlySet<number>,
  ): Promise<{ sequence: number; query: number; distance: number }[]> {
    await this.#tail.catchUp();
    const queries = hashes.map((hash) => ({ hash, distanceMax: COPY_DISTANCE_MAX }));
    return await this.#index.search(queries, accounts, HITS_MAX);
  }

  /** Pictures and frames of these accounts, as of the last search. */
  countOf(accounts: ReadonlySet<number>): number {
    return this.#counts.of(accounts);
  }

  /** Pictures and frames in memory, with removed ones that are not dropped yet. */
  get rows(): number {
    return this.#index.count;
  }

  forget({ sequence, accountId }: { sequence: number; accountId: number }): void {
    if (!this.#index.remove(sequence)) return;
    this.#counts.change(accountId, -1);
    this.#removed += 1;
  }

  #beginAnew(): void {
    this.#index = new LikenessIndex();
    this.#counts = new AccountCounts();
    this.#removed = 0;
  }

  #readPiece(): boolean {
    if (isMostlyRemoved(this.#index.count, this.#removed)) this.#beginAnew();
    const rows = this.#store.read.likenessesAfter(this.#index.last, READ_MAX);
    for (const { sequence, likeness } of rows) {
      this.#index.add({ ...likeness, sequence });
      this.#counts.change(likeness.accountId, 1);
    }
    return rows.length === READ_MAX;
  }

  /** The nearest pair of pictures for each earlier analysis, the nearest analyses first. */
  #nearest(ownId: string, likenesses: readonly SeenLikeness[], hits: readonly IndexHit[]): NearMatch[] {
    const nearest = new Map<string, NearMatch>();
    for (const { sequence, query, distance } of hits) {
      const earlier = this.#store.read.likenesses.getUnlessDamaged(sequence);
      if (earlier === undefined || earlier.analysisId === ownId) continue;
      const known = nearest.get(earlier.analysisId);
      if (known !== undefined && known.distance <= distance) continue;
      nearest.set(earlier.analysisId, {
        analysisId: earlier.analysisId,
        distance,
        isMirrored: query % 2 === 1,
        timeSeconds: likenesses[query >> 1]?.timeSeconds ?? null,
        earlierSeconds: earlier.timeSeconds,
      });
    }
    return [...nearest.values()].toSorted((a, b) => a.distance - b.distance).slice(0, NEAR_MATCHES_MAX);
  }
}

/** The account and its desks, and if its plan lets a partner's users see each other's copies, these users. */
export function peersOf(
  read: StoreReader,
  { id, partnerId }: { id: number; partnerId: number | null },
  plan: Plan,
): Set<number> {
  const own = holdersOf(read, id);
  if (!plan.seenBeforeAcrossUsers || partnerId === null) return new Set(own);
  const allows = (planId: number) =>
    read.accounts.plans.getUnlessDamaged(planId)?.seenBeforeAcrossUsers === true;
  const peers = [...read.accounts.all()].filter(
    (account) =>
      (account.partnerId === partnerId || account.id === partnerId) &&
      account.deletedAt === null &&
      allows(account.planId),
  );
  return new Set([...own, ...peers.map((account) => account.id)]);
}

function queriesOf({ hash, mirrored }: PerceptualHash): { hash: string; distanceMax: number }[] {
  return [hash, mirrored].map((one) => ({ hash: one, distanceMax: Math.min(PDQ_BITS, COPY_DISTANCE_MAX) }));
}

/** A record that was answered from an earlier analysis. */
const SAME_ANALYSIS = { distance: 0, isMirrored: false, timeSeconds: null, earlierSeconds: null } as const;

/** Earlier records of the same pictures, the nearest first, as they are read now; none for frames and tracks. */
export function seenBefore(app: RecordParts, input: SeenInput): SeenBefore[] {
  return seenAtOtherTimes(app, input, 'earlier', (a, b) => b.createdAt - a.createdAt);
}

/** Later records of the same pictures, as they are read now. */
export function seenAgain(app: RecordParts, input: SeenInput): SeenBefore[] {
  return seenAtOtherTimes(app, input, 'later', (a, b) => a.createdAt - b.createdAt);
}

interface SeenInput {
  reader: Reader;
  identifier: string;
}

/** One record of each analysis: the one nearest in time. */
function seenAtOtherTimes(
  app: RecordParts,
  { reader: { account, plan }, identifier }: SeenInput,
  side: 'earlier' | 'later',
  order: (a: Classification, b: Classification) => number,
): SeenBefore[] {
  const { read } = app.store;
  const own = read.records.get(identifier);
  if (own === undefined || !holdersOf(read, account.id).includes(holderOf(own))) return [];
  const reader = read.accounts.getUnlessDamaged(account.id);
  if (reader === undefined) return [];
  const holders = peersOf(read, reader, plan);
  const same: NearMatch = { analysisId: own.analysisId, ...SAME_ANALYSIS };
  return [same, ...(read.nearMatches.getUnlessDamaged(own.analysisId)?.[side] ?? [])].flatMap((match) => {
    const other = read
      .classificationsOfAnalysis(match.analysisId)
      .filter(({ createdAt }) => (side === 'earlier' ? createdAt < own.createdAt : createdAt > own.createdAt))
      .filter((one) => holders.has(holderOf(one)))
      .toSorted(order)[0];
    if (other === undefined) return [];
    // If the other record cannot be shown, the requested one still can; the log names the other.
    const record = unlessRefused(() => currentRecord(app, other));
    return record === undefined ? [] : [{ ...describe(app, own, other, match), outcome: outcomeOf(record) }];
  });
}

function describe(
  app: RecordParts,
  own: Classification,
  earlier: Classification,
  { distance, isMirrored, timeSeconds, earlierSeconds }: NearMatch,
): Omit<SeenBefore, 'outcome'> {
  const { identifier, accountId, name, createdAt, hash } = earlier;
  const finding = findingOn(app.store.read, earlier);
  const copy = isMirrored ? 'mirrored_copy' : 'copy';
  return {
    identifier,
    accountId,
    name,
    createdAt,
    distance,
    timeSeconds,
    earlierSeconds,
    relation: own.hash === hash ? 'same_file' : copy,
    finding: finding?.classification ?? null,
    foundAt: finding?.at ?? null,
    foundByAccountId: finding?.byAccountId ?? null,
  };
}
