/** `assay audit`: what accounts and administrators did. */
import type { Command } from 'commander';
import { showText } from '../../domain/shown-text.ts';
import {
  ApplianceService,
  type AuditEntry,
  AuditEntrySchema,
} from '../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { openClient } from '../daemon/client.ts';
import { allOption, type CountOptions, limitOption, readPages } from '../daemon/pages.ts';
import { printLine, type Terminal } from '../terminal/terminal.ts';
import { formatTimestamp } from '../views/account-view.ts';
import { toJsonLine } from '../views/message-json.ts';

interface AuditOptions extends CountOptions {
  json?: true;
}

export function addAuditCommand(program: Command, terminal: Terminal): void {
  program
    .command('audit')
    .description('list who did what, when and from where, newest first (administrators)')
    .option('--json', 'one entry per line')
    .addOption(allOption())
    .addOption(limitOption())
    .action((options: AuditOptions) => listAudit(terminal, options));
}

async function listAudit(terminal: Terminal, options: AuditOptions): Promise<void> {
  using client = await openClient(terminal);
  const entries = readPages(options, async (page) => {
    const answer = await client.call(ApplianceService.method.listAuditEntries, page);
    return { items: answer.entries, nextPageToken: answer.nextPageToken };
  });
  for await (const entry of entries) {
    printLine(terminal, options.json === true ? toJsonLine(AuditEntrySchema, entry) : toLine(entry));
  }
}

function toLine(entry: AuditEntry): string {
  const details = Object.entries(entry.details).map(([name, value]) => `${name}=${value}`);
  const cells = [
    formatTimestamp(entry.at),
    entry.accountId === undefined ? 'appliance' : `account ${entry.accountId} ${entry.accountName}`.trimEnd(),
    [entry.facade, entry.remoteAddress].filter(Boolean).join(' '),
    entry.action,
    entry.target,
    details.join(' '),
  ];
  return showText(cells.filter(Boolean).join('  '));
}
