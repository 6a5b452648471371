/** `assay custody list` and `show`: entries of the log, and of one record. */
import { showText } from '../../../domain/shown-text.ts';
import { type CustodyEntry, CustodyService } from '../../../grpc/gen/assay/v1/custody_service_pb.ts';
import { listing } from '../../rows/row.ts';
import { formatTimestamp } from '../../views/timestamp.ts';

const { listCustodyEntries } = CustodyService.method;
const LINES = { json: 'one entry per line', line: toLine };

export const CUSTODY_LISTS = [
  listing(
    'list',
    'list the entries of the whole log, newest first (administrators)',
    listCustodyEntries,
    'entries',
    LINES,
  ),
  listing('show', 'show what happened to a record, newest first', listCustodyEntries, 'entries', {
    ...LINES,
    takes: [['identifier', '<record>', 'its identifier']],
  }),
];

function toLine(entry: CustodyEntry): string {
  const { sequence, at, kind, subject, accountId, facade, remoteAddress, detailsDeletedAt, what } = entry;
  const said = { ...entry.details, ...what };
  const cells = [
    String(sequence),
    formatTimestamp(at),
    accountId === undefined ? 'appliance' : `account ${accountId}`,
    [facade, remoteAddress].filter(Boolean).join(' '),
    kind,
    subject,
    detailsDeletedAt === undefined
      ? describe(said)
      : `details deleted on ${formatTimestamp(detailsDeletedAt)}`,
  ];
  return showText(cells.filter(Boolean).join('  '));
}

/** Figures and words; what is empty says nothing. */
function describe(said: Readonly<Record<string, unknown>>): string {
  return Object.entries(said)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(' ');
}
