/** Walks the records of an account for lists: newest first, and damaged rows are named. */
import { holderOf } from '../../domain/desk.ts';
import type { MediaKind } from '../../domain/media/media.ts';
import type { Classification } from '../../domain/records/classification.ts';
import { referenceDigest } from '../tables/collections.ts';
import { type IndexedTexts, readMeta, type Tables } from '../tables/schema.ts';
import type { Index } from '../tables/table.ts';
import { areAnswersComplete } from './record-rows.ts';

export interface ScanQuery {
  accountId: number;
  kind?: MediaKind | undefined;
  /** The last record of the page before; without an identifier, the time at which the scan begins. */
  before?: { createdAt: number; identifier?: string } | undefined;
}

export interface DeskQuery extends Omit<ScanQuery, 'accountId'> {
  deskId: number;
}

export interface ListQuery extends ScanQuery {
  limit: number;
}

interface RowPlace {
  createdAt: number;
  identifier: string;
}

interface FoundTexts extends RecordTexts {
  /** Undefined if it is not known; out of date while the index of answers is incomplete. */
  answerClass: number | undefined;
}

interface RecordTexts extends RowPlace {
  /** The searched texts; undefined if only the record has them. */
  texts: Pick<Classification, 'name' | 'refId' | 'hash'> | undefined;
}

/** A row that cannot be read, with what the index knows of it. */
export interface DamagedRow extends RecordTexts {
  isDamaged: true;
}

export class RecordReader {
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  get(identifier: string): Classification | undefined {
    return this.#tables.classifications.get(identifier);
  }

  /** Like `get`, for callers that look at many. */
  getUnlessDamaged(identifier: string): Classification | undefined {
    return this.#tables.classifications.getUnlessDamaged(identifier);
  }

  /** Whether there is an unreadable row. */
  isDamaged(identifier: string): boolean {
    return this.getUnlessDamaged(identifier) === undefined && this.#isThere(identifier);
  }

  /** Newest first, damaged rows left out, read lazily: the caller sets the bound. */
  *scan(query: ScanQuery): Generator<Classification> {
    for (const row of this.scanRows(query)) if (!('isDamaged' in row)) yield row;
  }

  /** Like `scan`, with a name for each damaged row. */
  *scanRows(query: ScanQuery): Generator<Classification | DamagedRow> {
    const { accountId, kind } = query;
    const index =
      kind === undefined ? this.#tables.classificationsByAccount : this.#tables.classificationsByKind;
    const prefix = kind === undefined ? [accountId] : [accountId, kind];
    for (const key of index.underReversed(prefix, startOf(prefix, query))) {
      yield* this.#rowAt(query, toPlace(key));
    }
  }

  /** 0 while not every picture has a description. */
  get picturesDescribed(): number {
    return readMeta(this.#tables)?.picturesDescribed ?? 0;
  }

  /** Whether the two walks below find every record; if not, only the whole list does. */
  get areAnswersComplete(): boolean {
    return areAnswersComplete(readMeta(this.#tables));
  }

  /** The account's records of each wanted class, as `scanRows` gives them. */
  *scanAnswers(
    query: ScanQuery,
    isWanted: (answerClass: number) => boolean,
  ): Generator<Classification | DamagedRow> {
    const { accountId } = query;
    const { classificationsByAnswer: index } = this.#tables;
    const walks = [...index.partsUnder([accountId])]
      .filter((part) => isWanted(Number(part)))
      .map((part) => {
        const prefix = [accountId, Number(part)];
        return placesOf(index.underReversed(prefix, startOf(prefix, query)));
      });
    for (const place of newestFirst(walks)) yield* this.#rowAt(query, place);
  }

  /** The account's records with the reference, as `scanRows` gives them; maybe a few with another. */
  *scanReference(query: ScanQuery, refId: string): Generator<Classification | DamagedRow> {
    const prefix = [query.accountId, referenceDigest(refId)];
    const keys = this.#tables.classificationsByReference.underReversed(prefix, startOf(prefix, query));
    for (const key of keys) yield* this.#rowAt(query, toPlace(key));
  }

  *#rowAt(query: ScanQuery, place: RowPlace): Generator<Classification | DamagedRow> {
    const found = this.getUnlessDamaged(place.identifier) ?? this.damagedRow(query, place);
    if (found === undefined) return;
    if (query.kind === undefined || 'isDamaged' in found || found.kind === query.kind) yield found;
  }

  /** Places of the account's or desk's records of every kind, newest first, with the searched texts: no record is read. */
  *scanTexts(query: DeskQuery | ScanQuery): Generator<FoundTexts> {
    const { index, prefix } = this.#listOf(query);
    for (const { key, value } of index.entriesReversed(prefix, startOf(prefix, query))) {
      const [, time, id] = key as [number, number, string];
      const answerClass = (value as IndexedTexts | undefined)?.[3];
      yield { createdAt: time, identifier: id, texts: textsOf(value), answerClass };
    }
  }

  /** Names an unreadable row. Undefined if there is no row, or it is of another kind. */
  damagedRow(query: DeskQuery | ScanQuery, { createdAt, identifier }: RowPlace): DamagedRow | undefined {
    const { index, prefix } = this.#listOf(query);
    const { kind } = query;
    const place = [createdAt, identifier];
    // No index knows the kind of a desk's damaged record, so it is shown rather than hidden.
    const isOfKind =
      kind === undefined ||
      'deskId' in query ||
      this.#tables.classificationsByKind.hasUnder([...prefix, kind, ...place]);
    if (!isOfKind || !this.#isThere(identifier)) return undefined;
    const texts = textsOf(index.valueOf([...prefix, ...place]));
    return { createdAt, identifier, texts, isDamaged: true };
  }

  #listOf(query: DeskQuery | ScanQuery): { index: Index; prefix: number[] } {
    return 'deskId' in query
      ? { index: this.#tables.classificationsByDesk, prefix: [query.deskId] }
      : { index: this.#tables.classificationsByAccount, prefix: [query.accountId] };
  }

  /** Newest first. */
  list({ limit, ...query }: ListQuery): Classification[] {
    const found: Classification[] = [];
    for (const classification of this.scan(query)) {
      if (found.length >= limit) break;
      found.push(classification);
    }
    return found;
  }

  /** The holder's records of files under this hash prefix, unordered; undefined beyond `entriesMax` or at a damaged row. */
  classificationsOfHashPrefix(
    holder: number,
    prefix: string,
    entriesMax: number,
  ): Classification[] | undefined {
    const identifiers: string[] = [];
    let entries = 0;
    for (const [, owner, , identifier] of this.#tables.classificationsByHash.startingWith(prefix)) {
      entries += 1;
      if (entries > entriesMax) return undefined;
      if (owner === holder) identifiers.push(String(identifier));
    }
    return this.#allUnlessDamaged(identifiers);
  }

  /** The holder's records of the analyses, in no order; undefined if there are more, or one is damaged. */
  classificationsOfAnalyses(
    holder: number,
    analysisIds: readonly string[],
    entriesMax: number,
  ): Classification[] | undefined {
    const identifiers: string[] = [];
    for (const analysisId of analysisIds) {
      for (const [, identifier] of this.#tables.classificationsByAnalysis.under([analysisId])) {
        if (identifiers.length >= entriesMax) return undefined;
        identifiers.push(String(identifier));
      }
    }
    return this.#allUnlessDamaged(identifiers)?.filter((one) => holderOf(one) === holder);
  }

  #allUnlessDamaged(identifiers: readonly string[]): Classification[] | undefined {
    const found = identifiers.flatMap((identifier) => this.getUnlessDamaged(identifier) ?? []);
    const isWhole = found.length === identifiers.length || !identifiers.some((one) => this.isDamaged(one));
    return isWhole ? found : undefined;
  }

  #isThere(identifier: string): boolean {
    return this.#tables.classifications.has(identifier);
  }
}

function startOf(
  prefix: readonly (string | number)[],
  { before }: Pick<ScanQuery, 'before'>,
): (string | number)[] | undefined {
  if (before === undefined) return undefined;
  const { createdAt, identifier } = before;
  return [...prefix, createdAt, ...(identifier === undefined ? [] : [identifier])];
}

function toPlace(key: readonly unknown[]): RowPlace {
  return { createdAt: Number(key.at(-2)), identifier: String(key.at(-1)) };
}

/** Merges a few walks that are each newest first; a row of several comes once. */
export function* newestFirst<Place extends RowPlace>(walks: readonly Iterator<Place>[]): Generator<Place> {
  const heads = walks.flatMap((walk) => headOf(walk));
  let last = '';
  while (heads.length > 0) {
    const newest = heads.reduce((best, head) => (isNewer(head.place, best.place) ? head : best));
    if (newest.place.identifier !== last) yield newest.place;
    last = newest.place.identifier;
    const [next] = headOf(newest.walk);
    if (next === undefined) heads.splice(heads.indexOf(newest), 1);
    else newest.place = next.place;
  }
}

function headOf<Place>(walk: Iterator<Place>): { walk: Iterator<Place>; place: Place }[] {
  const { value, done } = walk.next();
  return done === true ? [] : [{ walk, place: value }];
}

function* placesOf(keys: Iterable<readonly unknown[]>): Generator<RowPlace> {
  for (const key of keys) yield toPlace(key);
}

function isNewer(one: RowPlace, other: RowPlace): boolean {
  return one.createdAt === other.createdAt
    ? one.identifier > other.identifier
    : one.createdAt > other.createdAt;
}

function textsOf(value: unknown): RecordTexts['texts'] {
  const [name, refId, hash] = (value ?? []) as Partial<IndexedTexts>;
  const isWhole = name !== undefined && refId !== undefined && hash !== undefined;
  return isWhole ? { name, refId, hash } : undefined;
}
