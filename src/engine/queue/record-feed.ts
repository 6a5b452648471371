/** Notifies those who may read a record that it changed. */
import type { Held } from '../../domain/desk.ts';
import type { StoreReader } from '../../store/reader.ts';
import { Feed } from './feed.ts';

export class RecordFeed extends Feed {
  readonly #read: Pick<StoreReader, 'desks' | 'classificationsOfAnalysis'>;

  constructor(read: Pick<StoreReader, 'desks' | 'classificationsOfAnalysis'>) {
    super();
    this.#read = read;
  }

  /** Call it if a record changed for another reason than its analysis; `judgeIds` as for the feed. */
  publishRecord(identifier: string, held: Held, judgeIds: readonly number[] = []): void {
    this.publish(identifier, this.#readersOf(held), judgeIds);
  }

  publishAnalysis(analysisId: string): void {
    if (this.watchers === 0) return;
    for (const sharer of this.#read.classificationsOfAnalysis(analysisId))
      this.publishRecord(sharer.identifier, sharer);
  }

  /** At the time of the change: a watch that is open follows who joins a desk. */
  #readersOf({ accountId, deskId }: Held): number[] {
    const members = deskId === undefined ? [] : this.#read.desks.membersOf(deskId);
    return [accountId, ...members.map((member) => member.accountId)];
  }
}
