export const EVIDENCE_EN = {
  evidence: 'Evidence package',
  evidenceLead:
    'A signed zip with the file, its figures and a report, which others can verify without Assay.',
  evidenceOfMany: 'All chosen records become one case with one report.',
  evidenceTitle: 'Title of the report',
  evidenceNotes: 'Your notes',
  evidenceNotesHint: 'The report shows them as your words.',
  evidenceLanguage: 'Language of the report',
  evidenceMake: 'Make the package',
  evidenceProgress: '{files} of about {total} {total:file|files}',
  evidenceReady: 'Ready: {size}. It can be fetched for an hour.',
  evidenceFailed: 'No package was made: {reason}',
  evidenceKey: 'Key that signs evidence',
  evidenceKeyLead:
    'Publish this fingerprint where others look for it: they compare the key of a package with it.',
  evidenceKeyUntil: 'until {time}',
  evidenceKeySigns: 'signs',
  exportedAt: 'Exported in an evidence package; it said then: {reading}',
  stampedAt: 'Stamped by {authority}: {time} by its clock',
  stampWaiting: 'Waits for a stamp of {authority}. {reason}',
  stampFailed: 'Not stamped by {authority}: {reason}',
  exportReading: '{state}, {share} chance of AI',
  exportReadsOtherwise:
    'An evidence package of {time} gave another reading of the same figures: {reading} (rules version {rules}). Both are valid; inform its recipients.',
} as const;
