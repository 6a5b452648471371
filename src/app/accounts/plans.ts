/** Pricing plans as the administrator writes them; every account reads its own, a partner all that it may give. */

import type { Plan } from '../../domain/accounts/plan.ts';
import { appliancePlan } from '../../domain/accounts/plan.ts';
import { AppError, badField } from '../../domain/errors.ts';
import type { StoreReader } from '../../store/reader.ts';
import { assertMayWrite } from '../callers/authenticate.ts';
import { assertAdmin } from '../callers/authority.ts';
import type { Principal } from '../callers/principal.ts';
import type { RawFields } from '../field-parsers.ts';
import { auditLine } from './audit.ts';
import type { AccountParts } from './parts.ts';
import { parsePlanChange } from './plan-fields.ts';

/** A price list that a person can still read. */
const PLANS_MAX = 200;

export interface PlanFieldsInput {
  principal: Principal;
  fields: RawFields;
}

/** `name` is required, `sku` follows from it; without other fields everything is enabled and nothing charged. */
export async function createPlan(app: AccountParts, { principal, fields }: PlanFieldsInput): Promise<Plan> {
  assertAdmin(principal);
  assertMayWrite(principal);
  const blank = { ...appliancePlan(0), name: '', sku: '' };
  const change = parsePlanChange(fields, blank);
  if (change.name === undefined) throw badField('name', 'expected text, found nothing');
  const { name } = change;
  return await app.store.transact((tx) => {
    const plans = tx.accounts.plans();
    if (plans.length >= PLANS_MAX) {
      throw new AppError('too_many', `the appliance holds at most ${PLANS_MAX} plans`);
    }
    const id = tx.accounts.newestPlanId() + 1;
    const plan: Plan = { ...blank, id, sku: skuOf(name), ...change };
    assertSkuFree(tx, plan);
    tx.accounts.putPlan(plan);
    tx.appendAudit(auditLine(app, principal, 'plan.create', id, { name: plan.name, sku: plan.sku }));
    return plan;
  });
}

/** Absent fields stay; accounts of the plan are bound by the change from their next call on. */
export async function updatePlan(
  app: AccountParts,
  { principal, id, fields }: PlanFieldsInput & { id: number },
): Promise<Plan> {
  assertAdmin(principal);
  assertMayWrite(principal);
  return await app.store.transact((tx) => {
    const before = tx.accounts.plan(id);
    if (before === undefined) throw new AppError('plan', 'no such plan');
    const change = parsePlanChange(fields, before);
    const plan: Plan = { ...before, ...change };
    assertSkuFree(tx, plan);
    tx.accounts.putPlan(plan);
    const details = Object.fromEntries(
      Object.entries(change).map(([field, value]) => [field, JSON.stringify(value)]),
    );
    tx.appendAudit(auditLine(app, principal, 'plan.update', id, details));
    return plan;
  });
}

/** The caller's own plan, or for a partner and the administrator all of them. */
export function listPlans(app: AccountParts, { principal }: { principal: Principal }): Plan[] {
  return principal.account.role === 'user' ? [principal.plan] : app.store.read.accounts.plans();
}

const SKU_CHARACTERS_MAX = 64;

function skuOf(name: string): string {
  const sku = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, SKU_CHARACTERS_MAX);
  if (sku === '') throw badField('sku', 'expected letters or digits: the name has none to make it of');
  return sku;
}

function assertSkuFree(read: StoreReader, { id, sku }: Plan): void {
  if (read.accounts.plans().some((other) => other.sku === sku && other.id !== id)) {
    throw badField('sku', `expected one that no other plan has, found ${JSON.stringify(sku)}`);
  }
}
