/** Inputs with the fields that are written of a noun, read under their documented names. */
import type { RawFields } from '../../app/field-parsers.ts';
import { ACCOUNT_DETAILS } from '../../domain/contract/account.ts';
import { PLAN } from '../../domain/contract/plan.ts';
import { NOTICE_CHANNEL } from '../../domain/contract/words.ts';
import type { FormName } from '../../operations/operation.ts';
import {
  builder,
  c2paPolicyEnum,
  enumOf,
  heuristicEnum,
  mediaKindEnum,
  outcomeEnum,
  roleEnum,
} from './builder.ts';
import { inputFieldsOf } from './nouns.ts';
import type { OptionPrice } from './plans.ts';
import { toRawFields } from './transport/input.ts';

interface Form {
  readonly type: unknown;
  read(input: never): RawFields;
}

const accountInput = builder.inputType('UpdateAccountInput', {
  description: 'What is absent stays; null clears it.',
  fields: (t) => ({
    name: t.string(),
    ...inputFieldsOf(t, ACCOUNT_DETAILS),
    heuristic: t.field({ type: heuristicEnum }),
  }),
});

const userInput = builder.inputType('UserInput', {
  description: 'What is absent is not set or stays; null clears it.',
  fields: (t) => ({
    name: t.string({ description: 'Required for a new user.' }),
    email: t.string({ description: 'Required for a new user.' }),
    ...inputFieldsOf(t, ACCOUNT_DETAILS),
    heuristic: t.field({ type: heuristicEnum }),
    readonly: t.boolean(),
    pricingId: t.id(),
    role: t.field({ type: roleEnum, description: 'Administrators only.' }),
    partnerId: t.id({ description: 'Administrators only; null makes a top-level account.' }),
    c2paPolicy: t.field({ type: c2paPolicyEnum, description: 'Null: as the plan says.' }),
  }),
});

const ruleInput = builder.inputType('NoticeRuleInput', {
  fields: (t) => ({
    name: t.string(),
    channel: t.field({ type: enumOf(NOTICE_CHANNEL), required: true }),
    target: t.string({
      required: true,
      description:
        'https, under the guard of webhooks; or an e-mail address, the account’s own but for administrators.',
    }),
    outcomes: t.field({ type: [outcomeEnum], description: 'None: any.' }),
    kinds: t.field({ type: [mediaKindEnum], description: 'None: any.' }),
    ofEveryAccount: t.boolean({ description: 'Administrators only.' }),
  }),
});

const optionPriceInput = builder.inputType('OptionPriceInput', {
  fields: (t) => ({ option: t.string({ required: true }), credits: t.int({ required: true }) }),
});

const { id: _, ...WRITTEN } = PLAN;

const planInput = builder.inputType('PlanInput', {
  description: 'What is absent gets its default in a new plan and stays in an old one.',
  fields: (t) => ({
    ...inputFieldsOf(t, WRITTEN),
    kinds: t.field({ type: [mediaKindEnum] }),
    imageCredits: t.int(),
    videoCredits: t.int(),
    audioCredits: t.int(),
    optionCredits: t.field({ type: [optionPriceInput], description: 'Replaces all earlier ones.' }),
    models: t.stringList({ description: 'Null: the plan follows what is installed.' }),
    imageBytesMax: t.field({ type: 'Long' }),
    videoBytesMax: t.field({ type: 'Long' }),
    audioBytesMax: t.field({ type: 'Long' }),
  }),
});

interface PlanInput {
  models?: readonly string[] | null | undefined;
  optionCredits?: readonly OptionPrice[] | null | undefined;
}

function toPlanFields(input: PlanInput): RawFields {
  const { models, optionCredits, ...rest } = input;
  const prices = optionCredits?.map(({ option, credits }) => [option, credits]);
  return {
    ...toRawFields(rest),
    models: models === null ? 'all' : models,
    option_credits: prices === undefined ? undefined : Object.fromEntries(prices),
  };
}

/** Leaves out fields that are null. */
function toRuleFields(input: object): RawFields {
  return toRawFields(Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null)));
}

export const FORMS: Readonly<Record<FormName, Form>> = {
  account: { type: accountInput, read: toRawFields },
  noticeRule: { type: ruleInput, read: toRuleFields },
  plan: { type: planInput, read: toPlanFields },
  user: { type: userInput, read: toRawFields },
};
