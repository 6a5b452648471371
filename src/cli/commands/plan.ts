import { Option } from 'commander';
import type { Plan } from '../../grpc/gen/assay/v1/account_pb.ts';
import { ApplianceService } from '../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { findPlan } from '../daemon/lookups.ts';
import { type PlanOptions, planOptions, toPlanFields } from '../daemon/plan-options.ts';
import { change, commandsOf, listing } from '../rows/row.ts';
import { CliFailure, EXIT_CODES } from '../terminal/failure.ts';
import { formatColumns } from '../views/columns.ts';
import { describePlan, PLAN_COLUMNS } from '../views/plan-view.ts';

const { method } = ApplianceService;
const text = (plan: Plan): string => formatColumns(describePlan(plan));

export const addPlanCommand = commandsOf('plan', 'pricing plans', [
  listing('list', 'list plans', method.listPlans, 'plans', {
    isDefault: true,
    json: 'one plan per line',
    columns: PLAN_COLUMNS,
  }),
  change(
    'create',
    'make a plan; what is not given is as in the plan of the first start',
    method.createPlan,
    'plan',
    {
      takes: [['name', '<name>', 'its name']],
      options: planOptions(),
      request: (said: PlanOptions) => ({ plan: toPlanFields(said) }),
      text,
    },
  ),
  change(
    'set',
    'change a plan; the change applies at once to every account on it',
    method.updatePlan,
    'plan',
    {
      takes: [['named', '<plan>', 'its id, name or SKU']],
      options: [...planOptions(), new Option('--name <name>', 'another name')],
      request: async (said: PlanOptions & { named: string }, client) => {
        const plan = toPlanFields(said);
        if (Object.keys(plan).length === 0) {
          throw new CliFailure(
            'nothing to change: assay plan set --help lists what can be',
            EXIT_CODES.usage,
          );
        }
        return { id: (await findPlan(client, said.named)).id, plan };
      },
      text,
    },
  ),
]);
