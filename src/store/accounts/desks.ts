import type { Desk, DeskMember, DeskRole } from '../../domain/desk.ts';
import { DESK_MEMBERS } from '../tables/collections.ts';
import type { Tables } from '../tables/schema.ts';

export class DeskReader {
  protected readonly tables: Tables;

  constructor(tables: Tables) {
    this.tables = tables;
  }

  /** A damaged desk reads as none, and opens its records to no one. */
  get(id: number): Desk | undefined {
    return this.tables.desks.getUnlessDamaged(id);
  }

  /** In the order in which they were made. */
  all(): Desk[] {
    return [...this.tables.desks.values()];
  }

  /** The highest id, damaged ones included. */
  newestId(): number {
    return Number(this.tables.desks.lastKey() ?? 0);
  }

  /** Undefined if the account is no member. */
  roleOf(deskId: number, accountId: number): DeskRole | undefined {
    return this.tables.deskMembers.getUnlessDamaged([deskId, accountId])?.role;
  }

  /** In the order of their accounts. */
  membersOf(deskId: number): DeskMember[] {
    return [...this.tables.deskMembers.values([deskId], [deskId, Number.MAX_SAFE_INTEGER])];
  }

  /** The account's memberships, the first desk first. */
  membershipsOf(accountId: number): DeskMember[] {
    const found = Array.from(this.tables.desksByAccount.under([accountId]), (key) =>
      this.tables.deskMembers.getUnlessDamaged([Number(key[1]), accountId]),
    );
    return found.filter((member) => member !== undefined).sort((a, b) => a.at - b.at || a.deskId - b.deskId);
  }

  hasRecords(deskId: number): boolean {
    return this.tables.classificationsByDesk.hasUnder([deskId]);
  }
}

export class DeskWriter extends DeskReader {
  put(desk: Desk): void {
    this.tables.desks.put(desk.id, desk);
  }

  remove(id: number): void {
    for (const member of this.membersOf(id)) this.removeMember(member);
    this.tables.desks.remove(id);
  }

  putMember(member: DeskMember): void {
    const key = [member.deskId, member.accountId];
    DESK_MEMBERS.put(this.tables, key, member, this.tables.deskMembers.getUnlessDamaged(key));
  }

  removeMember(member: DeskMember): void {
    DESK_MEMBERS.remove(this.tables, [member.deskId, member.accountId], member);
  }
}
