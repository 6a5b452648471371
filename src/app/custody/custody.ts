/** Reads the custody log: of a record for its readers, of everything for administrators; its proofs and its state. */
import type { CustodyReport, CustodyView, ProvenCustody } from '../../domain/contract/custody.ts';
import { parseCheckpoint } from '../../domain/custody/checkpoint.ts';
import { proveConsistency, proveInclusion } from '../../domain/custody/merkle-tree.ts';
import { badField } from '../../domain/errors.ts';
import { OVERRIDE_REASON_CHARACTERS_MAX } from '../../domain/limits.ts';
import type { CustodyRow } from '../../store/custody/custody-reader.ts';
import { verifyCustody } from '../../store/custody/verify.ts';
import { fileSubject } from '../../store/tables/stored-custody.ts';
import { accountNameOf, auditLine } from '../accounts/audit.ts';
import { assertMayWrite } from '../callers/authenticate.ts';
import { assertAdmin } from '../callers/authority.ts';
import type { Principal } from '../callers/principal.ts';
import { isMemberAt } from '../callers/rights.ts';
import { assertPageSize, parseText } from '../field-parsers.ts';
import { readableClassification } from '../records/classifications.ts';
import type { RecordParts } from '../records/parts.ts';
import type { CustodyParts } from './parts.ts';

export interface CustodyQuery {
  principal: Principal;
  /** Identifier of a record; absent or empty for the whole log. */
  identifier?: string | undefined;
  before?: number | undefined;
  limit: number;
}

/** Newest first. Throws `classification` for a foreign record; of a deleted one only administrators read. */
export function listCustody(
  app: RecordParts,
  { principal, identifier = '', before, limit }: CustodyQuery,
): CustodyView[] {
  assertPageSize(limit);
  const { custody } = app.store.read;
  if (identifier === '') {
    assertAdmin(principal);
    return custody.last({ before, limit }).map((row) => toView(app, row, principal));
  }
  const rows = custody.rowsOf(subjectsOf(app, principal, identifier), { before, limit });
  const isColleague = isAtDeskOf(app, principal, identifier);
  return rows.map((row) => toView(app, row, principal, isColleague));
}

/** Members of a desk read what others did with its records. */
function isAtDeskOf({ store: { read } }: RecordParts, principal: Principal, identifier: string): boolean {
  const record = read.records.get(identifier);
  return record !== undefined && isMemberAt(read, record, principal);
}

function subjectsOf(app: RecordParts, principal: Principal, identifier: string): string[] {
  const record = app.store.read.records.get(identifier);
  // Only administrators learn what became of a deleted record, of any owner.
  if (record === undefined && principal.account.role === 'admin') return [identifier];
  const own =
    principal.account.role === 'admin' && record
      ? record
      : readableClassification(app, { principal, identifier });
  return [identifier, own.analysisId, ...(own.hash === '' ? [] : [fileSubject(own)])];
}

/** Another account's action is shown to it, its colleagues and administrators; others see only that it did something. */
function toView(
  { store: { read } }: RecordParts,
  row: CustodyRow,
  { account }: Principal,
  isColleague = false,
): CustodyView {
  const { sequence, at, kind, subject, actor, line, detailsDeletedAt } = row;
  const isOpen = isColleague || actor === null || actor === account.id || account.role === 'admin';
  const {
    facade = '',
    remoteAddress = '',
    target = '',
    details = {},
    what = null,
  } = (isOpen && row.details) || {};
  return {
    sequence,
    at,
    kind,
    subject,
    accountId: actor,
    accountName: isOpen ? accountNameOf(read.accounts, actor) : '',
    facade,
    remoteAddress,
    target,
    details,
    what,
    line,
    detailsJson: (isOpen && row.detailsJson) || '',
    salt: (isOpen && row.salt) || '',
    detailsDeletedAt,
  };
}

/** Administrators only; takes about 40 µs of processor time an entry, with pauses for other answers. */
export async function checkCustody(
  app: CustodyParts,
  { principal }: { principal: Principal },
  signal: AbortSignal,
): Promise<CustodyReport> {
  assertAdmin(principal);
  const publicKeys = app.signingKeys.published().map(({ rawPublicKey }) => rawPublicKey);
  const report = await verifyCustody(app.store.read.custody, { publicKeys, signal });
  app.metrics.custodyFaults.set(report.faultCount);
  return report;
}

/** Entries in one proof, some 2 KB each. */
const PROVEN_ENTRIES_MAX = 1000;

/** A record's entries with their proofs under a checkpoint that is signed now. */
export async function proveCustody(
  app: CustodyParts,
  { principal, identifier, sinceSize = 0 }: { principal: Principal; identifier: string; sinceSize?: number },
): Promise<ProvenCustody> {
  const subjects = subjectsOf(app, principal, identifier);
  const { note: checkpoint, size, publicKeyPem } = await app.checkpoints.sign();
  if (!Number.isSafeInteger(sinceSize) || sinceSize < 0 || sinceSize > size) {
    throw badField('since_size', `expected a size from 0 to ${size}, the log's own, found ${sinceSize}`);
  }
  const { custody } = app.store.read;
  const rows = custody.rowsOf(subjects, { before: size, limit: PROVEN_ENTRIES_MAX });
  const isColleague = isAtDeskOf(app, principal, identifier);
  const entries = rows.map((row) => ({
    entry: toView(app, row, principal, isColleague),
    inclusion: proveInclusion(row.sequence, size, custody.subtree).map(toBase64),
  }));
  const consistency = proveConsistency(sinceSize, size, custody.subtree).map(toBase64);
  return { checkpoint, size, publicKeyPem, entries, consistency };
}

/** An earlier signed head of the box, with the proof that a later one continues it (RFC 9162, section 2.1.4). */
export interface EarlierHead {
  size: number;
  consistency: string[];
}

/** A package proves that its head continues this many signed heads: each proof is one to three KB. */
const EARLIER_HEADS_MAX = 64;

export function proveEarlierHeads({ store }: CustodyParts, size: number): EarlierHead[] {
  const { custody } = store.read;
  const sizes = custody
    .recentCheckpoints(EARLIER_HEADS_MAX + 1)
    .flatMap(({ note }) => parseCheckpoint(note)?.size ?? []);
  return sizes
    .filter((earlier) => earlier > 0 && earlier < size)
    .map((earlier) => ({
      size: earlier,
      consistency: proveConsistency(earlier, size, custody.subtree).map(toBase64),
    }));
}

const toBase64 = (hash: Buffer): string => hash.toString('base64');

/** Entries in one order, which a person names. */
const REDACTED_MAX = 100;

/** Administrators only. Returns the sequences whose details are gone now. */
export async function redactCustody(
  app: CustodyParts,
  {
    principal,
    sequences,
    reason: given,
  }: { principal: Principal; sequences: readonly number[]; reason?: string },
): Promise<number[]> {
  assertAdmin(principal);
  assertMayWrite(principal);
  const reason = parseText({ reason: given }, 'reason', OVERRIDE_REASON_CHARACTERS_MAX) ?? '';
  if (sequences.length === 0 || sequences.length > REDACTED_MAX) {
    throw badField('sequences', `expected 1 to ${REDACTED_MAX} sequences, found ${sequences.length}`);
  }
  const line = auditLine(app, principal, 'custody.redact', '', reason === '' ? {} : { reason });
  return await app.store.transact((tx) => tx.log.redact(sequences, line));
}
