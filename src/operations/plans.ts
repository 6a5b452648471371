import { createPlan, listPlans, updatePlan } from '../app/accounts/plans.ts';
import type { Plan } from '../domain/accounts/plan.ts';
import { idNumber, listOf, noun } from '../domain/field.ts';
import { form, mutation, one, query } from './operation.ts';

const PLAN = one('plan', noun<Plan>('Plan'));

export const PLAN_OPERATIONS = {
  listPlans: query({
    description: 'The plans that the account may know: its own, or all for partners and administrators.',
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
    input: { id: idNumber(), fields: form('plan') },
    answer: PLAN,
    payload: 'Plan',
    run: updatePlan,
  }),
};
