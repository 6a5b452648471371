/** `assay webhook`: the secret that webhooks are signed with, and what became of each. */

import type { Command } from 'commander';
import { AccountService } from '../../grpc/gen/assay/v1/account_service_pb.ts';
import { DeliveryState, WebhookDeliverySchema } from '../../grpc/gen/assay/v1/webhook_pb.ts';
import { openClient } from '../daemon/client.ts';
import { allOption, type CountOptions, limitOption, readPages } from '../daemon/pages.ts';
import { printLine, type Terminal } from '../terminal/terminal.ts';
import { DELIVERY_HEAD, toDeliveryRow } from '../views/account-view.ts';
import { nameOf } from '../views/enum-word.ts';
import { toJsonLine } from '../views/message-json.ts';
import { type OutcomeOptions, outcomeOption, printOutcome } from '../views/outcome.ts';
import { formatTable } from '../views/table.ts';

interface DeliveriesOptions extends CountOptions {
  json?: true;
}

const { method } = AccountService;

export function addWebhookCommand(program: Command, terminal: Terminal): void {
  const webhook = program.command('webhook').description('the webhooks of your account');
  webhook
    .command('secret')
    .description('print the secret that they are signed with (Standard Webhooks)')
    .addOption(outcomeOption())
    .action((options: OutcomeOptions) => printSecret(terminal, options));
  webhook
    .command('rotate')
    .description('make a new secret and print it; the old one signs no more')
    .addOption(outcomeOption())
    .action((options: OutcomeOptions) => rotateSecret(terminal, options));
  webhook
    .command('deliveries')
    .description('list what was sent, newest first')
    .option('--json', 'one delivery per line, with every attempt')
    .addOption(allOption())
    .addOption(limitOption())
    .action((options: DeliveriesOptions) => listDeliveries(terminal, options));
  webhook
    .command('replay')
    .description('send a delivery again')
    .argument('<delivery>', 'its id, as assay webhook deliveries shows it')
    .addOption(outcomeOption())
    .action((id: string, options: OutcomeOptions) => replayDelivery(terminal, id, options));
}

async function printSecret(terminal: Terminal, options: OutcomeOptions): Promise<void> {
  using client = await openClient(terminal);
  const { secret } = await client.call(method.getWebhookSecret, {});
  printOutcome(terminal, options, { secret }, secret);
}

async function rotateSecret(terminal: Terminal, options: OutcomeOptions): Promise<void> {
  using client = await openClient(terminal);
  const { secret } = await client.call(method.rotateWebhookSecret, {});
  printOutcome(terminal, options, { secret }, secret);
}

async function listDeliveries(terminal: Terminal, options: DeliveriesOptions): Promise<void> {
  using client = await openClient(terminal);
  const rows: string[][] = [];
  const deliveries = readPages(options, async (page) => {
    const answer = await client.call(method.listDeliveries, page);
    return { items: answer.deliveries, nextPageToken: answer.nextPageToken };
  });
  for await (const delivery of deliveries) {
    if (options.json === true) printLine(terminal, toJsonLine(WebhookDeliverySchema, delivery));
    else rows.push(toDeliveryRow(delivery));
  }
  if (options.json !== true) printLine(terminal, formatTable(DELIVERY_HEAD, rows));
}

async function replayDelivery(terminal: Terminal, id: string, options: OutcomeOptions): Promise<void> {
  using client = await openClient(terminal);
  const { delivery } = await client.call(method.replayDelivery, { id });
  const state = nameOf(DeliveryState, delivery?.state);
  printOutcome(terminal, options, { id, state }, `${id}: ${state}`);
}
