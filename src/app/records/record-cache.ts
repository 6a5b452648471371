/** Keeps built records, so that a client which asks for one again and again does not have it rebuilt. */
import { LRUCache } from 'lru-cache';
import type { ClassificationRecord } from '../../domain/answers/record.ts';
import type { Classification } from '../../domain/records/classification.ts';
import { OneTurn } from '../../machinery/one-turn.ts';

/** A built record is a few kilobytes; repeatedly requested ones are those that somebody works on. */
const RECORDS_KEPT_MAX = 1000;

interface Kept {
  /** The store's revision when the record was last known to be current. */
  revision: number;
  madeFrom: readonly unknown[];
  record: ClassificationRecord;
}

export class RecordCache {
  readonly #kept = new LRUCache<string, Kept>({ max: RECORDS_KEPT_MAX });
  readonly #shown = new OneTurn<ClassificationRecord>();

  /** The last built record, if nothing at all was written since. */
  unchanged(identifier: string, revision: number): ClassificationRecord | undefined {
    const kept = this.#kept.get(identifier);
    return kept?.revision === revision ? kept.record : undefined;
  }

  /** The record built from the very same values, or a new one: stored values are the same objects until they change. */
  get(
    { identifier, revision }: { identifier: string; revision: number },
    madeFrom: readonly unknown[],
    build: () => ClassificationRecord,
  ): ClassificationRecord {
    const kept = this.#kept.get(identifier);
    if (kept?.madeFrom.every((value, index) => value === madeFrom[index]) === true) {
      kept.revision = revision;
      return kept.record;
    }
    const record = build();
    this.#kept.set(identifier, { revision, madeFrom, record });
    return record;
  }

  /** One record for all who are shown a change in one turn, also of films and running work. */
  shown(
    classification: Classification,
    stamp: number,
    build: () => ClassificationRecord,
  ): ClassificationRecord {
    return this.#shown.get({ stamp, about: classification, by: '' }, build);
  }
}
