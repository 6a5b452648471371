/** Facts of the custody log, a row per kind. Actions of accounts (`account.create`, `key.reveal`) are kinds without a row. */

interface KindRow {
  /** With whose last record the details go: a record's, an analysis', a file's of an account; with `nothing` they stay. */
  about: 'record' | 'analysis' | 'file' | 'nothing';
  /** The action's name in the audit log; absent if no person did it. */
  action?: string;
}

export const CUSTODY_KINDS = {
  /** A record was accepted: by whom, how, from where, which bytes. */
  received: { about: 'record' },
  /** The bytes of an address came in. */
  fetched: { about: 'record' },
  /** An analysis ended: models with their digests, versions, device. */
  analysed: { about: 'analysis' },
  failed: { about: 'analysis' },
  /** Its manifest was read anew under other trust lists; the details name the answers that changed. */
  manifest_reread: { about: 'analysis' },
  /** The manifest could not be read anew: the file is gone or unreadable. The earlier reading stands. */
  manifest_not_reread: { about: 'analysis' },
  cancelled: { about: 'record', action: 'classification.cancel' },
  /** Further analyses were asked for; the details name them and their price. */
  analyses_added: { about: 'record', action: 'classification.add' },
  retried: { about: 'record', action: 'classification.retry' },
  /** A signed-in person opened the record, its original or a rendition. */
  looked_at: { about: 'record' },
  /** The original, or a package, left the box. */
  downloaded: { about: 'record' },
  /** The record went out in a signed package; the details name it. */
  exported: { about: 'record', action: 'evidence.export' },
  overridden: { about: 'file', action: 'override.set' },
  override_removed: { about: 'file', action: 'override.remove' },
  /** A sign-off of a person's finding was asked for, or answered. */
  sign_off_asked: { about: 'file', action: 'sign_off.ask' },
  sign_off_agreed: { about: 'file', action: 'sign_off.agree' },
  sign_off_disagreed: { about: 'file', action: 'sign_off.disagree' },
  /** The finding of the sign-off was changed or taken back. */
  sign_off_ended: { about: 'file' },
  /** The stored bytes went when their time was up; the record stays. */
  bytes_deleted: { about: 'record' },
  /** The record is gone, with the details of its entries, which this entry's details name. */
  deleted: { about: 'nothing', action: 'classification.delete' },
  /** An administrator deleted details of the entries that this entry's details name. */
  redacted: { about: 'nothing', action: 'custody.redact' },
  /** An audit line from before the chain, taken over when the chain began. */
  taken_over: { about: 'nothing' },
  /** The box, a restored box or a copy of it begins to write under an epoch of its own. */
  epoch_opened: { about: 'nothing' },
  /** The head and the last entry disagreed: the log before is damaged, and this entry says how. */
  segment_opened: { about: 'nothing' },
  key_made: { about: 'nothing' },
  key_rotated: { about: 'nothing' },
} as const satisfies Readonly<Record<string, KindRow>>;

export type FactKind = keyof typeof CUSTODY_KINDS;
/** The second form is an action of the audit log: `noun.verb`. */
export type CustodyKind = FactKind | `${string}.${string}`;

const ROWS: ReadonlyMap<string, KindRow> = new Map(Object.entries<KindRow>(CUSTODY_KINDS));

export const aboutOf = (kind: string): KindRow['about'] => ROWS.get(kind)?.about ?? 'nothing';

export const actionOf = (kind: string): string => ROWS.get(kind)?.action ?? kind;

const KINDS_OF_ACTIONS = new Map(
  [...ROWS].flatMap(([kind, { action }]) => (action === undefined ? [] : ([[action, kind]] as const))),
);

export function kindOfAction(action: string): CustodyKind {
  return (KINDS_OF_ACTIONS.get(action) ?? action) as CustodyKind;
}
