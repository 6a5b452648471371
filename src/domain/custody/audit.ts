/** The audit log: what accounts and administrators did; a reading of the custody log (domain/custody). */
import type { WayIn } from '../records/classification.ts';

export interface AuditEntry {
  sequence: number;
  at: number;
  /** Who did it; null for the appliance itself (retention, first start) and for a failed sign-in. */
  accountId: number | null;
  /** Where from; null for the appliance itself. */
  facade: WayIn | null;
  remoteAddress: string | null;
  /** `noun.verb`: `account.create`, `key.reveal`, `override.set`, `classification.delete`, … */
  action: string;
  /** What it was done to: an account's id, an identifier, a plan's id. */
  target: string;
  /** Figures and names that identify it; never a secret. */
  details: Record<string, string>;
}

/** A line before it has its place in the log. */
export type AuditLine = Omit<AuditEntry, 'sequence'>;
