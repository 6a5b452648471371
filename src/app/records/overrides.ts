/** A person's correction of a file, by hash and kind; what was measured stays in the record, and who said what is kept. */

import type { OverrideResult } from '../../domain/answers/record.ts';
import { AppError } from '../../domain/errors.ts';
import { OVERRIDE_REASON_CHARACTERS_MAX } from '../../domain/limits.ts';
import type { Label, MediaKind } from '../../domain/media/media.ts';
import type { FindingEntry } from '../../domain/records/sign-off.ts';
import { auditLine, keyDetail } from '../accounts/audit.ts';
import { assertMayWrite } from '../callers/authenticate.ts';
import type { Principal } from '../callers/principal.ts';
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

/** Applies to all present and future records of the account with the hash. */
export async function overrideClassification(
  app: RecordParts,
  input: OverrideInput,
): Promise<OverrideResult> {
  const { principal, kind } = input;
  assertMayWrite(principal);
  const classification = parseLabel(input.classification);
  const hash = parseHash(input.hash);
  const reason = parseText({ reason: input.reason }, 'reason', OVERRIDE_REASON_CHARACTERS_MAX) ?? '';
  const accountId = principal.account.id;
  assertSubmitted(app, accountId, kind, hash);
  const measured = measuredOf(app, accountId, kind, hash);
  await app.store.transact((tx) => {
    const made = { accountId, kind, hash, classification, reason, measured };
    const details = { kind, classification, measured: measured ?? '', ...keyDetail(principal) };
    const by = auditLine(app, principal, 'override.set', hash, details);
    const finding = { ...made, at: by.at, byAccountId: accountId };
    tx.putOverride(finding, by);
    if (principal.plan.fourEyes) putAsk(app, tx, { principal, finding });
  });
  publishFile(app, { accountId, kind, hash });
  return { classification, type: kind, hash };
}

export async function removeOverride(app: RecordParts, input: FileInput): Promise<OverrideResult> {
  const { principal, kind } = input;
  assertMayWrite(principal);
  const hash = parseHash(input.hash);
  const accountId = principal.account.id;
  const override = await app.store.transact((tx) => {
    const found = tx.override(accountId, kind, hash);
    if (found === undefined) throw new AppError('classification', 'no override for this file');
    const details = { kind, classification: found.classification, ...keyDetail(principal) };
    tx.removeOverride(found, auditLine(app, principal, 'override.remove', hash, details));
    return found;
  });
  publishFile(app, { accountId, kind, hash });
  return { classification: override.classification, type: kind, hash };
}

/** Every override of the file by the account, oldest first; those that were removed or replaced included. */
export function overrideHistory(
  app: RecordParts,
  { principal, kind, hash: given }: FileInput,
): FindingEntry[] {
  const hash = parseHash(given);
  const history = findingsOf(app.store.read, { accountId: principal.account.id, kind, hash });
  if (history.length === 0) assertSubmitted(app, principal.account.id, kind, hash);
  return history;
}

function assertSubmitted(app: RecordParts, accountId: number, kind: MediaKind, hash: string): void {
  if (app.store.read.classificationsOfHash(accountId, kind, hash).length > 0) return;
  throw new AppError('classification', `no ${kind} with this hash was submitted`);
}

/** The verdict of the account's newest finished record of the file, or null if there is none yet. */
function measuredOf(app: RecordParts, accountId: number, kind: MediaKind, hash: string): Label | null {
  const newestFirst = app.store.read
    .classificationsOfHash(accountId, kind, hash)
    .sort((left, right) => right.createdAt - left.createdAt);
  for (const classification of newestFirst) {
    // One that cannot be shown has no say; a finding on the file is possible all the same.
    const verdict = unlessRefused(() => toRecord(app, classification))?.verdict ?? null;
    if (verdict !== null) return verdict.classification;
  }
  return null;
}
