/** Changes that come together share a flush, each in its own transaction: a throw undoes itself, a failed flush all. */
import type { RootDatabase } from 'lmdb';
import type { StoreChange } from './accounts/change.ts';
import type { RecordsDisk } from './records-disk.ts';
import { Table } from './tables/table.ts';
import type { StoreTransaction } from './transaction.ts';

/** More would hold up everything else for longer than a flush does; the rest is the next group. */
const CHANGES_MAX = 64;

interface Member {
  change: (tx: StoreTransaction) => unknown;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

/** The outcome of one change before its group was flushed. */
type Applied =
  | { member: Member; result: unknown; changes: StoreChange[] }
  | { member: Member; error: unknown; changes: null };

interface Group {
  members: Member[];
  applied: Applied[];
}

export interface CommitGroupParts {
  root: RootDatabase;
  tables: readonly unknown[];
  transaction: StoreTransaction;
  disk: RecordsDisk;
  /** Called after each commit, also after one that was undone. */
  onCommit: () => void;
  onChange: (change: StoreChange) => void;
}

export class CommitGroups {
  readonly #parts: CommitGroupParts;
  #waiting: Member[] = [];
  /** Ends when nothing waits any more; null if nothing waits. Never rejects. */
  #committing: Promise<void> | null = null;

  constructor(parts: CommitGroupParts) {
    this.#parts = parts;
  }

  /** Resolves once the change is on the disk; rejects with what it threw, or with the fault of its group. */
  add<T>(change: (tx: StoreTransaction) => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#waiting.push({ change, resolve: resolve as Member['resolve'], reject });
    this.#committing ??= this.#commitWaiting();
    return promise;
  }

  /** Resolves when no change is under way any more. */
  async settled(): Promise<void> {
    while (this.#committing !== null) await this.#committing;
  }

  async #commitWaiting(): Promise<void> {
    while (this.#waiting.length > 0) await this.#commitNext();
    this.#committing = null;
  }

  /** One group at a time: changes that come meanwhile are the next group. */
  async #commitNext(): Promise<void> {
    const { root, disk } = this.#parts;
    const group: Group = { members: [], applied: [] };
    try {
      await disk.commit(root, () => this.#apply(group));
      this.#end('committed');
    } catch (error) {
      this.#end('undone');
      this.#reject(group, error);
      return;
    }
    for (const one of group.applied) this.#settle(one);
  }

  #apply(group: Group): void {
    group.members = this.#waiting.splice(0, CHANGES_MAX);
    const [only] = group.members;
    if (only !== undefined && group.members.length === 1) group.applied.push(this.#applyAlone(only));
    else for (const member of group.members) group.applied.push(this.#applyWithin(member));
    this.#parts.transaction.log.write();
  }

  /** Runs in the group's transaction, so that a throw of it undoes both. */
  #applyAlone(member: Member): Applied {
    const { transaction } = this.#parts;
    const result = member.change(transaction);
    return { member, result, changes: transaction.takeChanges() };
  }

  #applyWithin(member: Member): Applied {
    const { root, transaction } = this.#parts;
    const mark = transaction.log.mark();
    try {
      const result = root.transactionSync(() => member.change(transaction));
      return { member, result, changes: transaction.takeChanges() };
    } catch (error) {
      transaction.returnTo(mark);
      return { member, error, changes: null };
    }
  }

  /** Called after every transaction, also after one that was undone. */
  #end(outcome: 'committed' | 'undone'): void {
    const { onCommit, tables, transaction } = this.#parts;
    transaction.reset();
    onCommit();
    for (const table of tables) if (table instanceof Table) table.settle(outcome);
  }

  #reject({ members, applied }: Group, error: unknown): void {
    // A transaction that could not be opened has no members yet.
    for (const member of members.length === 0 ? this.#waiting.splice(0) : members) {
      const own = applied.find((one) => one.member === member);
      member.reject(own?.changes === null ? own.error : error);
    }
  }

  #settle(applied: Applied): void {
    const { member } = applied;
    try {
      if (applied.changes === null) throw applied.error;
      for (const noted of applied.changes) this.#parts.onChange(noted);
      member.resolve(applied.result);
    } catch (error) {
      // A change that throws, or whose listener does, does not hold up the others.
      member.reject(error);
    }
  }
}
