/** A person's finding on a file, by hash and kind; the record keeps the measurement, and every statement is kept. */
import type { OverrideResult } from '../../domain/answers/record.ts';
import { holderOf } from '../../domain/desk.ts';
import { AppError } from '../../domain/errors.ts';
import { OVERRIDE_REASON_CHARACTERS_MAX } from '../../domain/limits.ts';
import type { Label, MediaKind } from '../../domain/media/media.ts';
import type { FindingEntry } from '../../domain/records/sign-off.ts';
import { auditLine, keyDetail } from '../accounts/audit.ts';
import { assertMayWrite } from '../callers/authenticate.ts';
import type { Principal } from '../callers/principal.ts';
import { type FileOfRecord, holdersOf, holdersOfFile, lacksRole } from '../callers/rights.ts';
import { parseHash, parseLabel, parseText } from '../field-parsers.ts';
import { unlessRefused } from './find-records.ts';
import { findingsOf } from './judging.ts';
import type { RecordParts } from './parts.ts';
import { toRecord } from './record.ts';
import { publishFile, putAsk } from './sign-offs.ts';

export interface FileInput {
  principal: Principal;
  kind: MediaKind;
  hash: string;
}

export interface OverrideInput extends FileInput {
  classification: unknown;
  reason?: string | undefined;
}

/** For all present and future records with the hash, of the account and its desks. Throws `role` if it may only read some. */
export async function overrideClassification(
  app: RecordParts,
  input: OverrideInput,
): Promise<OverrideResult> {
  const { principal, kind } = input;
  assertMayWrite(principal);
  const classification = parseLabel(input.classification);
  const hash = parseHash(input.hash);
  const reason = parseText({ reason: input.reason }, 'reason', OVERRIDE_REASON_CHARACTERS_MAX) ?? '';
  const stated = heldFiles(app, { principal, kind, hash }).map((file) => ({
    ...file,
    measured: measuredOf(app, file),
  }));
  await app.store.transact((tx) => {
    for (const { measured, ...file } of stated) {
      const details = { kind, classification, measured: measured ?? '', ...keyDetail(principal) };
      const by = auditLine(app, principal, 'override.set', hash, details);
      const made = { ...file, classification, reason, measured };
      const finding = { ...made, at: by.at, byAccountId: principal.account.id };
      tx.putOverride(finding, by);
      if (principal.plan.fourEyes) putAsk(app, tx, { principal, finding });
    }
  });
  for (const file of stated) publishFile(app, file);
  return { classification, type: kind, hash };
}

export async function removeOverride(app: RecordParts, input: FileInput): Promise<OverrideResult> {
  const { principal, kind } = input;
  assertMayWrite(principal);
  const hash = parseHash(input.hash);
  const files = holdersOfFile(app.store.read, 'find', { kind, hash }, principal);
  const override = await app.store.transact((tx) => {
    const found = files.flatMap((file) => tx.override(holderOf(file), kind, hash) ?? []);
    const [first] = found;
    if (first === undefined) throw new AppError('classification', 'no override for this file');
    for (const finding of found) {
      const details = { kind, classification: finding.classification, ...keyDetail(principal) };
      tx.removeOverride(finding, auditLine(app, principal, 'override.remove', hash, details));
    }
    return first;
  });
  for (const file of files) publishFile(app, { ...file, kind, hash });
  return { classification: override.classification, type: kind, hash };
}

/** Every override of the file by the account and its desks, oldest first; those that were removed or replaced included. */
export function overrideHistory(
  app: RecordParts,
  { principal, kind, hash: given }: FileInput,
): FindingEntry[] {
  const hash = parseHash(given);
  const { read } = app.store;
  const found = holdersOf(read, principal.account.id).map((holder) =>
    read.overrideHistory(holder, kind, hash),
  );
  const files = found.flatMap(([finding]) => finding ?? []);
  if (files.length === 0 && holdersOfFile(read, 'look', { kind, hash }, principal).length === 0) {
    throw notSubmitted(kind);
  }
  return files.flatMap((file) => findingsOf(read, file)).sort((left, right) => left.at - right.at);
}

/** The file for the account and its desks, as far as the caller may state findings on it. */
function heldFiles({ store: { read } }: RecordParts, { principal, kind, hash }: FileInput): FileOfRecord[] {
  const files = holdersOfFile(read, 'find', { kind, hash }, principal);
  if (files.length > 0) return files.map((held) => ({ ...held, kind, hash }));
  if (holdersOfFile(read, 'look', { kind, hash }, principal).length === 0) throw notSubmitted(kind);
  throw lacksRole('find', 'file');
}

function notSubmitted(kind: MediaKind): AppError {
  return new AppError('classification', `no ${kind} with this hash was submitted`);
}

/** The verdict of the newest finished record of the file; null without one. */
function measuredOf(app: RecordParts, file: FileOfRecord): Label | null {
  const newestFirst = app.store.read
    .classificationsOfHash(holderOf(file), file.kind, file.hash)
    .sort((left, right) => right.createdAt - left.createdAt);
  for (const classification of newestFirst) {
    // A record that cannot be shown does not prevent a finding on its file.
    const verdict = unlessRefused(() => toRecord(app, classification))?.verdict ?? null;
    if (verdict !== null) return verdict.classification;
  }
  return null;
}
