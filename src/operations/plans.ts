/** Pricing plans. */
import { createPlan, listPlans, updatePlan } from '../app/accounts/plans.ts';
import type { Plan } from '../domain/accounts/plan.ts';
import { listOf, noun } from '../domain/field.ts';
import { accountNumber, form, mutation, one, query } from './operation.ts';

const PLAN = one('plan', noun<Plan>('Plan'));

export const PLAN_OPERATIONS = {
  listPlans: query({
    description: "The account's own plan; for partners and administrators all.",
    answer: one('plans', listOf(noun<Plan>('Plan'))),
    run: listPlans,
  }),
  createPlan: mutation({
    role: 'admin',
    input: { fields: form('plan') },
    answer: PLAN,
    payload: 'Plan',
    run: createPlan,
  }),
  updatePlan: mutation({
    description: 'Holds at once for every account of the plan.',
    role: 'admin',
    input: { id: accountNumber(), fields: form('plan') },
    answer: PLAN,
    payload: 'Plan',
    run: updatePlan,
  }),
};
