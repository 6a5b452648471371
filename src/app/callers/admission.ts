/** Admits callers and their media before a body is read. What can change while gigabytes arrive is judged once more. */
import { AppError, diskFull } from '../../domain/errors.ts';
import { REQUEST_ID_TTL_MS } from '../../domain/limits.ts';
import type { MediaKind } from '../../domain/media/media.ts';
import { MICROSECONDS_PER_MS } from '../../domain/time.ts';
import type { StoreReader } from '../../store/reader.ts';
import type { AcceptedRequest } from '../../store/tables/schema.ts';
import type { Core } from '../core.ts';
import { assertMayWrite, assertTerms, identify } from './authenticate.ts';
import { type BrowserCall, type BrowserProof, identifyBrowser } from './browser.ts';
import type { RateState } from './call-rates.ts';
import type { CallerParts } from './parts.ts';
import type { CallOrigin, Principal } from './principal.ts';

/** A caller's proof: a key, or the session of a browser; the key goes first. */
export interface Credential {
  key: string | undefined;
  browser?: { call: BrowserCall; proof: BrowserProof } | undefined;
}

export interface Admittance {
  /** Also admits callers who have not accepted the terms: to accept them, or to get a clearer error later. */
  beforeTerms?: boolean;
  /** False for further pieces of a counted call. */
  isCounted?: boolean;
}

export interface Admitted {
  principal: Principal;
  /** Null if the plan has no limit, or the call was not counted. */
  rate: RateState | null;
}

/** Throws `key` or `credentials`; accepted terms are not required. */
export function identifyCaller(app: CallerParts, { key, browser }: Credential, from: CallOrigin): Principal {
  if (key !== undefined || browser === undefined) return identify(app, key, from);
  return identifyBrowser(app, browser.call, browser.proof, { ...from, facade: 'dashboard' }).principal;
}

/** Throws `key`, `credentials`, `terms` and `rate`. */
export async function admitCaller(
  app: CallerParts,
  credential: Credential,
  from: CallOrigin,
  { beforeTerms = false, isCounted = true }: Admittance = {},
): Promise<Admitted> {
  const principal = identifyCaller(app, credential, from);
  if (!beforeTerms) assertTerms(app, principal);
  return { principal, rate: isCounted ? await app.callRates.count(principal) : null };
}

export interface MediaIntent {
  /** Validating changes nothing and costs nothing; undefined if only the body says it. */
  purpose: 'submit' | 'validate' | undefined;
  /** Undefined if the content decides, or it is not known yet. */
  kind?: MediaKind | undefined;
  announcedBytes?: number | undefined;
  requestId?: unknown;
  /** The bytes have arrived, so the transaction that charges knows their price. */
  isReceived?: boolean;
}

/** Throws `read_only`, `not_enabled`, `credits`, `draining` and `disk_full`, as far as they apply to the intent. */
export async function admitMedia(app: CallerParts, principal: Principal, intent: MediaIntent): Promise<void> {
  const { purpose, kind, announcedBytes = 0, isReceived = false } = intent;
  if (purpose === 'submit') assertMayWrite(principal);
  assertKindEnabled(principal, kind);
  if (purpose === 'submit' && !isReceived) assertAffordable(app, principal, intent);
  const { fileBytesMax } = principal.plan;
  const bytesMax = kind === undefined ? Math.max(...Object.values(fileBytesMax)) : fileBytesMax[kind];
  // Larger announcements than the plan allows are cut off there.
  await assertAcceptsWork(app, Math.min(announcedBytes, bytesMax));
}

export function assertKindEnabled({ plan }: Principal, kind: MediaKind | undefined): void {
  if (kind === undefined ? plan.kinds.length > 0 : plan.kinds.includes(kind)) return;
  throw new AppError('not_enabled', `the pricing plan does not enable ${kind ?? 'any'} classification`);
}

/** Requires the least price of the kind, since only bytes show whether a file is known and free. A repeat costs nothing. */
function assertAffordable(
  app: CallerParts,
  { account, plan }: Principal,
  { kind, requestId }: MediaIntent,
): void {
  const prices = kind === undefined ? plan.kinds.map((it) => plan.credits[it]) : [plan.credits[kind]];
  const needed = Math.min(...prices);
  const { available } = app.store.read.balance(account.id);
  const isRepeated =
    typeof requestId === 'string' && earlierRequest(app, app.store.read, account.id, requestId) !== undefined;
  if (available >= needed || isRepeated) return;
  throw refuseForCredits(needed, available);
}

/** The remembered answer to the request identifier. */
export function earlierRequest(
  { clock }: CallerParts,
  read: Pick<StoreReader, 'request'>,
  accountId: number,
  requestId: string,
): AcceptedRequest | undefined {
  const earlier = read.request(accountId, requestId);
  const isRemembered =
    earlier !== undefined && clock.now() - earlier.at <= REQUEST_ID_TTL_MS * MICROSECONDS_PER_MS;
  return isRemembered ? earlier : undefined;
}

/** Refuses new work before the disk is full, counting announced bytes, and while the daemon stops. */
export async function assertAcceptsWork(app: Core, announcedBytes = 0): Promise<void> {
  if (app.engine.phase === 'draining') {
    throw new AppError('draining', 'the daemon is stopping; try again in a moment', {
      retryAfterSeconds: 10,
    });
  }
  if ((await app.store.freeBytes()) - announcedBytes < app.config.diskFreeBytesMin) throw diskFull();
}

export function refuseForCredits(needed: number, available: number): AppError {
  return new AppError('credits', `the submission costs ${needed} credits, ${available} are left`, {
    metadata: { needed_credits: String(needed), available_credits: String(available) },
  });
}
