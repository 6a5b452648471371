/**
 * Changes that come together are committed together: one flush of the disk makes all of them safe, and the event loop, which
 * waits for it, waits once. Each is a transaction of its own within the group's, so that one that throws undoes itself
 * alone; what fails under the group (no room, no flush) fails each of them.
 */
import type { RootDatabase } from 'lmdb';
import type { StoreChange } from './accounts/change.ts';
import type { RecordsDisk } from './records-disk.ts';
import { Table } from './tables/table.ts';
import type { StoreTransaction } from './transaction.ts';

/** More would hold up everything else for longer than a flush does; what is left is the next group. */
const CHANGES_MAX = 64;

interface Member {
  change: (tx: StoreTransaction) => unknown;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

/** What became of one change before its group was flushed. */
type Applied =
  | { member: Member; result: unknown; changes: StoreChange[] }
  | { member: Member; error: unknown; changes: null };

type Written = Extract<Applied, { result: unknown }>;

export interface CommitGroupParts {
  root: RootDatabase;
  tables: readonly unknown[];
  transaction: StoreTransaction;
  disk: RecordsDisk;
  /** Called after each commit, whether or not it was undone. */
  onCommit: () => void;
  onChange: (change: StoreChange) => void;
}

export class CommitGroups {
  readonly #parts: CommitGroupParts;
  #waiting: Member[] = [];
  /** Groups that are gathered, written or flushed. */
  readonly #open = new Set<Promise<void>>();

  constructor(parts: CommitGroupParts) {
    this.#parts = parts;
  }

  /** Resolves once the change is on the disk; rejects with what it threw, or what kept its group from the disk. */
  add<T>(change: (tx: StoreTransaction) => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#waiting.push({ change, resolve: resolve as Member['resolve'], reject });
    if (this.#waiting.length === 1) this.#begin();
    return promise;
  }

  /** Resolves when nothing that was asked for is under way any more. */
  async settled(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open);
  }

  #begin(): void {
    const group = this.#commitNext();
    this.#open.add(group);
    void group.finally(() => this.#open.delete(group));
  }

  /** Never rejects. */
  async #commitNext(): Promise<void> {
    await this.#parts.disk.gather();
    const members = this.#waiting.splice(0, CHANGES_MAX);
    if (this.#waiting.length > 0) this.#begin();
    const [only] = members;
    const applied =
      only !== undefined && members.length === 1 ? this.#commitOne(only) : this.#commitAll(members);
    const written = applied.filter((one): one is Written => one.changes !== null);
    for (const one of applied) if (one.changes === null) one.member.reject(one.error);
    if (written.length === 0) return;
    try {
      await this.#parts.disk.flush(this.#parts.root.flushed);
    } catch (error) {
      for (const { member } of written) member.reject(error);
      return;
    }
    for (const one of written) this.#settle(one);
  }

  #settle({ member, result, changes }: Written): void {
    try {
      for (const noted of changes) this.#parts.onChange(noted);
      member.resolve(result);
    } catch (error) {
      // Others of the group are not kept waiting by one that listens.
      member.reject(error);
    }
  }

  #commitOne(member: Member): Applied[] {
    const { transaction } = this.#parts;
    return this.#commit([member], () => {
      const result = member.change(transaction);
      return [{ member, result, changes: transaction.takeChanges() }];
    });
  }

  #commitAll(members: readonly Member[]): Applied[] {
    return this.#commit(members, () => members.map((member) => this.#applyWithin(member)));
  }

  #applyWithin(member: Member): Applied {
    const { root, transaction } = this.#parts;
    try {
      const result = root.transactionSync(() => member.change(transaction));
      return { member, result, changes: transaction.takeChanges() };
    } catch (error) {
      // What it noted did not happen, and what it wrote may be remembered.
      transaction.takeChanges();
      for (const table of this.#tables()) table.forgetTouched();
      return { member, error, changes: null };
    }
  }

  #commit(members: readonly Member[], apply: () => Applied[]): Applied[] {
    const { root, disk, transaction, onCommit } = this.#parts;
    let outcome: 'committed' | 'undone' = 'undone';
    let applied: Applied[] = [];
    try {
      root.transactionSync(() => {
        applied = apply();
        disk.commit();
      });
      outcome = 'committed';
      return applied;
    } catch (error) {
      transaction.takeChanges();
      return members.map((member) => {
        const own = applied.find((one) => one.member === member);
        return own?.changes === null ? own : { member, error, changes: null };
      });
    } finally {
      onCommit();
      for (const table of this.#tables()) table.settle(outcome);
    }
  }

  *#tables(): Generator<Table<object>> {
    for (const table of this.#parts.tables) if (table instanceof Table) yield table;
  }
}
