/** Pricing plans as the administrator writes them; every account reads its own, a partner all that it may give. */
import { appliancePlan, type Plan } from '../../domain/accounts/plan.ts';
import { PLAN } from '../../domain/contract/plan.ts';
import { AppError, badField } from '../../domain/errors.ts';
import { rowsOf, toSnakeCase } from '../../domain/field.ts';
import { MEDIA_KINDS, type MediaKind } from '../../domain/media/media.ts';
import { PLAN_OPTIONS, PRICED_OPTIONS, type PricedOption } from '../../domain/records/plan-option.ts';
import type { StoreReader } from '../../store/reader.ts';
import { assertMayWrite } from '../callers/authenticate.ts';
import { assertAdmin } from '../callers/authority.ts';
import type { Principal } from '../callers/principal.ts';
import { parseEach } from '../check-each.ts';
import {
  parseBoolean,
  parseChoice,
  parseChoices,
  parseLine,
  parseTextList,
  parseWhole,
  type RawFields,
  show,
} from '../field-parsers.ts';
import { auditLine } from './audit.ts';
import type { AccountParts } from './parts.ts';

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
    const plans = [...tx.accounts.plans.values()];
    if (plans.length >= PLANS_MAX) {
      throw new AppError('too_many', `the appliance holds at most ${PLANS_MAX} plans`);
    }
    const id = tx.accounts.newestPlanId() + 1;
    const plan: Plan = { ...blank, id, sku: skuOf(name), ...change };
    assertSkuFree(tx, plan);
    tx.accounts.putPlan(plan);
    tx.log.appendAudit(auditLine(app, principal, 'plan.create', id, { name: plan.name, sku: plan.sku }));
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
    const before = tx.accounts.plans.get(id);
    if (before === undefined) throw new AppError('plan', 'no such plan');
    const change = parsePlanChange(fields, before);
    const plan: Plan = { ...before, ...change };
    assertSkuFree(tx, plan);
    tx.accounts.putPlan(plan);
    const details = Object.fromEntries(
      Object.entries(change).map(([field, value]) => [field, JSON.stringify(value)]),
    );
    tx.log.appendAudit(auditLine(app, principal, 'plan.update', id, details));
    return plan;
  });
}

/** The caller's own plan, or for a partner and the administrator all of them. */
export function listPlans(app: AccountParts, { principal }: { principal: Principal }): Plan[] {
  return principal.account.role === 'user' ? [principal.plan] : [...app.store.read.accounts.plans.values()];
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
  if ([...read.accounts.plans.values()].some((other) => other.sku === sku && other.id !== id)) {
    throw badField('sku', `expected one that no other plan has, found ${JSON.stringify(sku)}`);
  }
}

/** The fields of a plan as written: kinds are prefixes (`image_credits`), lists may be text separated by commas. */
const NAME_CHARACTERS_MAX = 100;
const SKU = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const MODEL = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const CREDITS_MAX = 1_000_000;
/** The documented sizes: a plan may allow less, never more. */
const BYTES_MAX = PLAN.fileBytesMax.initial;

type Written = Exclude<keyof Plan, 'id'>;
type Row = (typeof PLAN)[Written];
type Parser = (fields: RawFields, before: Plan) => unknown;

type PlanChange = Partial<Omit<Plan, 'id'>>;

/** Parsers of rows that do not determine their own. */
const PARSERS: { [K in Written]?: Parser } = {
  name: (fields) => parseLine(fields, 'name', NAME_CHARACTERS_MAX),
  sku: parseSku,
  options: (fields) => parseChoices(fields, 'options', PLAN_OPTIONS),
  credits: (fields, before) => parsePerKind(fields, 'credits', 0, () => CREDITS_MAX, before.credits),
  optionCredits: parseOptionCredits,
  models: parseModels,
  fileBytesMax: (fields, before) =>
    parsePerKind(fields, 'bytes_max', 1, (kind) => BYTES_MAX[kind], before.fileBytesMax),
};

/** Fields of a kind that are not given stay those of `before`. */
function parsePlanChange(fields: RawFields, before: Plan): PlanChange {
  const { id: _, ...written } = PLAN;
  const parsers = rowsOf(written).map(([name, row]) => {
    const parse = PARSERS[name] ?? (() => parseRow(fields, toSnakeCase(name), row));
    return [name, () => parse(fields, before)];
  });
  const parsed: PlanChange = parseEach(Object.fromEntries(parsers));
  return Object.fromEntries(Object.entries(parsed).filter(([, value]) => value !== undefined));
}

function parseRow(fields: RawFields, field: string, { type, isList, maximum }: Row): unknown {
  if (maximum !== undefined) return parseWhole(fields, field, 0, maximum);
  if (type === 'flag') return fields[field] === undefined ? undefined : parseBoolean(fields, field);
  if (typeof type !== 'object' || !('choice' in type)) throw new Error(`nothing says how ${field} is read`);
  const parse = isList === true ? parseChoices : parseChoice;
  return parse(fields, field, type.choice.words);
}

function parseSku(fields: RawFields): string | undefined {
  const sku = parseLine(fields, 'sku', NAME_CHARACTERS_MAX);
  if (sku === undefined || SKU.test(sku)) return sku;
  throw badField('sku', `expected up to 64 letters, digits, dots and hyphens, found ${show(sku)}`);
}

function parsePerKind(
  fields: RawFields,
  name: string,
  minimum: number,
  maximumOf: (kind: MediaKind) => number,
  before: Record<MediaKind, number>,
): Record<MediaKind, number> | undefined {
  const read = (kind: MediaKind): number | undefined =>
    parseWhole(fields, `${kind}_${name}`, minimum, maximumOf(kind));
  const parsed = parseEach<Record<MediaKind, number | undefined>>({
    image: () => read('image'),
    video: () => read('video'),
    audio: () => read('audio'),
  });
  if (MEDIA_KINDS.every((kind) => parsed[kind] === undefined)) return undefined;
  return {
    image: parsed.image ?? before.image,
    video: parsed.video ?? before.video,
    audio: parsed.audio ?? before.audio,
  };
}

/** An object, or text like `heatmap=2,nsfw=1`; it replaces the earlier prices, so that one can be removed. */
function parseOptionCredits(fields: RawFields): Plan['optionCredits'] | undefined {
  const value = fields.option_credits;
  if (value === undefined || value === null) return undefined;
  const entries = typeof value === 'object' ? Object.entries(value) : parsePairs(fields);
  return Object.fromEntries(
    entries.map(([name, credits]): [PricedOption, number] => {
      const option = PRICED_OPTIONS.find((allowed) => allowed === name);
      if (option === undefined) {
        throw badField('option_credits', `expected of ${PRICED_OPTIONS.join(', ')}, found ${show(name)}`);
      }
      return [option, parseWhole({ option_credits: credits }, 'option_credits', 0, CREDITS_MAX) ?? 0];
    }),
  );
}

function parsePairs(fields: RawFields): [string, string][] {
  return (parseTextList(fields, 'option_credits') ?? []).map((pair) => {
    const [name, credits, ...rest] = pair.split('=');
    if (name === undefined || credits === undefined || rest.length > 0) {
      throw badField('option_credits', `expected pairs like heatmap=2, found ${show(pair)}`);
    }
    return [name.trim(), credits.trim()];
  });
}

function parseModels(fields: RawFields): Plan['models'] | undefined {
  if (fields.models === 'all') return 'all';
  const models = parseTextList(fields, 'models');
  if (models?.length === 1 && models[0] === 'all') return 'all';
  const wrong = models?.find((model) => !MODEL.test(model));
  if (wrong !== undefined)
    throw badField('models', `expected all or identifiers of packs, found ${show(wrong)}`);
  return models;
}
