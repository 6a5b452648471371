/** `assay plan`: pricing plans. */
import type { Command } from 'commander';
import { PlanSchema } from '../../grpc/gen/assay/v1/account_pb.ts';
import { ApplianceService } from '../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { openClient } from '../daemon/client.ts';
import { findPlan } from '../daemon/lookups.ts';
import { addPlanOptions, type PlanOptions, toPlanFields } from '../daemon/plan-options.ts';
import { CliFailure, EXIT_CODES } from '../terminal/failure.ts';
import { printLine, type Terminal } from '../terminal/terminal.ts';
import { describePlan, PLAN_HEAD, toPlanRow } from '../views/account-view.ts';
import { formatColumns } from '../views/columns.ts';
import { toJsonLine } from '../views/message-json.ts';
import { formatTable } from '../views/table.ts';

interface JsonOption {
  json?: true;
}

const { method } = ApplianceService;

export function addPlanCommand(program: Command, terminal: Terminal): void {
  const plan = program.command('plan').description('pricing plans');
  plan
    .command('list', { isDefault: true })
    .description('list them')
    .option('--json', 'one plan per line')
    .action((options: JsonOption) => listPlans(terminal, options));
  addPlanOptions(
    plan
      .command('create')
      .description('make a plan; what is not said is as in the plan of the first start')
      .argument('<name>', 'its name'),
  )
    .option('--json', 'the plan as one line of JSON')
    .action((name: string, options: PlanOptions & JsonOption) => createPlan(terminal, name, options));
  addPlanOptions(
    plan
      .command('set')
      .description('change a plan; it holds at once for every account that has it')
      .argument('<plan>', 'its id, name or SKU'),
  )
    .option('--name <name>', 'another name')
    .option('--json', 'the plan as one line of JSON')
    .action((named: string, options: PlanOptions & JsonOption) => setPlan(terminal, named, options));
}

async function listPlans(terminal: Terminal, options: JsonOption): Promise<void> {
  using client = await openClient(terminal);
  const { plans } = await client.call(method.listPlans, {});
  if (options.json === true) {
    for (const plan of plans) printLine(terminal, toJsonLine(PlanSchema, plan));
  } else printLine(terminal, formatTable(PLAN_HEAD, plans.map(toPlanRow)));
}

async function createPlan(
  terminal: Terminal,
  name: string,
  options: PlanOptions & JsonOption,
): Promise<void> {
  using client = await openClient(terminal);
  const { plan } = await client.call(method.createPlan, { plan: { ...toPlanFields(options), name } });
  if (plan === undefined) return;
  printLine(
    terminal,
    options.json === true ? toJsonLine(PlanSchema, plan) : formatColumns(describePlan(plan)),
  );
}

async function setPlan(terminal: Terminal, named: string, options: PlanOptions & JsonOption): Promise<void> {
  const fields = toPlanFields(options);
  if (Object.keys(fields).length === 0) {
    throw new CliFailure('nothing to change: assay plan set --help lists what can be', EXIT_CODES.usage);
  }
  using client = await openClient(terminal);
  const { id } = await findPlan(client, named);
  const { plan } = await client.call(method.updatePlan, { id, plan: fields });
  if (plan === undefined) return;
  printLine(
    terminal,
    options.json === true ? toJsonLine(PlanSchema, plan) : formatColumns(describePlan(plan)),
  );
}
