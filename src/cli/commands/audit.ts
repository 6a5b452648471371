import { personLabel, showText } from '../../domain/shown-text.ts';
import { ApplianceService, type AuditEntry } from '../../grpc/gen/assay/v1/appliance_service_pb.ts';
import { commandOf, listing } from '../rows/row.ts';
import { formatTimestamp } from '../views/timestamp.ts';

export const addAuditCommand = commandOf(
  listing(
    'audit',
    'list who did what, when and from where, newest first (administrators)',
    ApplianceService.method.listAuditEntries,
    'entries',
    { json: 'one entry per line', line: toLine },
  ),
);

function toLine(entry: AuditEntry): string {
  const details = Object.entries(entry.details).map(([name, value]) => `${name}=${value}`);
  const cells = [
    formatTimestamp(entry.at),
    personLabel(entry.accountId, entry.accountName),
    [entry.facade, entry.remoteAddress].filter(Boolean).join(' '),
    entry.action,
    entry.target,
    details.join(' '),
  ];
  return showText(cells.filter(Boolean).join('  '));
}
