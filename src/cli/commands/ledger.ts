/** `assay ledger`: what the account's credits add up from. */
import type { Command } from 'commander';
import { LedgerEntrySchema } from '../../grpc/gen/assay/v1/account_pb.ts';
import { AccountService } from '../../grpc/gen/assay/v1/account_service_pb.ts';
import { openClient } from '../daemon/client.ts';
import { allOption, type CountOptions, limitOption, readPages } from '../daemon/pages.ts';
import { printLine, type Terminal } from '../terminal/terminal.ts';
import { toLedgerRow } from '../views/account-view.ts';
import { toJsonLine } from '../views/message-json.ts';

interface LedgerOptions extends CountOptions {
  json?: true;
}

export function addLedgerCommand(program: Command, terminal: Terminal): void {
  program
    .command('ledger')
    .description("list the account's grants, charges and refunds, newest first, under its balance")
    .option('--json', 'one entry per line')
    .addOption(allOption())
    .addOption(limitOption())
    .action((options: LedgerOptions) => listLedger(terminal, options));
}

async function listLedger(terminal: Terminal, options: LedgerOptions): Promise<void> {
  using client = await openClient(terminal);
  if (options.json !== true) {
    const { availableCredits, totalSpent } = await client.call(AccountService.method.getCredits, {});
    printLine(terminal, `${availableCredits} credits available, ${totalSpent} spent`);
  }
  const entries = readPages(options, async (page) => {
    const answer = await client.call(AccountService.method.listLedger, page);
    return { items: answer.entries, nextPageToken: answer.nextPageToken };
  });
  for await (const entry of entries) {
    const line =
      options.json === true ? toJsonLine(LedgerEntrySchema, entry) : toLedgerRow(entry).join('  ').trimEnd();
    printLine(terminal, line);
  }
}
