/** A custody entry: the written bytes are hashed, never encoded anew; its words lie beside, so they can be deleted. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { CustodyKind } from './kinds.ts';

export interface CustodyEntry {
  /** Counted from 0 without gaps; also its index in the tree. */
  sequence: number;
  /** Microseconds since 1970. */
  at: number;
  kind: CustodyKind;
  /** Identifier of a record, an analysis or an epoch; empty without one. */
  subject: string;
  /** The account that did it; null for the appliance itself and for anonymous callers. */
  actor: number | null;
  /** Commitment to the details, hexadecimal. */
  commitment: string;
  /** The leaf hash of the entry before, hexadecimal; empty in the first. */
  previous: string;
}

/** The details beside the chain; `what` holds the figures of the fact itself. */
export interface CustodyDetails {
  /** The facade that it came by; absent for the appliance itself. */
  facade?: string | undefined;
  remoteAddress?: string | undefined;
  /** Object and details of an action of the audit log. */
  target?: string | undefined;
  details?: Readonly<Record<string, string>> | undefined;
  what?: Readonly<Record<string, unknown>> | undefined;
}

export const SALT_BYTES = 32;
/** Lines are short, since kinds, identifiers and hashes are: a longer one is foreign. */
const LINE_CHARACTERS_MAX = 2000;

/** Fields in a fixed order, so that a person can compare lines. */
export function encodeEntry(entry: CustodyEntry): string {
  const { sequence, at, kind, subject, actor, commitment, previous } = entry;
  return JSON.stringify({ sequence, at, kind, subject, actor, commitment, previous });
}

/** Undefined for a line of another form. */
export function parseEntry(line: unknown): CustodyEntry | undefined {
  if (typeof line !== 'string' || line.length > LINE_CHARACTERS_MAX) return undefined;
  const found = parseObject(line);
  if (found === undefined) return undefined;
  const { sequence, at, kind, subject, actor, commitment, previous } = found;
  const isWhole =
    Number.isSafeInteger(sequence) &&
    Number.isSafeInteger(at) &&
    (actor === null || Number.isSafeInteger(actor)) &&
    [kind, subject, commitment, previous].every((value) => typeof value === 'string');
  return isWhole ? (found as unknown as CustodyEntry) : undefined;
}

function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    const found: unknown = JSON.parse(line);
    return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** HMAC-SHA-256 under a random salt: no one can try out details. The salt as text: a key of bytes takes six times as long. */
export function commitTo(details: string, salt: Uint8Array): string {
  const key = Buffer.from(salt.buffer, salt.byteOffset, salt.length).toString('latin1');
  return createHmac('sha256', key, { encoding: 'latin1' }).update(details).digest('hex');
}

export function holdsCommitment(commitment: string, details: string, salt: Uint8Array): boolean {
  const made = Buffer.from(commitTo(details, salt));
  const given = Buffer.from(commitment);
  return made.length === given.length && timingSafeEqual(made, given);
}
