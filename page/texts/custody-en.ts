/** What the custody log of the box says of a record, in English. */

export const CUSTODY_EN = {
  custodyLead:
    'Each line is an entry of the box’s own log. The entries are chained: no change or removal stays hidden (assay custody verify).',
  custodyEntry: 'Entry {sequence}',
  custodyDetailsDeleted: 'Details deleted on {at}',
  custodyOlder: 'Submitted before the custody log began; these lines are not part of it:',
  custody_received: 'Received',
  custody_fetched: 'Fetched from its address',
  custody_analysed: 'Analysed',
  custody_failed: 'The analysis ended without a result',
  custody_manifest_reread: 'Manifest read anew under other trust lists',
  custody_manifest_not_reread: 'Manifest could not be read anew; what was read before stands',
  custody_cancelled: 'Cancelled',
  custody_analyses_added: 'More was asked for',
  custody_retried: 'Begun again',
  custody_looked_at: 'Looked at',
  custody_downloaded: 'Original downloaded',
  custody_exported: 'Exported in a signed package',
  custody_overridden: 'A person’s finding',
  custody_override_removed: 'The person’s finding was removed',
  custody_bytes_deleted: 'The stored file was deleted at the end of its retention',
  custody_deleted: 'Deleted',
  custody_redacted: 'Details of entries were deleted',
  custody_taken_over: 'From the earlier audit log',
} as const;
