/** `assay filters`: what narrows a list of records, kept under names for the account. */
import type { Command } from 'commander';
import { formatTime, fromTimestamp } from '../../../domain/time.ts';
import { Outcome } from '../../../grpc/gen/assay/v1/classification_pb.ts';
import {
  ClassificationService,
  type SavedFilter,
  SavedFilterSchema,
  SaveFilterRequestSchema,
} from '../../../grpc/gen/assay/v1/classification_service_pb.ts';
import { MediaKind } from '../../../grpc/gen/assay/v1/media_pb.ts';
import { toMessage } from '../../../grpc/messages.ts';
import { openClient } from '../../daemon/client.ts';
import type { NarrowingOptions } from '../../daemon/saved-filter.ts';
import { printLine, type Terminal } from '../../terminal/terminal.ts';
import { nameOf } from '../../views/enum-word.ts';
import { toJsonLine } from '../../views/message-json.ts';
import { type OutcomeOptions, outcomeOption, printOutcome } from '../../views/outcome.ts';
import { formatTable } from '../../views/table.ts';
import { addNarrowingOptions } from './list.ts';

const { method } = ClassificationService;

export function addFiltersCommand(program: Command, terminal: Terminal): void {
  const filters = program
    .command('filters')
    .description('filters of lists that are kept under names: assay list --saved NAME');
  filters
    .command('list', { isDefault: true })
    .description('list those of your account')
    .option('--json', 'one filter per line')
    .action((options: OutcomeOptions) => listFilters(terminal, options));
  const save = filters
    .command('save')
    .description('keep a filter, in the place of the one that has this name')
    .argument('<name>');
  addNarrowingOptions(save)
    .option('--json', 'the filter as one line of JSON')
    .action((name: string, options: NarrowingOptions & OutcomeOptions) =>
      saveFilter(terminal, name, options),
    );
  filters
    .command('remove')
    .description('keep a filter no more')
    .argument('<name>')
    .addOption(outcomeOption())
    .action((name: string, options: OutcomeOptions) => removeFilter(terminal, name, options));
}

async function listFilters(terminal: Terminal, { json }: OutcomeOptions): Promise<void> {
  using client = await openClient(terminal);
  const { filters } = await client.call(method.listSavedFilters, {});
  if (json === true) for (const filter of filters) printLine(terminal, toJsonLine(SavedFilterSchema, filter));
  else printLine(terminal, formatTable(['name', 'narrowed by'], filters.map(toRow)));
}

function toRow({ name, kind, outcome, search, text, since, until, waitsForMe }: SavedFilter): string[] {
  const parts = [
    nameOf(MediaKind, kind),
    nameOf(Outcome, outcome),
    search === '' ? '' : `"${search}"`,
    text === '' ? '' : `said "${text}"`,
    since === undefined ? '' : `since ${formatTime(fromTimestamp(since))}`,
    until === undefined ? '' : `until ${formatTime(fromTimestamp(until))}`,
    waitsForMe ? 'waits for your sign-off' : '',
  ];
  return [name, parts.filter(Boolean).join(', ')];
}

async function saveFilter(
  terminal: Terminal,
  name: string,
  { json, ...narrowing }: NarrowingOptions & OutcomeOptions,
): Promise<void> {
  using client = await openClient(terminal);
  const request = toMessage(SaveFilterRequestSchema, { name, ...narrowing });
  const { filter } = await client.call(method.saveFilter, request);
  if (filter === undefined) return;
  if (json === true) printLine(terminal, toJsonLine(SavedFilterSchema, filter));
  else printLine(terminal, `saved: ${toRow(filter).join(': ')}`);
}

async function removeFilter(terminal: Terminal, name: string, options: OutcomeOptions): Promise<void> {
  using client = await openClient(terminal);
  await client.call(method.removeSavedFilter, { name });
  printOutcome(terminal, options, { name, state: 'removed' }, `removed: ${name}`);
}
