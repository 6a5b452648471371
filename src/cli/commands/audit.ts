/** `assay audit`: what accounts and administrators did. */
import type { Command } from 'commander';
import { personLabel, showText } from '../../domain/shown-text.ts';
import { ApplianceService, type AuditEntry } from '../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { addRow, listing } from '../rows/row.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { formatTimestamp } from '../views/timestamp.ts';

export function addAuditCommand(program: Command, terminal: Terminal): void {
  const about = 'list who did what, when and from where, newest first (administrators)';
  const row = { json: 'one entry per line', line: toLine };
  addRow(
    program,
    terminal,
    listing('audit', about, ApplianceService.method.listAuditEntries, 'entries', row),
  );
}

function toLine(entry: AuditEntry): string {
  const details = Object.entries(entry.details).map(([name, value]) => `${name}=${value}`);
  const cells = [
    formatTimestamp(entry.at),
    entry.accountId === undefined ? 'appliance' : personLabel(entry.accountId, entry.accountName),
    [entry.facade, entry.remoteAddress].filter(Boolean).join(' '),
    entry.action,
    entry.target,
    details.join(' '),
  ];
  return showText(cells.filter(Boolean).join('  '));
}
