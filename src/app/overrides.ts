/** A person's correction of a file, by hash and kind; what was measured stays in the record. */
import { AppError } from '../domain/errors.ts';
import { OVERRIDE_REASON_CHARACTERS_MAX } from '../domain/limits.ts';
import type { MediaKind } from '../domain/media.ts';
import type { OverrideResult } from '../domain/record.ts';
import type { App } from './app.ts';
import { assertMayWrite } from './authenticate.ts';
import { parseHash, parseLabel, parseText } from './input.ts';
import type { Principal } from './principal.ts';

export interface OverrideInput {
  principal: Principal;
  kind: MediaKind;
  hash: string;
  classification: unknown;
  reason?: string | undefined;
}

/** Applies to all present and future records of the account with the hash. */
export async function overrideClassification(app: App, input: OverrideInput): Promise<OverrideResult> {
  const { principal, kind } = input;
  assertMayWrite(principal);
  const classification = parseLabel(input.classification);
  const hash = parseHash(input.hash);
  const reason = parseText({ reason: input.reason }, 'reason', OVERRIDE_REASON_CHARACTERS_MAX) ?? '';
  const accountId = principal.account.id;
  assertSubmitted(app, accountId, kind, hash);
  await app.store.transact((tx) =>
    tx.putOverride({ accountId, kind, hash, classification, reason, at: app.clock.now() }),
  );
  publishAll(app, accountId, kind, hash);
  return { classification, type: kind, hash };
}

export async function removeOverride(
  app: App,
  input: Pick<OverrideInput, 'principal' | 'kind' | 'hash'>,
): Promise<OverrideResult> {
  assertMayWrite(input.principal);
  const hash = parseHash(input.hash);
  const accountId = input.principal.account.id;
  const override = app.store.read.override(accountId, input.kind, hash);
  if (override === undefined) throw new AppError('classification', 'no override for this file');
  await app.store.transact((tx) => tx.removeOverride(override));
  publishAll(app, accountId, input.kind, hash);
  return { classification: override.classification, type: input.kind, hash };
}

function assertSubmitted(app: App, accountId: number, kind: MediaKind, hash: string): void {
  if (app.store.read.classificationsOfHash(accountId, kind, hash).length > 0) return;
  throw new AppError('classification', `no ${kind} with this hash was submitted`);
}

function publishAll(app: App, accountId: number, kind: MediaKind, hash: string): void {
  for (const { identifier } of app.store.read.classificationsOfHash(accountId, kind, hash)) {
    app.engine.publish(identifier, accountId);
  }
}
