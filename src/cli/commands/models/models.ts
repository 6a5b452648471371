import type { Command } from 'commander';
import { ApplianceService, type Model } from '../../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { MediaKind } from '../../../grpc/gen/assay/v1/media_pb.ts';
import { openClient } from '../../daemon/client.ts';
import { CliFailure, EXIT_CODES } from '../../terminal/failure.ts';
import { printLine, type Terminal } from '../../terminal/terminal.ts';
import { nameOf } from '../../views/enum-word.ts';
import { describePlace } from '../../views/model-view.ts';
import { type OutcomeOptions, outcomeOption, printOutcome } from '../../views/outcome.ts';
import { formatTable } from '../../views/table.ts';
import { addModelChanges } from './change.ts';
import { addModelMeasures } from './measure.ts';

export function addModelsCommand(program: Command, terminal: Terminal): void {
  const models = program.command('models').description('the installed models');
  models
    .command('list', { isDefault: true })
    .description('list the installed models')
    .option('--json', 'one model per line')
    .action((options: { json?: true }) => listModels(terminal, options));
  models
    .command('verify')
    .description('exit with 1 if a model is out of service: its file, its golden outputs or its device')
    .option('--json', 'one model per line')
    .action((options: OutcomeOptions) => verifyModels(terminal, options));
  models
    .command('card')
    .description('print what a model was trained on, how often it errs and where it fails')
    .argument('<id>', 'as list names it, without the version')
    .addOption(outcomeOption())
    .action((id: string, options: OutcomeOptions) => printCard(terminal, id, options));
  addModelChanges(models, terminal);
  addModelMeasures(models, terminal);
}

async function printCard(terminal: Terminal, id: string, options: OutcomeOptions): Promise<void> {
  using client = await openClient(terminal);
  const { card } = await client.call(ApplianceService.method.getModelCard, { id });
  printOutcome(terminal, options, { id, card }, card.trimEnd());
}

async function readModels(terminal: Terminal): Promise<Model[]> {
  using client = await openClient(terminal);
  return (await client.call(ApplianceService.method.listModels, {})).models;
}

async function listModels(terminal: Terminal, options: { json?: true }): Promise<void> {
  const models = await readModels(terminal);
  if (options.json === true) {
    for (const model of models) printLine(terminal, JSON.stringify(toJson(model)));
    return;
  }
  const rows = models.map((model) => [
    `${model.id} ${model.version}`,
    model.task,
    nameOf(MediaKind, model.kind),
    `${model.minimumShortSide} px`,
    describePlace(model),
    model.weight === 0 ? '' : String(model.weight),
    model.licence,
  ]);
  const head = ['model', 'task', 'kind', 'smallest side', 'runs on', 'weight', 'licence'];
  printLine(terminal, formatTable(head, rows));
  for (const { id, version, outside } of models)
    if (outside !== '') printLine(terminal, `${id} ${version}: ${outside}`);
}

function toJson(model: Model): Record<string, unknown> {
  const { id, version, name, task, provider, precision, fault, licence, source, weight, added } = model;
  const kind = nameOf(MediaKind, model.kind);
  const about = { id, version, name, task, kind, provider, fault, licence, source, weight, added };
  const { minimumShortSide, precisionNote, preparing, resident, sha256, outside } = model;
  const how = { precision, precision_note: precisionNote, preparing, resident };
  return { ...about, minimum_short_side: minimumShortSide, sha256, ...how, outside };
}

async function verifyModels(terminal: Terminal, options: OutcomeOptions): Promise<void> {
  const models = await readModels(terminal);
  for (const model of models) {
    const isInService = model.fault === '' && model.provider !== '';
    const outcome = `${isInService ? 'in service on ' : ''}${describePlace(model)}`;
    const { id, version, provider, fault } = model;
    const found = { id, version, in_service: isInService, provider, fault };
    printOutcome(terminal, options, found, `${id} ${version}: ${outcome}`);
  }
  const faulty = models.filter((model) => model.fault !== '' || model.provider === '').length;
  if (models.length === 0) throw new CliFailure('no model is installed', EXIT_CODES.someFailed);
  if (faulty > 0)
    throw new CliFailure(`${faulty} of ${models.length} models are out of service`, EXIT_CODES.someFailed);
}
