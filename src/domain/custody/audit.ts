/** The audit log: the actions of accounts and administrators; a reading of the custody log (domain/custody). */
import type { WayIn } from '../records/classification.ts';

export interface AuditEntry {
  sequence: number;
  at: number;
  /** The account that did it; null for the appliance itself (retention, first start) and for a failed sign-in. */
  accountId: number | null;
  /** The facade that it came by; null for the appliance itself. */
  facade: WayIn | null;
  remoteAddress: string | null;
  /** `noun.verb`: `account.create`, `key.reveal`, `override.set`, `classification.delete`, … */
  action: string;
  /** The object of the action: an account's id, an identifier, a plan's id. */
  target: string;
  /** Figures and names that identify it; never a secret. */
  details: Record<string, string>;
}

/** A line before it gets its sequence. */
export type AuditLine = Omit<AuditEntry, 'sequence'>;
